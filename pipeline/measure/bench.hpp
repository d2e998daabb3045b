// What each format is worth: its bytes, its products timed against our CSR and other libraries, its preparation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/params.hpp"
#include "pipeline/calibrate/calibration.hpp"
#include "pipeline/device/device.hpp"
#include "pipeline/measure/pairing.hpp"
#include "pipeline/measure/rows.hpp"
#include "pipeline/ranks/read_part.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

struct BenchProgress {
  std::string matrix, what;         ///< the matrix, and the row in work
  std::size_t done = 0, total = 0;  ///< rows; more may turn out to be wanted
};

struct BenchOptions {
  std::vector<Spec> formats;  ///< empty: every format of the list
  /// Set: `auto` chooses one more format and store, or one of these, for the shortest product by this calibration.
  std::optional<Calibration> choose_by = {};
  Device device = cpu_device();      ///< and the peers to time
  ValueType value = ValueType::f64;  ///< f64 or f32: all work is done in it
  StoreChoice choice = StoreChoice::smallest;
  std::vector<StoreKind> stores = {};  ///< where they are listed
  std::uint64_t device_memory = 0;     ///< bytes on a GPU for each matrix; it comes through in pieces. 0: all in memory
  int threads = 0;                     ///< of every encoder, and product on the CPU; 0: OpenMP's default
  Pairing pairing = {};                ///< for each row
  reports::MachineRecord machine = {};
  std::function<void(const BenchProgress&)> on_progress = {};
};

/// Times every format with every wanted value store, and every peer, in turn with our CSR with raw values. What a row
/// computes is judged by the rigorous bound before its time counts: a wrong one has `ok` false and no times. Complex
/// matrices, values beyond float where that is asked for, and formats that cannot hold the matrix or the store or do
/// not fit the device's memory, have `ok` null with a reason. Where our CSR itself is wrong or does not fit, a row says
/// so, and the others have times but no speedups. Rows come in the order of the formats and the stores, peers after
/// csr. Memory: the matrix, one format and one value store at a time; on a GPU CSR, and one format or peer at a time.
/// Errors: usage for an unknown format or parameter, or a format given twice; too_large where the vectors do not fit.
[[nodiscard]] Result<reports::BenchRecord> bench(Matrix matrix, const BenchOptions& options);

/// Times products over several ranks, each of which has some rows. All get the same record. A pair of products counts
/// with the times of the slowest rank. Which store is smaller than raw values is seen on the first rank. Requires: no
/// peers, no choose_by, no device_memory. Errors: those of any rank, on all.
[[nodiscard]] Result<reports::BenchRecord> bench(const Ranks& ranks, RankRows rows, const BenchOptions& options);

/// What stands for a matrix that could not be read.
[[nodiscard]] reports::BenchRecord failed_bench_record(const std::string& input, const std::string& message,
                                                       const BenchOptions& options);

}  // namespace spress::pipeline
