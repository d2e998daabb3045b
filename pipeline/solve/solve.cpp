#include "pipeline/solve/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>

#include "formats/core/clock.hpp"
#include "formats/core/threads.hpp"
#include "pipeline/measure/rows.hpp"
#include "pipeline/solve/definite.hpp"
#include "pipeline/solve/ready_matrix.hpp"
#include "pipeline/solve/residual.hpp"
#include "pipeline/solve/solve_device.hpp"
#include "pipeline/solve/solve_judge.hpp"
#include "pipeline/solve/switching.hpp"
#include "pipeline/solve/system.hpp"

namespace spress::pipeline {
namespace {

using reports::SolveMeasure;

constexpr std::uint64_t other_orders = 32;  ///< of rows, at most, in which CSR is run where one does not decide

const Spec baseline_spec{"csr", {}};

template <class T, class From>
std::vector<T> rounded(const std::vector<From>& values) {
  std::vector<T> out(values.size());
  std::transform(values.begin(), values.end(), out.begin(), [](From value) { return static_cast<T>(value); });
  return out;
}

/// A row before anything is measured.
SolveMeasure start_row(std::string format, std::string parameters, std::optional<StoreKind> values, ValueType type,
                       const SolveOptions& options) {
  SolveMeasure row;
  row.format = std::move(format);
  row.parameters = std::move(parameters);
  row.values = values ? enum_name(*values) : "auto";
  row.type = type == ValueType::f32 ? "float" : "double";
  row.preconditioner = enum_name(options.preconditioner);
  return row;
}

SolveMeasure start_row(const Spec& spec, std::optional<StoreKind> values, ValueType type, const SolveOptions& options) {
  return start_row(spec.name, spec.parameters(), values, type, options);
}

/// Of the pair of which the second is encoded while the first iterates.
SolveMeasure start_row(const std::pair<Spec, Spec>& pair, ValueType type, const SolveOptions& options) {
  const auto& [first, second] = pair;
  const bool plain = first.options.empty() && second.options.empty();
  return start_row(first.name + ">" + second.name, plain ? "" : first.parameters() + ">" + second.parameters(),
                   options.values, type, options);
}

double known_or_zero(double seconds) { return std::isnan(seconds) ? 0 : seconds; }

/// All runs in one value type on one device.
template <class T>
class Runs {
 public:
  Runs(const System<T>& system, const SolveOptions& options, SolveDevice<T>& device)
      : system_(system),
        options_(options),
        device_(device),
        csr_(view_of(system.csr)),
        ready_(system, options, device) {}

  /// Iterates for a while, so that what the first iterations cost (threads, pages, the device) is paid before the
  /// baseline. Of several ranks one iteration, since all have to end at the same one.
  void warm_up() {
    const auto ready = ready_.make(baseline_spec, StoreKind::raw);
    if (!ready.ok()) return;
    const auto start = Clock::now();
    const auto is_warm = [&] { return !system_.part && seconds_since(start) >= options_.warm_up_seconds; };
    do {
      const auto solver = begin(system_.part ? 1 : options_.max_iterations);
      if (!solver.ok() || !system_.agree((*solver)->run(*ready->placed, options_.threads, is_warm)).ok()) return;
    } while (!system_.part && !is_warm());
  }

  SolveMeasure alone(const Spec& spec, std::optional<StoreKind> values) {
    SolveMeasure row = start_row(spec, values, value_type_of<T>, options_);
    finish(row, run_alone(row, spec, values));
    return row;
  }

  /// Begins with the first while the second is encoded.
  SolveMeasure hidden(const std::pair<Spec, Spec>& pair) {
    SolveMeasure row = start_row(pair, value_type_of<T>, options_);
    finish(row, run_hidden(row, pair.first, pair.second));
    return row;
  }

 private:
  Result<std::unique_ptr<Solver<T>>> begin(std::uint64_t max_iterations) {
    return system_.agree(device_.begin(
        {system_.b, system_.start, system_.inverse_diagonal, {options_.tolerance, max_iterations}, system_.parts()}));
  }

  struct Timed {
    std::unique_ptr<Solver<T>> solver;
    double seconds = 0;
  };

  Result<Timed> run_once(const PlacedMatrix& a) {
    Timed out;
    SPRESS_TRY(out.solver, begin(options_.max_iterations));
    const auto start = Clock::now();
    SPRESS_CHECK(system_.agree(out.solver->run(a, options_.threads, {})));
    out.seconds = system_.largest(std::chrono::duration<double>(out.solver->ended_at() - start).count());
    return out;
  }

  /// The run of median time, where one is over so soon that whatever else goes on would show in it.
  Result<Timed> run_steadily(const PlacedMatrix& a) {
    constexpr std::size_t runs = 5;
    constexpr std::uint64_t few_rows = 1 << 20;  // all runs keep their vectors
    constexpr double soon = 0.02;
    const bool may_repeat = !system_.part && csr_.rows <= few_rows;  // a part counts how long it waited in all products
    std::vector<Timed> timed;
    do {
      SPRESS_TRY(timed.emplace_back(), run_once(a));
    } while (may_repeat && timed.size() < runs && timed.front().seconds < soon);
    const auto middle = timed.begin() + static_cast<std::ptrdiff_t>(timed.size() / 2);
    std::nth_element(timed.begin(), middle, timed.end(),
                     [](const Timed& one, const Timed& other) { return one.seconds < other.seconds; });
    return std::move(*middle);
  }

  Status run_alone(SolveMeasure& row, const Spec& spec, std::optional<StoreKind> values) {
    SPRESS_TRY(const auto ready, ready_.make(spec, values));
    take_format(row, ready);
    SPRESS_TRY(const auto timed, run_steadily(*ready.placed));
    row.seconds = timed.seconds;
    row.transfer_seconds = system_.largest(ready.placed->transfer_seconds + timed.solver->transfer_seconds());
    if (system_.part && options_.device == DeviceKind::cpu)  // a GPU waits by itself
      row.waited_seconds = system_.part->ranks().gather(ready.placed->waited_seconds());
    row.total_seconds = row.encode_seconds + known_or_zero(row.transfer_seconds) + row.seconds;
    return take_solution(row, *timed.solver);
  }

  /// What the first format does alone, where the second cannot be had, is no figure of the pair.
  Status run_hidden(SolveMeasure& row, const Spec& first, const Spec& second) {
    SPRESS_TRY(const auto begin_with, ready_.make(first, StoreKind::raw));
    Result<ReadyMatrix> go_on_with = ReadyMatrix{};
    const auto encode = [&]() -> const PlacedMatrix* {
      go_on_with = ready_.make(second, options_.values);
      return go_on_with.ok() ? go_on_with->placed.get() : nullptr;
    };
    SPRESS_TRY(const auto solver, begin(options_.max_iterations));
    const SharedThreads threads = {options_.threads, device_.threads_beside(options_.threads)};
    SPRESS_TRY(const auto switched, run_switching<T>(*solver, *begin_with.placed, encode, threads));
    if (!go_on_with.ok()) return go_on_with.error();
    take_format(row, *go_on_with);
    row.encode_seconds = switched.prepare_seconds;
    row.switched_at = switched.at;
    row.seconds = switched.seconds;
    row.transfer_seconds = begin_with.placed->transfer_seconds + solver->transfer_seconds();
    row.total_seconds = begin_with.encode_seconds + known_or_zero(row.transfer_seconds) + row.seconds;
    SPRESS_CHECK(take_solution(row, *solver));
    row.spmv_seconds = reports::not_measured;  // the products were of both formats
    return Ok{};
  }

  void take_format(SolveMeasure& row, const ReadyMatrix& ready) const {
    row.values = enum_name(ready.values);
    row.total_bytes = ready.bytes;
    row.encode_seconds = ready.encode_seconds;
    row.kernel = ready.placed->kernel;
    if (options_.device_memory != 0) row.streamed_bytes = ready.placed->streamed_bytes;
  }

  Status take_solution(SolveMeasure& row, Solver<T>& solver) const {
    SPRESS_TRY(const auto x, system_.agree(solver.solution()));
    SPRESS_TRY(const ProductTimes products, system_.agree(solver.product_times()));
    row.stop = enum_name(solver.stop());
    row.converged = solver.stop() == CgStop::converged;
    row.iterations = solver.iterations();
    row.iterations_per_second = static_cast<double>(row.iterations) / row.seconds;
    const std::uint64_t rows = system_.part ? system_.part->all_rows() : csr_.rows;
    row.updates_per_second = static_cast<double>(rows) * row.iterations_per_second;
    row.product_share = std::min(1.0, system_.largest(products.total_seconds) / row.seconds);
    row.spmv_seconds = system_.largest(products.mean_seconds);
    row.residual = solver.residual();
    const auto checked = check_residual(csr_, system_.b, system_.seen_by_rows(x), system_.start_magnitude,
                                        row.iterations, system_.part.get());
    row.true_residual = checked.true_residual;
    row.rounding_bound = checked.rounding_bound;
    if (system_.problem != nullptr) row.l2_error = system_.problem->l2_error(rounded<double>(system_.whole(x)).data());
    return Ok{};
  }

  /// A row that failed has no figures.
  void finish(SolveMeasure& row, const Status& status) const {
    if (status.ok()) return;
    SolveMeasure empty;
    for (auto field : {&SolveMeasure::format, &SolveMeasure::parameters, &SolveMeasure::values, &SolveMeasure::type,
                       &SolveMeasure::preconditioner})
      empty.*field = row.*field;
    row = empty;
    end_row(row, status.error());
  }

  const System<T>& system_;
  const SolveOptions& options_;
  SolveDevice<T>& device_;
  Csr<Viewed> csr_;
  ReadyMatrices<T> ready_;
};

bool is_baseline(const Spec& spec, const SolveOptions& options) {
  return spec.text() == baseline_spec.text() && options.values == StoreKind::raw;
}

/// The rows of one type, the baseline first: use(row) gets each before it is measured.
template <class Use>
void for_each_row(ValueType type, const SolveOptions& options, const Use& use) {
  const auto raw = std::optional(StoreKind::raw);
  use(start_row(baseline_spec, raw, type, options), [&](auto& runs) { return runs.alone(baseline_spec, raw); });
  for (const Spec& spec : options.formats)
    if (!is_baseline(spec, options))
      use(start_row(spec, options.values, type, options), [&](auto& runs) { return runs.alone(spec, options.values); });
  if (options.hidden)
    use(start_row(*options.hidden, type, options), [&](auto& runs) { return runs.hidden(*options.hidden); });
}

/// Tells of rows as they come.
class Teller {
 public:
  explicit Teller(const SolveOptions& options) : options_(options) {
    for (ValueType type : options.types) for_each_row(type, options, [&](const auto&, const auto&) { ++total_; });
  }
  void begin(const SolveMeasure& row) {
    tell(spec_of(row) + " " + row.values + " " + row.type);
    ++done_;
  }
  void tell(const std::string& what) const {
    if (options_.on_progress) options_.on_progress({what, done_, total_});
  }

 private:
  const SolveOptions& options_;
  std::size_t done_ = 0, total_ = 0;
};

/// Judges rows, widening the yardstick by runs of CSR in other orders for as long as that may acquit one.
template <class T>
Status judge_all(std::vector<SolveMeasure>& rows, const System<T>& system, const SolveOptions& options,
                 SolveDevice<T>& device, const Teller& teller) {
  SolveYardstick yardstick(rows.front());
  const std::vector<SolveMeasure> measured = rows;
  const auto settled = [&] {
    rows = measured;
    for (SolveMeasure& row : rows) judge(row, yardstick, options.tolerance);
    return std::none_of(rows.begin(), rows.end(), may_be_acquitted);
  };
  if (settled()) return Ok{};
  for (std::uint64_t seed = 1; seed <= other_orders; ++seed) {
    teller.tell(fmt::format("csr in other orders: {} of at most {}", seed, other_orders));
    const auto other = shuffled(system, seed);
    if (other.part) SPRESS_CHECK(device.join(*other.part));
    yardstick.widen(Runs<T>(other, options, device).alone(baseline_spec, StoreKind::raw));
    if (settled()) break;
  }
  rows.front().least_iterations = yardstick.least_iterations;
  rows.front().most_iterations = yardstick.most_iterations;
  return Ok{};
}

/// Rows of one type, the baseline first.
template <class T>
Result<std::vector<SolveMeasure>> run_all(const System<T>& system, const SolveOptions& options, SolveDevice<T>& device,
                                          Teller& teller) {
  if (system.part) SPRESS_CHECK(device.join(*system.part));
  Runs<T> runs(system, options, device);
  runs.warm_up();
  std::vector<SolveMeasure> rows;
  for_each_row(value_type_of<T>, options, [&](const SolveMeasure& row, const auto& run) {
    teller.begin(row);
    rows.push_back(run(runs));
  });
  SPRESS_CHECK(judge_all(rows, system, options, device, teller));
  return rows;
}

/// The matrix that is solved with, or a part of it.
struct Given {
  Csr<Viewed> a;
  std::shared_ptr<const MatrixPart> part;
  const gallery::Problem* problem;
};

/// Adds the rows of type T. What double allows may be beyond float: that leaves rows without figures.
template <class T>
Status solve_type(const Given& given, const SolveOptions& options, Teller& teller, std::vector<SolveMeasure>& rows) {
  const auto system = make_system<T>(given.a, given.part, given.problem, options);
  if (system.ok()) {
    SPRESS_TRY(const auto device, solve_device<T>(options.device));
    SPRESS_TRY(auto made, run_all(*system, options, *device, teller));
    std::move(made.begin(), made.end(), std::back_inserter(rows));
    return Ok{};
  }
  if (std::is_same_v<T, double>) return system.error();
  for_each_row(value_type_of<T>, options, [&](SolveMeasure row, const auto&) {
    row.reason = "rounded to float: " + system.error().message;
    rows.push_back(std::move(row));
  });
  return Ok{};
}

Result<SolveOptions> completed(SolveOptions options) {
  if (options.formats.empty()) options.formats = all_formats();
  if (options.hidden) {  // both are measured alone too
    add_once(options.formats, options.hidden->first);
    add_once(options.formats, options.hidden->second);
  }
  for (const Spec& spec : options.formats) SPRESS_CHECK(check_format(spec));
  options.threads = thread_count(options.threads);
  if (options.hidden && options.threads < 2)
    return Error{ErrorCode::usage, "to encode one format while another iterates takes at least 2 threads"};
  return options;
}

/// Fills a record that knows its matrix.
Status solve_into(reports::SolveRecord& record, const Given& given, const SolveOptions& options) {
  SPRESS_CHECK(check_symmetric(given.a, given.part.get()));
  record.machine = options.machine;
  record.right_hand_side = given.problem != nullptr ? "problem" : "A*x";
  record.tolerance = options.tolerance;
  record.max_iterations = options.max_iterations;
  record.threads = options.threads;
  record.device = options.machine.device;
  Teller teller(options);
  for (ValueType type : options.types)
    SPRESS_CHECK(type == ValueType::f32 ? solve_type<float>(given, options, teller, record.formats)
                                        : solve_type<double>(given, options, teller, record.formats));
  for (const SolveMeasure& row : record.formats) record.ok = record.ok && row.ok.value_or(true) && !broke_down(row);
  return Ok{};
}

}  // namespace

Result<reports::SolveRecord> solve(const Matrix& matrix, const std::optional<gallery::Problem>& problem,
                                   const SolveOptions& given) {
  SPRESS_TRY(const auto options, completed(given));
  SPRESS_CHECK(check_device(options.device));
  const DefaultThreads default_threads(options.threads);
  reports::SolveRecord record;
  identify(record, matrix);
  SPRESS_CHECK(solve_into(record, {view_of(matrix.csr), nullptr, problem ? &*problem : nullptr}, options));
  return record;
}

Result<reports::SolveRecord> solve(const Ranks& ranks, RankRows rows, const std::optional<gallery::Problem>& problem,
                                   const SolveOptions& given) {
  SPRESS_TRY(const auto options, completed(given));
  SPRESS_CHECK(ranks.agree(check_device(options.device)));
  const DefaultThreads default_threads(options.threads);
  reports::SolveRecord record;
  identify(record, rows.matrix);
  record.rows = rows.rows.total();
  record.nnz = rows.nnz;
  const auto part = std::make_shared<MatrixPart>(part_of(ranks, rows));
  const Csr<Owned> csr = part->take_csr();
  rows.matrix.csr = {};
  record.parts = part->records(rows.bytes_read);
  std::optional<gallery::Problem> ordered = problem;
  if (ordered && !rows.order.empty())
    ordered = gallery::permuted(*std::move(ordered), {rows.order.begin(), rows.order.end()});
  SPRESS_CHECK(solve_into(record, {view_of(csr), part, ordered ? &*ordered : nullptr}, options));
  return record;
}

}  // namespace spress::pipeline
