// Claims about products, what auto chose among them, transfers and solvers, from records of measurements.
#include <fmt/format.h>

#include <charconv>
#include <set>

#include "reports/claims_list.hpp"

namespace spress::reports {
namespace {

constexpr std::uint64_t large_entries_gpu = std::uint64_t{1} << 25;

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

/// What the name of a generated matrix tells: `stencil27_n160_values-few_distinct256`.
struct Kind {
  std::string_view generator;
  bool noise = false, few = false, shuffled = false;
  std::uint64_t distinct = 0;
};

std::string_view part_after(std::string_view name, std::string_view key) {
  const std::size_t at = name.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = name.substr(at + key.size());
  return rest.substr(0, rest.find('_'));
}

template <class Record>
Kind kind_of(const Record& record) {
  const std::string_view name = record.name;
  Kind kind;
  const std::string_view values = part_after(name, "_values-"), distinct = part_after(name, "_distinct");
  if (!begins(record.path, "gen:") && values.empty()) return kind;  // a matrix from elsewhere
  kind.generator = name.substr(0, name.find('_'));
  kind.noise = values == "noise";
  kind.few = values == "few";
  kind.shuffled = name.find("_shuffle") != std::string_view::npos;
  std::from_chars(distinct.data(), distinct.data() + distinct.size(), kind.distinct);
  return kind;
}

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool regular(const Kind& kind) { return one_of(kind.generator, {"stencil27", "stencil7", "fem3d", "elasticity3d"}); }
bool natural_noise(const Kind& kind) { return regular(kind) && kind.noise && !kind.shuffled; }
bool natural_few(const Kind& kind, std::uint64_t least, std::uint64_t most) {
  return regular(kind) && kind.few && !kind.shuffled && kind.distinct >= least && kind.distinct <= most;
}
/// Rows of 27 entries and more.
bool dense_rows(const Kind& kind) { return one_of(kind.generator, {"stencil27", "elasticity3d"}); }
bool irregular(const Kind& kind) {
  return one_of(kind.generator, {"circuit", "powerlaw", "band", "uniform"}) && !kind.shuffled;
}

bool on_gpu(const MachineRecord& machine) { return machine.device != "cpu"; }

// Rows of bench.

using Row = BenchMeasure;

bool ours(const Row& row) { return !row.peer; }
bool of_papers(const Row& row) { return !row.peer && row.format != "slice-delta"; }
bool raw(const Row& row) { return row.values == "raw"; }
bool cusparse(const Row& row) { return row.peer && begins(row.format, "cusparse-"); }
bool cusparse_csr(const Row& row) { return row.peer && begins(row.format, "cusparse-csr"); }
bool any_csr(const Row& row) { return row.peer || (row.format == "csr" && raw(row)); }

const char* wanted_type(const BenchRecord& record) {
  const auto is_double = [](const Row& row) { return row.type == "double"; };
  return std::any_of(record.formats.begin(), record.formats.end(), is_double) ? "double" : "float";
}

/// The fastest right row, in double precision where the record has any.
template <class Accepts>
const Row* fastest(const BenchRecord& record, const Accepts& accepts) {
  const Row* best = nullptr;
  const std::string_view type = wanted_type(record);
  for (const Row& row : record.formats)
    if (row.ok == true && row.type == type && row.speedup_vs_csr > 0 && accepts(row))
      if (best == nullptr || row.speedup_vs_csr > best->speedup_vs_csr) best = &row;
  return best;
}

std::string label(const MeasureRecord& row) {
  std::string text = spec_of(row);
  return row.values == "raw" ? text : text + " " + row.values;
}

/// How many times as fast the fastest of some rows is as the fastest of others, both over CSR in the same run.
template <class Accepts, class Against>
MaybeValue faster(const BenchRecord& record, const Accepts& accepts, const Against& against) {
  const Row *row = fastest(record, accepts), *other = fastest(record, against);
  if (row == nullptr || other == nullptr) return std::nullopt;
  return Value{row->speedup_vs_csr / other->speedup_vs_csr, label(*row) + " to " + label(*other)};
}

/// The best of many formats: a record of a few would tell less than one of all.
template <class Accepts>
MaybeValue best_of(const BenchRecord& record, const Accepts& accepts) {
  constexpr std::size_t many = 6;
  std::set<std::string_view> formats;
  for (const Row& row : record.formats)
    if (ours(row) && row.ok == true) formats.insert(row.format);
  return formats.size() < many ? std::nullopt : faster(record, accepts, on_gpu(record.machine) ? cusparse : any_csr);
}

template <class Against>
MaybeValue faster(const BenchRecord& record, const char* format, const Against& against) {
  return faster(
      record, [=](const Row& row) { return ours(row) && row.format == format; }, against);
}
template <class Against>
MaybeValue raw_faster(const BenchRecord& record, const char* format, const Against& against) {
  return faster(
      record, [=](const Row& row) { return ours(row) && raw(row) && row.format == format; }, against);
}

// Which records a question is about. On a GPU: 2^25 entries or more; on a CPU: out of its cache.

bool large_gpu(const BenchRecord& r) { return on_gpu(r.machine) && r.nnz >= large_entries_gpu; }
bool gpu_double(const BenchRecord& r) { return large_gpu(r) && begins(wanted_type(r), "double"); }
bool gpu_float(const BenchRecord& r) { return large_gpu(r) && begins(wanted_type(r), "float"); }
bool gpu_noise(const BenchRecord& r) { return gpu_double(r) && kind_of(r).noise; }
bool gpu_regular_noise(const BenchRecord& r) { return gpu_double(r) && natural_noise(kind_of(r)); }
bool gpu_regular_few(const BenchRecord& r) { return gpu_double(r) && natural_few(kind_of(r), 17, 256); }
bool gpu_irregular(const BenchRecord& r) { return gpu_noise(r) && irregular(kind_of(r)); }
bool gpu_band(const BenchRecord& r) { return gpu_irregular(r) && kind_of(r).generator == "band"; }
bool gpu_scattered(const BenchRecord& r) {
  return gpu_irregular(r) && one_of(kind_of(r).generator, {"powerlaw", "uniform"});
}
/// Shuffled by the generator and ordered again: a file, since what comes from the generator is in its shuffled order.
bool gpu_ordered(const BenchRecord& r) {
  return gpu_double(r) && regular(kind_of(r)) && kind_of(r).shuffled && !begins(r.path, "gen:");
}
bool gpu_ordered_noise(const BenchRecord& r) { return gpu_ordered(r) && kind_of(r).noise; }
bool gpu_ordered_few(const BenchRecord& r) { return gpu_ordered(r) && kind_of(r).few && kind_of(r).distinct <= 256; }

bool cpu(const BenchRecord& r) {
  return !on_gpu(r.machine) && !r.working_set_in_cache && begins(wanted_type(r), "double");
}
bool one_core(const BenchRecord& r) { return cpu(r) && r.machine.threads == 1; }
bool two_cores(const BenchRecord& r) { return cpu(r) && r.machine.threads == 2; }
bool all_cores(const BenchRecord& r) { return cpu(r) && r.machine.threads > 2; }
bool two_cores_noise(const BenchRecord& r) {
  return two_cores(r) && natural_noise(kind_of(r)) && dense_rows(kind_of(r));
}
bool two_cores_few(const BenchRecord& r) {
  return two_cores(r) && natural_few(kind_of(r), 17, 256) && dense_rows(kind_of(r));
}
bool all_cores_noise(const BenchRecord& r) { return all_cores(r) && natural_noise(kind_of(r)); }
bool all_cores_256(const BenchRecord& r) { return all_cores(r) && natural_few(kind_of(r), 17, 256); }
bool all_cores_16(const BenchRecord& r) { return all_cores(r) && natural_few(kind_of(r), 1, 16); }
bool has_choice(const BenchRecord& r) { return on_gpu(r.machine) && r.choice && r.choice->behind_best; }

MaybeValue of_copy(const BenchRecord& r) {
  const Row* row = fastest(r, [](const Row& x) { return x.format == "slice-delta" && raw(x); });
  if (row == nullptr) return std::nullopt;
  return Value{100 * row->gb_per_s / r.machine.copy_gb_per_s, fmt::format("{:.0f} GB/s", row->gb_per_s)};
}

MaybeValue behind_best(const BenchRecord& r) {
  return Value{100 * *r.choice->behind_best, r.choice->candidates.empty() ? "" : r.choice->candidates.front().format};
}

MaybeValue choosing(const BenchRecord& r) {
  return Value{r.choice->csr_products, fmt::format("{} threads", r.machine.threads)};
}

constexpr const char* gpu = "Products on a GPU, FP64, 2^25 entries or more";
constexpr const char* gpu_single = "Products on a GPU, FP32, 2^25 entries or more";
constexpr const char* processor = "Products on a CPU, FP64, out of cache";
constexpr const char* chooser = "The choice of auto, on a GPU";

using Bench = Question<BenchRecord>;
using R = const BenchRecord&;

constexpr std::array product_questions = {
    Bench{gpu, "csr against cuSPARSE's best CSR", "aim", Figure::least, 0.97, gpu_noise,
          [](R r) { return raw_faster(r, "csr", cusparse_csr); }},
    Bench{gpu, "sell against cuSPARSE's sliced ELL", "aim", Figure::least, 0.97, gpu_noise,
          [](R r) { return raw_faster(r, "sell", [](const Row& x) { return x.format == "cusparse-sell"; }); }},
    Bench{gpu, "bccoo-gpu against cuSPARSE's best CSR, regular matrices", "paper 000: 1.2x, 1.4x", Figure::mean, 1.4,
          gpu_regular_noise, [](R r) { return faster(r, "bccoo-gpu", cusparse_csr); }},
    Bench{gpu, "bccoo-gpu against cuSPARSE's best COO, regular matrices", "paper 000: 1.4x", Figure::mean, 1.4,
          gpu_regular_noise,
          [](R r) { return faster(r, "bccoo-gpu", [](const Row& x) { return begins(x.format, "cusparse-coo"); }); }},
    Bench{gpu, "amb against the best of cuSPARSE, regular matrices", "paper 001: 1.29x", Figure::mean, 1.29,
          gpu_regular_noise, [](R r) { return raw_faster(r, "amb", cusparse); }},
    Bench{gpu, "amb against cuSPARSE's best CSR, regular matrices", "paper 001: 1.83x", Figure::mean, 1.83,
          gpu_regular_noise, [](R r) { return raw_faster(r, "amb", cusparse_csr); }},
    Bench{gpu, "sell against cuSPARSE's best CSR, regular matrices", "paper 003: faster", Figure::least, 1,
          gpu_regular_noise, [](R r) { return raw_faster(r, "sell", cusparse_csr); }},
    Bench{gpu, "ell-csr against hyb, all matrices", "paper 004: 1.25x", Figure::mean, 1.25, gpu_noise,
          [](R r) { return raw_faster(r, "ell-csr", [](const Row& x) { return ours(x) && x.format == "hyb"; }); }},
    Bench{gpu, "best of the papers' formats against the best of cuSPARSE, regular, noise", "aim", Figure::least, 1.1,
          gpu_regular_noise, [](R r) { return best_of(r, of_papers); }},
    Bench{gpu, "best of the papers' formats against the best of cuSPARSE, circuit, power law, band, uniform", "aim",
          Figure::least, 0.97, gpu_irregular, [](R r) { return best_of(r, of_papers); }},
    Bench{gpu, "best of the papers' formats against the best of cuSPARSE, regular, 256 values", "aim", Figure::least,
          1.5, gpu_regular_few, [](R r) { return best_of(r, of_papers); }},
    Bench{gpu, "slice-delta against the best of cuSPARSE, regular, noise", "aim", Figure::mean, 1.35, gpu_regular_noise,
          [](R r) { return faster(r, "slice-delta", cusparse); }},
    Bench{gpu, "slice-delta against the best of cuSPARSE, regular, 256 values", "aim", Figure::mean, 3, gpu_regular_few,
          [](R r) { return faster(r, "slice-delta", cusparse); }},
    Bench{gpu, "best of ours against the best of cuSPARSE, regular, noise", "aim", Figure::mean, 1.35,
          gpu_regular_noise, [](R r) { return best_of(r, ours); }},
    Bench{gpu, "best of ours against the best of cuSPARSE, regular, 256 values", "aim", Figure::mean, 3,
          gpu_regular_few, [](R r) { return best_of(r, ours); }},
    Bench{gpu, "best of ours against the best of cuSPARSE, regular, shuffled and ordered again, noise", "aim",
          Figure::mean, 1.15, gpu_ordered_noise, [](R r) { return faster(r, ours, cusparse); }},
    Bench{gpu, "best of ours against the best of cuSPARSE, regular, shuffled and ordered again, 256 values", "aim",
          Figure::mean, 2, gpu_ordered_few, [](R r) { return faster(r, ours, cusparse); }},
    Bench{gpu, "best of ours against the best of cuSPARSE, random band", "aim", Figure::least, 1.1, gpu_band,
          [](R r) { return best_of(r, ours); }},
    Bench{gpu, "best of ours against the best of cuSPARSE, power law and uniformly random", "aim", Figure::least, 1,
          gpu_scattered, [](R r) { return best_of(r, ours); }},
    Bench{gpu, "slice-delta: bytes moved, of a copy's rate, regular, noise", "aim", Figure::least, 90,
          gpu_regular_noise, of_copy, "%"},
    Bench{gpu_single, "amb against the best of cuSPARSE", "paper 001: 1.74x", Figure::mean, 1.74, gpu_float,
          [](R r) { return raw_faster(r, "amb", cusparse); }},
    Bench{chooser, "the choice is within 5% of the best of all formats", "aim", Figure::share_within, 90, has_choice,
          behind_best, "%", true, 5},
    Bench{chooser, "choosing costs products of CSR on the CPU", "aim", Figure::most, 20, has_choice, choosing, "",
          false},
    Bench{processor, "csr against the fastest of MKL and Eigen, two cores", "aim", Figure::least, 0.97, two_cores,
          [](R r) { return raw_faster(r, "csr", [](const Row& x) { return x.peer; }); }},
    Bench{processor, "best of the papers' formats against MKL, Eigen, csr; 27-point, elasticity, noise, two cores",
          "aim", Figure::least, 1.15, two_cores_noise, [](R r) { return best_of(r, of_papers); }},
    Bench{processor, "best of the papers' formats against MKL, Eigen, csr; 27-point, elasticity, 256 values, two cores",
          "aim", Figure::least, 1.5, two_cores_few, [](R r) { return best_of(r, of_papers); }},
    Bench{processor, "bccoo against csr, one core", "aim", Figure::least, 0.5, one_core,
          [](R r) { return faster(r, "bccoo", [](const Row& x) { return ours(x) && any_csr(x); }); }},
    Bench{processor, "bccoo against MKL, Eigen, csr, all cores", "paper 000, against MKL: 1.7x", Figure::mean, 1.7,
          all_cores, [](R r) { return faster(r, "bccoo", any_csr); }},
    Bench{processor, "slice-delta against MKL, Eigen, csr; regular, noise, all cores", "aim", Figure::least, 1.25,
          all_cores_noise, [](R r) { return faster(r, "slice-delta", any_csr); }},
    Bench{processor, "slice-delta against MKL, Eigen, csr; regular, 256 values, all cores", "aim", Figure::least, 2,
          all_cores_256, [](R r) { return faster(r, "slice-delta", any_csr); }},
    Bench{processor, "slice-delta against MKL, Eigen, csr; regular, 16 values, all cores", "aim", Figure::least, 4,
          all_cores_16, [](R r) { return faster(r, "slice-delta", any_csr); }},
};

// Transfers: FP64 from pinned memory.

using Sent = TransferMeasure;

template <class Accepts>
std::vector<const Sent*> sent(const TransferRecord& r, const char* route, const Accepts& accepts) {
  std::vector<const Sent*> out;
  for (const Sent& row : r.formats)
    if (row.ok == true && row.type == "double" && row.memory == "pinned" && row.route == route && accepts(row))
      out.push_back(&row);
  return out;
}

/// CSR's bytes, 0 where no row tells.
std::uint64_t csr_bytes(const TransferRecord& r) {
  for (const Sent& row : r.formats)
    if (row.format == "csr" && row.values == "raw" && row.type == "double") return row.total_bytes;
  return 0;
}

bool large_transfer(const TransferRecord& r) { return csr_bytes(r) >= 100'000'000; }
bool small_transfer(const TransferRecord& r) { return csr_bytes(r) != 0 && csr_bytes(r) < 1'000'000; }

/// The least of all formats that a GPU can undo.
MaybeValue arrival_share(const TransferRecord& r) {
  MaybeValue least;
  for (const Sent* row : sent(r, "expanded", [](const Sent& x) { return x.byte_ratio >= 1.1; })) {
    const double share = 100 * row->speedup_vs_csr / row->byte_ratio;
    if (!least || share < least->value) least = Value{share, label(*row)};
  }
  return least;
}

MaybeValue least_packed(const TransferRecord& r) {
  MaybeValue least;
  for (const Sent* row : sent(r, "packed", [](const Sent&) { return true; }))
    if (!least || row->speedup_vs_csr_arrays < least->value) least = Value{row->speedup_vs_csr_arrays, label(*row)};
  return least;
}

MaybeValue best_packed(const TransferRecord& r) {
  MaybeValue best;
  for (const Sent* row : sent(r, "packed", [](const Sent&) { return true; }))
    if (!best || row->speedup_vs_csr_arrays > best->value) best = Value{row->speedup_vs_csr_arrays, label(*row)};
  return best;
}

MaybeValue opt_csr_packed(const TransferRecord& r) {
  const auto rows = sent(r, "packed", [](const Sent& x) { return x.format == "opt-csr" && x.values == "raw"; });
  if (rows.empty()) return std::nullopt;
  return Value{rows.front()->speedup_vs_csr_arrays, label(*rows.front())};
}

MaybeValue products_of_transfer(const TransferRecord& r) {
  const auto rows = sent(r, "packed", [](const Sent& x) { return x.format == "sell" && x.values == "raw"; });
  if (rows.empty() || !(rows.front()->spmv_seconds > 0)) return std::nullopt;
  return Value{rows.front()->seconds_median / rows.front()->spmv_seconds, label(*rows.front())};
}

constexpr const char* way = "Transfers to a GPU, FP64, pinned memory";

using Transfer = Question<TransferRecord>;

constexpr std::array transfer_questions = {
    Transfer{way, "CSR on arrival, of the bytes' ratio: CSR of 100 MB or more, every format that saves a tenth", "aim",
             Figure::least, 90, large_transfer, arrival_share, "%"},
    Transfer{way, "one packed buffer against three copies of CSR, below 1 MB, every format", "aim", Figure::least, 1.5,
             small_transfer, least_packed},
    Transfer{way, "one packed buffer against three copies of CSR, below 1 MB, the best format", "aim", Figure::least,
             1.5, small_transfer, best_packed},
    Transfer{way, "opt-csr in one packed buffer against three copies of CSR, best matrix", "paper 002: 1.9x",
             Figure::most, 1.9, nullptr, opt_csr_packed},
    Transfer{way, "a transfer costs products of sliced ELL, large matrices", "paper 003: about 100", Figure::mean, 100,
             large_transfer, products_of_transfer, "", false},
};

// Solvers.

const SolveMeasure* solved(const SolveRecord& r, const char* format) {
  for (const SolveMeasure& row : r.formats)
    if (row.ok == true && row.type == "double" && row.values == "raw" && row.format == format && row.seconds > 0)
      return &row;
  return nullptr;
}

MaybeValue solver_over_hyb(const SolveRecord& r) {
  const SolveMeasure *row = solved(r, "ell-csr"), *hyb = solved(r, "hyb");
  if (row == nullptr || hyb == nullptr) return std::nullopt;
  return Value{hyb->seconds / row->seconds, fmt::format("{} iterations", row->iterations)};
}

bool gpu_solver(const SolveRecord& r) { return on_gpu(r.machine); }

constexpr std::array solve_questions = {
    Question<SolveRecord>{"Conjugate gradients on a GPU, FP64", "ell-csr against hyb", "paper 004: 1.2x", Figure::mean,
                          1.2, gpu_solver, solver_over_hyb},
};

template <class Record>
std::vector<Record> without_errors(std::vector<Record> records) {
  std::erase_if(records, [](const Record& r) { return r.error.has_value(); });
  return records;
}

}  // namespace

void judge_products(const std::vector<BenchRecord>& records, std::vector<Claim>& claims) {
  judge<BenchRecord>(product_questions, without_errors(records), claims);
}

void judge_transfers(const std::vector<TransferRecord>& records, std::vector<Claim>& claims) {
  judge<TransferRecord>(transfer_questions, without_errors(records), claims);
}

void judge_solvers(const std::vector<SolveRecord>& records, std::vector<Claim>& claims) {
  judge<SolveRecord>(solve_questions, records, claims);
}

}  // namespace spress::reports
