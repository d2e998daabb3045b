// What each format saves on the way to the GPU, and when that pays for making it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/params.hpp"
#include "pipeline/device/wire.hpp"
#include "pipeline/measure/bench.hpp"
#include "pipeline/measure/pairing.hpp"
#include "reports/records/transfer_record.hpp"

namespace spress::pipeline {

struct TransferOptions {
  std::vector<Spec> formats;                                        ///< empty: every format of the list
  std::vector<ValueType> types = {ValueType::f64, ValueType::f32};  ///< each in turn; complex values stay complex
  StoreChoice choice = StoreChoice::smallest;
  std::vector<StoreKind> stores = {};  ///< where they are listed
  std::vector<HostMemory> memories = {HostMemory::pinned, HostMemory::pageable};
  int threads = 0;                     ///< of every encoder; 0: OpenMP's default
  std::size_t piece = 8 << 20;         ///< least bytes of a piece where the GPU expands, about
  Pairing pairing = {.seconds = 0.1};  ///< for each row
  reports::MachineRecord machine = {};
  std::function<void(const BenchProgress&)> on_progress = {};
};

/// Sends CSR and every format with every wanted value store over the wire, from every kind of memory, in one packed
/// buffer, array by array, waiting for each or for all, and, where the GPU expands the format, piece by piece into a
/// CSR. What arrives is fetched back and compared bit for bit before its time counts. Each is timed in turn with CSR
/// sent from the same memory in the same way (an expanded one: with CSR in one buffer). Formats that cannot hold the
/// matrix or the store or do not fit the device's memory have one row with `ok` null and a reason, and so has every
/// format with values beyond float, in float. The product of what arrives is timed, not judged: one that cannot be had
/// leaves `ok` as it is, one that the device fails at makes it false, and the reason tells. Memory: CSR in each kind of
/// host memory, one format with one store at a time likewise, both and a CSR on the device. Errors: usage for an
/// unknown format or parameter, or a format given twice; too_large where CSR itself does not fit.
[[nodiscard]] Result<reports::TransferRecord> transfer(const Matrix& matrix, const TransferOptions& options,
                                                       Wire& wire);

/// Gigabytes per second of one large copy to the device.
[[nodiscard]] Result<double> wire_bandwidth(Wire& wire, HostMemory memory);

/// What stands for a matrix that could not be read.
[[nodiscard]] reports::TransferRecord failed_transfer_record(const std::string& input, const std::string& message,
                                                             const TransferOptions& options);

}  // namespace spress::pipeline
