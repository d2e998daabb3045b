// What `spress transfer` measures: each format on its way to the GPU. Its JSON, as in reports/json/json.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/json/json.hpp"
#include "reports/records/records.hpp"

namespace spress::reports {

/// A row of transfer: one format with one value store, sent in one way from one kind of memory.
struct TransferMeasure : MeasureRecord {
  /// packed: all arrays in one copy; separate: a copy for each array, which is waited for, as cudaMemcpy does; queued:
  /// the same one behind the other, and one wait for all; expanded: sent piece by piece, and made a CSR
  /// with raw values by the GPU while the next piece is on its way.
  std::string route;
  std::string memory;  ///< of the host: pinned (page-locked), pageable, or staged: see pipeline/device/wire.hpp
  std::uint64_t sent_bytes = 0;      ///< over the wire: `total_bytes` and what aligns arrays in a packed buffer
  std::uint64_t copies = 0;          ///< in which they went
  double byte_ratio = not_measured;  ///< bytes of CSR with raw values / total_bytes: the speedup if bytes were all
  /// seconds of CSR's three arrays in a copy each, from the same memory, each waited for / seconds_median.
  double speedup_vs_csr_arrays = not_measured;
  double encode_seconds = not_measured;   ///< from CSR with raw values, on the CPU
  double spmv_seconds = not_measured;     ///< of one product on the device, of what has arrived
  double vectors_seconds = not_measured;  ///< of x and y of this type from this memory, in a copy each, waited for
  /// How many products, or how many transfers, pay encoding back; none: they never do. 0: the first transfer does.
  std::optional<std::uint64_t> break_even_spmv, break_even_transfers;
};

/// A way of a matrix from a file to the device, in pieces: while one thread reads, others decode or copy.
struct FileTransferMeasure {
  std::string way;                               ///< spress: the file that was given; csr: a file of CSR's arrays
  std::uint64_t file_bytes = 0, sent_bytes = 0;  ///< sent_bytes: over the wire, CSR with raw values
  bool in_pieces = true;                         ///< false: all is read, then all is decoded, then all is copied
  double seconds_median = not_measured, seconds_min = not_measured, seconds_max = not_measured;
  int repetitions = 0;
  /// Seconds that a thread spends reading, decoding and copying: the mean of all threads (not in pieces: on the clock),
  /// the median of all runs.
  double read_seconds = not_measured, decode_seconds = not_measured, copy_seconds = not_measured;
  double gb_per_s = not_measured;  ///< sent_bytes / seconds_median
  double speedup_vs_csr = not_measured;
  std::optional<bool> ok;  ///< whether the right bits arrived; null: not measured, see reason
  std::string reason;
};

struct FileTransferRecord {
  bool cold = false;  ///< the system had neither file in memory
  std::vector<FileTransferMeasure> ways;
};

struct TransferRecord {
  static constexpr std::string_view kind = "transfer";

  ToolRecord tool;
  std::string name, path;
  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::optional<GeneratorRecord> generator = {};
  MachineRecord machine;
  double pinned_gb_per_s = not_measured, pageable_gb_per_s = not_measured,
         staged_gb_per_s = not_measured;        ///< of one large copy to the device
  std::vector<TransferMeasure> formats;         ///< CSR with raw values first, for each type and memory
  std::optional<FileTransferRecord> file = {};  ///< where the matrix came from a file of version 2
  bool ok = true;                               ///< whatever arrived had the right bits
  std::optional<std::string> error;             ///< set: only name, path and machine are meaningful
};

/// Adds the ways of the file, which count for `ok`.
inline void add_file(TransferRecord& record, FileTransferRecord file) {
  for (const FileTransferMeasure& way : file.ways) record.ok = record.ok && way.ok.value_or(true);
  record.file = std::move(file);
}

std::string to_json_line(const TransferRecord& record);
Parsed<TransferRecord> parse_transfer_record(std::string_view json);
Parsed<TransferRecord> read_transfer_record(json::View document);  ///< from a document that is parsed already

}  // namespace spress::reports
