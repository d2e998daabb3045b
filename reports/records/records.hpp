// Plain structs of results: what the pipeline measures and the writers print. No dependency on the rest of the library.
// JSON names are the members' names; the contract of `spress analyze` in the README shows a whole record.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace spress::reports {

inline constexpr int schema_version = 1;

/// Pairs in their order of insertion: JSON objects whose order a reader should see.
template <class T>
using Ordered = std::vector<std::pair<std::string, T>>;

/// The format that every other one is compared with. The only one that records and reports know by name.
inline constexpr std::string_view baseline_format = "csr";

/// A figure that was not measured or has no meaning: JSON writes it as null.
inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// A format with its parameters, as on the command line. Row: any record that has both.
template <class Row>
[[nodiscard]] std::string spec_of(const Row& row) {
  return row.parameters.empty() ? row.format : row.format + ":" + row.parameters;
}

struct ToolRecord {
  std::string version, commit;
};

/// A parameter of a generator: a word or a number.
using ParameterValue = std::variant<std::string, std::uint64_t, double>;

/// The generator of a matrix. It makes the same bits everywhere from the same parameters.
struct GeneratorRecord {
  std::string name;
  Ordered<ParameterValue> parameters;  ///< all of them, defaults included
};

struct ValueStatistics {
  std::uint64_t distinct = 0;
  double coverage_256 = 0;  ///< share of entries whose value is among the 256 most frequent
  double coverage_65536 = 0;
  double exact_in_float = 0;  ///< share of entries that float holds exactly
};

struct MatrixRecord {
  std::string name, path;
  std::uint64_t rows = 0, cols = 0, nnz = 0, stored_entries = 0;
  std::string field, symmetry;
  bool pattern_symmetric = false;
  std::uint64_t explicit_zeros = 0, duplicates = 0, distinct_values = 0;
  ValueStatistics values;  ///< all zero for pattern matrices
  std::uint64_t empty_rows = 0, max_row_nnz = 0;
  std::optional<std::uint64_t> file_bytes = {};   ///< of the input file on disk; none for generated ones and pipes
  std::optional<GeneratorRecord> generator = {};  ///< none for matrices from files
};

/// Counts by width: of 8, 16 and 32 bits.
struct ClassCounts {
  std::uint64_t bits8 = 0, bits16 = 0, bits32 = 0;  // JSON: {"8":..,"16":..,"32":..}
};
struct IndexClassRecord {
  int matrix_bits = 8;
  ClassCounts rows, nnz;
};

struct BlockRecord {
  std::uint64_t count = 0;
  double nnz_per_block = 0;
};

struct FootprintRecord {
  std::uint64_t model_index_bytes = 0, index_bytes = 0, total_bytes = 0;  ///< total with raw values
  double ratio_to_csr = 0;
  std::string parameters;                        ///< as on the command line, "" for none
  Ordered<std::optional<std::uint64_t>> values;  ///< bytes of each value store; null: not applicable
  std::string reason;                            ///< why the format cannot hold the matrix, or ""
  Ordered<std::uint64_t> details = {};           ///< counts of the format's own: docs/records.md
};

/// A coarse picture of the pattern.
struct SpyRecord {
  std::uint32_t size = 0;  ///< cells per side; fewer than rows or cols only if those are fewer
  std::string cells;       ///< size*size digits, row-major: 0 empty, 1..9 share of the cell filled on a log scale
};

struct OrderingRecord {
  std::string status = "ok";  ///< ok, not_applicable, error
  std::string reason;         ///< where status is not ok
  double seconds = 0;
  std::uint64_t bandwidth = 0, profile = 0, max_wavefront = 0;
  double rms_wavefront = 0;
  Ordered<IndexClassRecord> index_classes;  ///< direct, delta-to-diagonal, delta, delta-anchored
  BlockRecord blocks_8x8;
  Ordered<FootprintRecord> footprint;  ///< by format name
  SpyRecord spy;
};

struct BestRecord {
  std::string format, ordering, values;
  std::uint64_t total_bytes = 0;
  std::string parameters = {};  ///< of the format; "" for none, and in records of earlier versions
};

/// Identifies a finished matrix, so that a resumed run skips it.
struct ResumeKey {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::string options;  ///< canonical text of everything that shapes the record
};

/// One way that `auto` may take, with what it expects of it.
struct CandidateRecord {
  std::string ordering, format, parameters, values;
  std::uint64_t total_bytes = 0;
  bool exact = false;                       ///< else the bytes were extrapolated from a sample of rows
  double predicted_seconds = not_measured;  ///< of a product
  double transfer_seconds = not_measured;   ///< of the matrix to the device
};

/// What `auto` chose, and why.
struct ChoiceRecord {
  std::string goal;                 ///< size, spmv or transfer
  std::string device, calibration;  ///< what predictions are for, and the file they are from; "" without any
  double seconds = 0;  ///< that choosing took, orderings apart; of `bench` the median of some choices after a first
  double csr_products = not_measured;            ///< the same in products of CSR on the CPU, as far as they were timed
  std::vector<CandidateRecord> candidates;       ///< the chosen one first, the others from best to worst
  std::uint64_t left_out = 0;                    ///< candidates that a journal does not keep
  std::string declined;                          ///< why the best one was passed over, or ""
  double exact_seconds = 0;                      ///< besides, that the exact bytes took which orderings are compared by
  std::vector<std::string> not_considered = {};  ///< formats that hold the matrix, and that `auto` leaves out
  std::vector<std::string> notes;                ///< what was left out or left undecided, in the ordering taken
  std::optional<double> behind_best;             ///< of a benchmark: chosen time / that of the fastest row - 1
};

struct AnalyzeRecord {
  static constexpr std::string_view kind = "analysis";  ///< what JSON calls such records

  ToolRecord tool;
  MatrixRecord matrix;
  Ordered<OrderingRecord> orderings;
  BestRecord best;
  std::optional<ChoiceRecord> choice;  ///< none in records of earlier versions
  std::optional<std::string> error;    ///< set: only matrix.name and matrix.path are meaningful
  double seconds = 0;                  ///< whole work on this matrix
  ResumeKey key;
};

/// The part of a matrix that one of several ranks has, and its share in a product.
struct PartRecord {
  std::uint64_t rows = 0, nnz = 0;
  std::uint64_t ghosts = 0;         ///< elements of x that it needs of others
  std::uint64_t sent_elements = 0;  ///< of x, to others; an element that two ranks need is sent twice
  std::uint64_t neighbors = 0;      ///< ranks that it exchanges elements with
  std::uint64_t bytes_read = 0;     ///< of the file
};

/// One format's figures in verify, bench and transfer.
struct MeasureRecord {
  std::string format, parameters, values, type;
  std::uint64_t total_bytes = 0;
  double seconds_median = 0, seconds_min = 0, seconds_max = 0;
  int repetitions = 0;
  double gb_per_s = 0, gflops = 0, speedup_vs_csr = 0, max_error_ratio = 0;
  std::optional<bool> ok;  ///< null where unsupported
  std::string reason;
  std::string kernel = {};              ///< on a GPU: which of the format's kernels was taken; empty elsewhere
  std::optional<bool> repeatable = {};  ///< on a GPU: whether every run gives the same bits; false with atomics
};

/// On what and how figures were measured: every file of measurements carries it.
struct MachineRecord {
  std::string machine;                       ///< the processor's model
  std::string processor;                     ///< its kind, as "intel" or "zen4"; empty: another one
  std::string device = "cpu";                ///< cpu, or the GPU's name
  std::optional<std::string> driver;         ///< of the GPU; null on the CPU
  std::string compiler, commit, command;     ///< command: the whole command line
  int threads = 0;                           ///< of every product, ours and the peers'; on a GPU: of the encoders
  std::string instruction_set;               ///< that our kernels used; on a GPU: "sm_90" and so on
  double copy_gb_per_s = not_measured;       ///< of a large copy on the device: bytes read plus bytes written
  std::uint64_t last_level_cache_bytes = 0;  ///< on a GPU: its L2; 0: the system does not tell
};

/// A row of bench: one format with one value store, or one peer.
struct BenchMeasure : MeasureRecord {
  bool peer = false;  ///< a product of another library on our CSR; format: its name
  double bytes_per_nnz = not_measured;
  double ratio_to_csr = not_measured;          ///< total bytes / those of CSR with raw values
  double encode_seconds = not_measured;        ///< from CSR with raw values; a peer's: its inspection
  double encode_in_csr_spmv = not_measured;    ///< encode_seconds / csr_seconds of the record
  double speedup_vs_best_peer = not_measured;  ///< speedup_vs_csr / that of the fastest peer; not measured for peers
  double speedup_vs_best_cusparse = not_measured;    ///< likewise of cuSPARSE's products; on a GPU alone
  std::optional<std::uint64_t> streamed_bytes = {};  ///< that each product copies to the GPU, of a matrix in pieces
  double link_gb_per_s = not_measured;               ///< streamed_bytes over the time of a product
  std::vector<double> waited_seconds = {};           ///< of each rank for elements of x, in the mean of its products
  /// Traffic of a product with the device's memory: what the format's model predicts, and what a profiler counted.
  std::optional<std::uint64_t> predicted_bytes = {}, counted_bytes = {};
};

struct BenchRecord {
  static constexpr std::string_view kind = "bench";

  ToolRecord tool;
  std::string name, path;
  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::optional<GeneratorRecord> generator = {};
  MachineRecord machine;
  std::uint64_t csr_bytes = 0;        ///< of CSR with raw values
  double csr_seconds = not_measured;  ///< median of one product of our CSR, over all pairs of the run
  /// CSR and both vectors fit the last-level cache (on a GPU: twice its L2): such times flatter CSR.
  bool working_set_in_cache = false;
  std::vector<PartRecord> parts = {};  ///< of a matrix on several ranks
  std::vector<BenchMeasure> formats;
  std::optional<ChoiceRecord> choice;  ///< of `auto`, where it was among the formats; one row is of its first candidate
  bool ok = true;                      ///< no row is wrong
  std::optional<std::string> error;    ///< set: only name, path and machine are meaningful
};

struct VerifyRecord {
  static constexpr std::string_view kind = "verify";

  ToolRecord tool;
  std::string name, path, device;
  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::optional<GeneratorRecord> generator = {};
  std::vector<MeasureRecord> formats;
  bool ok = true;
};

/// A row of solve: one format and value type, or two formats of which the second was prepared while the first iterated.
struct SolveMeasure {
  std::string format, parameters, values, type, preconditioner;
  std::uint64_t total_bytes = 0;
  std::uint64_t iterations = 0;
  bool converged = false;
  std::string stop;  ///< why iterations ended: converged, max_iterations, not_positive_definite, not_finite, exhausted
  std::string kernel;             ///< of the product on a device; empty on the CPU
  double seconds = not_measured;  ///< from the right-hand side to the solution, without encoding
  double iterations_per_second = not_measured;
  double updates_per_second = not_measured;  ///< rows * iterations_per_second
  double product_share = not_measured;       ///< of `seconds` that the products took
  double spmv_seconds = not_measured;        ///< of one product, the mean of some; not measured of a pair
  double residual = not_measured;            ///< ||r|| / ||b|| by the recurrence
  double true_residual = not_measured;       ///< ||b - A x|| / ||b|| in extended precision, A: the CSR of that type
  double rounding_bound = not_measured;      ///< how far rounding alone can take the two apart, at worst
  std::optional<double> l2_error;            ///< from the exact solution; null where none is known
  double encode_seconds = not_measured;      ///< of a pair: of the second format, while the first iterated
  double transfer_seconds = not_measured;    ///< of the matrix to the device; not measured on the CPU
  std::optional<std::uint64_t> streamed_bytes = {};  ///< that each product copies to the GPU, of a matrix in pieces
  std::vector<double> waited_seconds = {};           ///< of each rank for elements of the others, in all products
  double total_seconds = not_measured;   ///< time to solution: encoding, transfer, iterating; of a pair, the first's
  double speedup_vs_csr = not_measured;  ///< seconds of CSR / seconds
  double total_speedup_vs_csr = not_measured;  ///< total seconds of CSR / total seconds
  std::optional<std::uint64_t> switched_at;  ///< of a pair: iterations done by the first format; null where it did all
  /// Of CSR in other orders of rows and columns, run only where a format's count had to be told from rounding.
  std::optional<std::uint64_t> least_iterations, most_iterations;
  std::optional<bool> ok;  ///< null where there is nothing to judge, with a reason
  std::string reason;
};

struct SolveRecord {
  static constexpr std::string_view kind = "solve";

  ToolRecord tool;
  std::string name, path, device = "cpu";
  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::optional<GeneratorRecord> generator = {};
  MachineRecord machine;
  std::string right_hand_side;  ///< "A*x": of a known x; "problem": that of the generator
  double tolerance = 0;
  std::uint64_t max_iterations = 0;
  int threads = 0;
  std::vector<PartRecord> parts = {};  ///< of a matrix on several ranks
  std::vector<SolveMeasure> formats;   ///< CSR with raw values first, for each type
  bool ok = true;  ///< no row is wrong, and CSR met no sign that the matrix is not positive definite
};

}  // namespace spress::reports
