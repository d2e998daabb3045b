#include "pipeline/solve.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <span>
#include <type_traits>

#include "encode/footprint.hpp"
#include "formats/gallery/random.hpp"
#include "kernels/cg.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "pipeline/definite.hpp"
#include "pipeline/rows.hpp"
#include "pipeline/side_by_side.hpp"
#include "pipeline/solve_judge.hpp"
#include "pipeline/switching.hpp"
#include "pipeline/timing.hpp"
#include "pipeline/version.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {
namespace {

using reports::SolveMeasure;

constexpr std::uint64_t other_orders = 32;  ///< of rows, at most, in which CSR is run where one does not decide

const Spec baseline_spec{"csr", {}};

/// A x = b in one value type.
template <class T>
struct System {
  Csr<Owned> csr;  ///< values raw
  std::vector<T> b, start;
  std::vector<T> inverse_diagonal;  ///< empty: no preconditioner
  const gallery::Problem* problem = nullptr;

  [[nodiscard]] const T* preconditioner() const { return inverse_diagonal.empty() ? nullptr : inverse_diagonal.data(); }
};

template <class T, class From>
std::vector<T> rounded(const std::vector<From>& values) {
  std::vector<T> out(values.size());
  std::transform(values.begin(), values.end(), out.begin(), [](From value) { return static_cast<T>(value); });
  return out;
}

template <class T>
Result<System<T>> make_system(const Csr<Viewed>& a, const gallery::Problem* problem, const SolveOptions& options) {
  System<T> system;
  SPRESS_TRY(system.csr, with_value_type(a, value_type_of<T>));
  const auto csr = view_of(system.csr);
  SPRESS_CHECK(check_finite<T>(csr));
  system.problem = problem;
  if (problem != nullptr) {
    system.b = rounded<T>(problem->rhs);
    system.start = rounded<T>(problem->start);
  } else {
    system.b = rounded<T>(reference_product<T>(csr, test_vector<T>(a.cols).data()).y);
    system.start.assign(a.cols, T(0));
  }
  if (options.preconditioner == Preconditioner::jacobi) {
    SPRESS_TRY(system.inverse_diagonal, inverse_diagonal<T>(csr));
  }
  return system;
}

/// ||b - A x|| / ||b|| in extended precision; 0 where b and the residual are 0.
template <class T>
double true_residual(const System<T>& system, const std::vector<T>& x) {
  const auto product = reference_product<T>(view_of(system.csr), x.data());
  long double rr = 0, bb = 0;
  for (std::size_t i = 0; i < system.b.size(); ++i) {
    const long double b = system.b[i], r = b - product.y[i];
    rr += r * r;
    bb += b * b;
  }
  return static_cast<double>(rr == 0 ? 0 : std::sqrt(rr) / std::sqrt(bb));
}

/// A matrix ready to multiply.
struct Prepared {
  AnyFormat format;
  StoreKind values = StoreKind::raw;
  double seconds = 0;  ///< taken to encode it, its values too
};

Result<StoreKind> smallest_store_of(const Csr<Viewed>& a, const Spec& spec) {
  SPRESS_TRY(const auto sizes, footprints(a, {spec}, analyze::value_statistics(a.values, omp_get_max_threads())));
  return smallest_store(sizes[0].store_bytes);
}

Result<AnyFormat> encode_with(const Csr<Viewed>& a, const Spec& spec, StoreKind kind) {
  if (kind == StoreKind::raw) return encode_any(a, spec);
  SPRESS_TRY(const auto stored, with_values(a, kind));
  return encode_any(view_of(stored), spec);
}

/// values: none for the smallest. Errors: as encode_any; too_large where memory runs out.
Result<Prepared> prepare(const Csr<Viewed>& a, const Spec& spec, std::optional<StoreKind> values) {
  try {
    const auto start = Clock::now();
    Prepared out;
    if (!values) {
      SPRESS_TRY(values, smallest_store_of(a, spec));
    }
    out.values = *values;
    SPRESS_TRY(out.format, encode_with(a, spec, out.values));
    out.seconds = seconds_since(start);
    return out;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::too_large, "there is not enough memory for this format", {}, 0};
  }
}

/// The product with `a`, the time it takes added to `seconds`.
template <class T>
ThreadedProduct<T> timed_product(const AnyFormat& a, double& seconds) {
  return [&a, &seconds](const T* x, T* y, int threads) {
    const auto start = Clock::now();
    with_any(a, [&](const auto& f) { cpu::spmv<T>(view_of(f), x, y, threads); });
    seconds += seconds_since(start);
  };
}

std::uint64_t bytes_of(const AnyFormat& a) {
  std::uint64_t bytes = 0;
  with_any(a, [&](const auto& f) { bytes = byte_totals(f).total(); });
  return bytes;
}

/// All runs in one value type.
template <class T>
class Runs {
 public:
  Runs(const System<T>& system, const SolveOptions& options)
      : system_(system), options_(options), csr_(view_of(system.csr)) {}

  /// One iteration, so that what a first one costs (threads, pages) is paid before the baseline.
  void warm_up() {
    const auto prepared = prepare(csr_, baseline_spec, StoreKind::raw);
    if (!prepared.ok()) return;
    double seconds = 0;
    auto x = system_.start;
    auto solver = make_solver(x, 1);
    solver.run(on_all_threads(timed_product<T>(prepared->format, seconds)), options_.threads);
  }

  SolveMeasure alone(const Spec& spec, std::optional<StoreKind> values) {
    SolveMeasure row = start_row(spec.name, spec.parameters(), values);
    const auto prepared = prepare(csr_, spec, values);
    if (!prepared.ok()) {
      end_row(row, prepared.error());
      return row;
    }
    take_format(row, *prepared);
    double product_seconds = 0;
    auto x = system_.start;
    auto solver = make_solver(x, options_.max_iterations);
    const auto begin = Clock::now();
    solver.run(on_all_threads(timed_product<T>(prepared->format, product_seconds)), options_.threads);
    row.seconds = seconds_since(begin);
    row.total_seconds = row.encode_seconds + row.seconds;
    take_solution(row, solver, x, product_seconds);
    return row;
  }

  /// Begins with `first` while `second` is encoded.
  SolveMeasure hidden(const Spec& first, const Spec& second) {
    SolveMeasure row = start_row(first.name + ">" + second.name, pair_of_parameters(first, second), options_.values);
    const auto begin_with = prepare(csr_, first, StoreKind::raw);
    if (!begin_with.ok()) {
      end_row(row, begin_with.error());
      return row;
    }
    Result<Prepared> go_on_with = Prepared{};
    double product_seconds = 0;
    const auto encode = [&]() -> ThreadedProduct<T> {
      go_on_with = prepare(csr_, second, options_.values);
      return go_on_with.ok() ? timed_product<T>(go_on_with->format, product_seconds) : ThreadedProduct<T>();
    };
    auto x = system_.start;
    auto solver = make_solver(x, options_.max_iterations);
    const auto switched =
        run_switching<T>(solver, timed_product<T>(begin_with->format, product_seconds), encode, options_.threads);
    if (!go_on_with.ok()) {  // what the first format did alone is no figure of the pair
      end_row(row, go_on_with.error());
      return row;
    }
    take_format(row, *go_on_with);
    row.encode_seconds = switched.prepare_seconds;
    row.switched_at = switched.at;
    row.seconds = switched.seconds;
    row.total_seconds = begin_with->seconds + row.seconds;
    take_solution(row, solver, x, product_seconds);
    return row;
  }

 private:
  SolveMeasure start_row(std::string format, std::string parameters, std::optional<StoreKind> values) const {
    SolveMeasure row;
    row.format = std::move(format);
    row.parameters = std::move(parameters);
    row.values = values ? enum_name(*values) : "auto";
    row.type = std::is_same_v<T, float> ? "float" : "double";
    row.preconditioner = enum_name(options_.preconditioner);
    return row;
  }
  static std::string pair_of_parameters(const Spec& first, const Spec& second) {
    const bool none = first.options.empty() && second.options.empty();
    return none ? "" : first.parameters() + ">" + second.parameters();
  }
  static void take_format(SolveMeasure& row, const Prepared& prepared) {
    row.values = enum_name(prepared.values);
    row.total_bytes = bytes_of(prepared.format);
    row.encode_seconds = prepared.seconds;
  }
  ConjugateGradient<T> make_solver(std::vector<T>& x, std::uint64_t max_iterations) const {
    return {
        system_.b.size(), system_.b.data(), system_.preconditioner(), x.data(), {options_.tolerance, max_iterations}};
  }
  Product<T> on_all_threads(ThreadedProduct<T> product) const {
    return [product = std::move(product), threads = options_.threads](const T* x, T* y) { product(x, y, threads); };
  }
  void take_solution(SolveMeasure& row, const ConjugateGradient<T>& solver, const std::vector<T>& x,
                     double product_seconds) const {
    row.stop = enum_name(solver.stop());
    row.converged = solver.stop() == CgStop::converged;
    row.iterations = solver.iterations();
    row.iterations_per_second = static_cast<double>(row.iterations) / row.seconds;
    row.updates_per_second = static_cast<double>(csr_.rows) * row.iterations_per_second;
    row.product_share = product_seconds / row.seconds;
    row.residual = solver.residual();
    row.true_residual = true_residual(system_, x);
    if (system_.problem != nullptr) row.l2_error = system_.problem->l2_error(rounded<double>(x).data());
  }

  const System<T>& system_;
  const SolveOptions& options_;
  Csr<Viewed> csr_;
};

bool is_baseline(const Spec& spec, const SolveOptions& options) {
  return spec.name == baseline_spec.name && options.values == StoreKind::raw;
}

/// The same system with its rows and columns in a random order.
template <class T>
System<T> shuffled(const System<T>& system, std::uint64_t seed) {
  const auto old = gallery::random_permutation(system.csr.rows, gallery::Random(seed, gallery::Stream::choice));
  const reorder::Permutation perm{std::span<const std::uint32_t>(old)};
  const auto in_order = [&](const std::vector<T>& values) {
    std::vector<T> out(values.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[old[i]];
    return out;
  };
  return {reorder::permute(view_of(system.csr), perm, perm), in_order(system.b), in_order(system.start),
          in_order(system.inverse_diagonal), nullptr};
}

/// Judges rows, widening the yardstick by runs of CSR in other orders for as long as that may acquit one.
template <class T>
void judge_all(std::vector<SolveMeasure>& rows, const System<T>& system, const SolveOptions& options) {
  SolveYardstick yardstick(rows.front());
  const std::vector<SolveMeasure> measured = rows;
  const auto acquitted = [&] {
    rows = measured;
    for (SolveMeasure& row : rows) judge(row, yardstick, options.tolerance);
    return std::all_of(rows.begin(), rows.end(), [](const SolveMeasure& row) { return row.ok.value_or(true); });
  };
  if (acquitted()) return;
  for (std::uint64_t seed = 1; seed <= other_orders; ++seed) {
    const auto other = shuffled(system, seed);
    yardstick.widen(Runs<T>(other, options).alone(baseline_spec, StoreKind::raw));
    if (acquitted()) break;
  }
  rows.front().least_iterations = yardstick.least_iterations;
  rows.front().most_iterations = yardstick.most_iterations;
}

/// Rows of one type, the baseline first.
template <class T>
std::vector<SolveMeasure> run_all(const System<T>& system, const SolveOptions& options) {
  Runs<T> runs(system, options);
  runs.warm_up();
  std::vector<SolveMeasure> rows = {runs.alone(baseline_spec, StoreKind::raw)};
  for (const Spec& spec : options.formats)
    if (!is_baseline(spec, options)) rows.push_back(runs.alone(spec, options.values));
  if (options.hidden) rows.push_back(runs.hidden(options.hidden->first, options.hidden->second));
  judge_all(rows, system, options);
  return rows;
}

/// Adds the rows of type T. What double allows may be beyond float: that leaves rows without figures.
template <class T>
Status solve_type(const Csr<Viewed>& a, const gallery::Problem* problem, const SolveOptions& options,
                  std::vector<SolveMeasure>& rows) {
  const auto system = make_system<T>(a, problem, options);
  if (system.ok()) {
    for (SolveMeasure& row : run_all(*system, options)) rows.push_back(std::move(row));
    return Ok{};
  }
  if (std::is_same_v<T, double>) return system.error();
  SolveMeasure row;
  row.format = baseline_spec.name;
  row.values = enum_name(StoreKind::raw);
  row.type = "float";
  row.preconditioner = enum_name(options.preconditioner);
  row.reason = "rounded to float: " + system.error().message;
  rows.push_back(std::move(row));
  return Ok{};
}

/// Formats of a pair are to be measured alone too.
void add_once(std::vector<Spec>& formats, const Spec& spec) {
  const auto same = [&](const Spec& other) { return other.text() == spec.text(); };
  if (std::none_of(formats.begin(), formats.end(), same)) formats.push_back(spec);
}

Result<SolveOptions> completed(SolveOptions options) {
  if (options.formats.empty()) options.formats = all_formats();
  if (options.hidden) {
    add_once(options.formats, options.hidden->first);
    add_once(options.formats, options.hidden->second);
  }
  for (const Spec& spec : options.formats) SPRESS_CHECK(check_format(spec));
  if (options.threads == 0) options.threads = omp_get_max_threads();
  if (options.hidden && options.threads < 2)
    return Error{ErrorCode::usage, "to encode one format while another iterates takes at least 2 threads", {}, 0};
  return options;
}

}  // namespace

Result<reports::SolveRecord> solve(const Matrix& matrix, const std::optional<gallery::Problem>& problem,
                                   const SolveOptions& given) {
  SPRESS_TRY(const auto options, completed(given));
  const DefaultThreads default_threads(options.threads);
  const auto a = view_of(matrix.csr);
  SPRESS_CHECK(check_symmetric(a));

  reports::SolveRecord record;
  record.tool = tool_record();
  record.name = matrix.info.name;
  record.path = matrix.info.path;
  record.machine = options.machine;
  record.rows = a.rows;
  record.cols = a.cols;
  record.nnz = a.nnz;
  record.right_hand_side = problem ? "problem" : "A*x";
  record.tolerance = options.tolerance;
  record.max_iterations = options.max_iterations;
  record.threads = options.threads;
  const auto* known = problem ? &*problem : nullptr;
  for (ValueType type : options.types)
    SPRESS_CHECK(type == ValueType::f32 ? solve_type<float>(a, known, options, record.formats)
                                        : solve_type<double>(a, known, options, record.formats));
  for (const SolveMeasure& row : record.formats) record.ok = record.ok && row.ok.value_or(true) && !broke_down(row);
  return record;
}

}  // namespace spress::pipeline
