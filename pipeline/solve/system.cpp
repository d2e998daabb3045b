#include "pipeline/solve/system.hpp"

#include <algorithm>
#include <span>

#include "encode/shared/any.hpp"
#include "formats/gallery/random.hpp"
#include "kernels/reference.hpp"
#include "pipeline/solve/definite.hpp"
#include "pipeline/solve/residual.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {
namespace {

/// Elements of a whole vector of the problem, rounded: all, or those that a part sees.
template <class T>
std::vector<T> seen(const std::vector<double>& whole, const MatrixPart* part) {
  std::vector<T> out(whole.size());
  std::transform(whole.begin(), whole.end(), out.begin(), [](double value) { return static_cast<T>(value); });
  return part == nullptr ? out : part->with_ghosts_of(std::span<const T>(out));
}

template <class T>
std::vector<T> test_vector_seen(const Csr<Viewed>& a, const MatrixPart* part) {
  if (part == nullptr) return test_vector<T>(a.cols);
  return part->with_ghosts_of(std::span<const T>(test_vector<T>(part->all_columns())));
}

}  // namespace

template <class T>
std::vector<T> System<T>::whole(const std::vector<T>& x) const {
  if (!part) return x;
  std::vector<T> out;
  for (const auto& of_rank : part->ranks().exchange(std::vector(static_cast<std::size_t>(part->ranks().size()), x)))
    out.insert(out.end(), of_rank.begin(), of_rank.end());
  return out;
}

template <class T>
double System<T>::largest(double mine) const {
  return part ? part->ranks().largest(mine) : mine;
}

template <class T>
CgParts System<T>::parts() const {
  if (!part) return {};
  const Ranks& ranks = part->ranks();
  return {[&ranks](std::span<double> values) { ranks.add_up(values); },
          [&ranks](double value) { return ranks.largest(value); }};
}

template <class T>
Result<System<T>> make_system(const Csr<Viewed>& a, const std::shared_ptr<const MatrixPart>& part,
                              const gallery::Problem* problem, const SolveOptions& options) {
  const MatrixPart* const own = part.get();
  System<T> system;
  system.part = part;
  if (part) system.exchange = std::make_shared<GhostExchange<T>>(*part);
  SPRESS_TRY(system.csr, system.agree(with_value_type(a, value_type_of<T>)));
  const auto csr = view_of(system.csr);
  SPRESS_CHECK(check_finite<T>(csr, own));
  system.problem = problem;
  if (problem != nullptr) {
    system.b = seen<T>(problem->rhs, own);
    system.start = seen<T>(problem->start, own);
    system.start_magnitude = magnitude_of_start(csr, system.start);
    system.b.resize(csr.rows);
    system.start.resize(csr.rows);
  } else {
    const auto y = reference_product<T>(csr, test_vector_seen<T>(csr, own).data()).y;
    system.b.resize(csr.rows);
    std::transform(y.begin(), y.end(), system.b.begin(), [](long double value) { return static_cast<T>(value); });
    system.start.assign(csr.rows, T(0));
  }
  if (options.preconditioner == Preconditioner::jacobi) {
    SPRESS_TRY(system.inverse_diagonal, inverse_diagonal<T>(csr, own));
  }
  return system;
}

template <class T>
System<T> shuffled(const System<T>& system, std::uint64_t seed) {
  const auto old = gallery::random_permutation(system.csr.rows, gallery::Random(seed, gallery::Stream::choice));
  const reorder::Permutation perm{std::span<const std::uint32_t>(old)};
  const auto in_order = [&]<class Value>(const std::vector<Value>& values) {
    std::vector<Value> out(values.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[old[i]];
    return out;
  };
  System<T> out;
  reorder::Permutation columns = perm;
  if (system.part) {
    out.part = std::make_shared<const MatrixPart>(system.part->reordered(old));
    out.exchange = std::make_shared<GhostExchange<T>>(*out.part);
    columns = out.part->column_order(old);
  }
  out.csr = reorder::permute(view_of(system.csr), perm, columns);
  out.b = in_order(system.b);
  out.start = in_order(system.start);
  out.inverse_diagonal = in_order(system.inverse_diagonal);
  out.start_magnitude = in_order(system.start_magnitude);
  return out;
}

template struct System<float>;
template struct System<double>;
template Result<System<float>> make_system(const Csr<Viewed>&, const std::shared_ptr<const MatrixPart>&,
                                           const gallery::Problem*, const SolveOptions&);
template Result<System<double>> make_system(const Csr<Viewed>&, const std::shared_ptr<const MatrixPart>&,
                                            const gallery::Problem*, const SolveOptions&);
template System<float> shuffled(const System<float>&, std::uint64_t);
template System<double> shuffled(const System<double>&, std::uint64_t);

}  // namespace spress::pipeline
