#include "kernels/cg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "formats/core/threads.hpp"

namespace spress {
namespace {

/// Elements summed by one thread: the block of each vector of a pass fits the first-level cache together.
constexpr std::uint64_t block_size = 1024;

std::uint64_t block_count(std::uint64_t n) { return (n + block_size - 1) / block_size; }

/// Calls work(block, first, last) for all blocks of 0..n-1. A few are done by one thread, since to wake others takes
/// longer.
template <class Work>
void for_each_block(std::uint64_t n, int threads, const Work& work) {
  constexpr std::uint64_t enough_for_two = 3;
  const std::uint64_t blocks = block_count(n);
  parallel_for(blocks, threads_worth(threads, blocks, enough_for_two),
               [&](std::uint64_t block) { work(block, block * block_size, std::min(n, (block + 1) * block_size)); });
}

/// The sum of term(i) over first..last-1, in eight sums side by side, two in a vector. GCC by itself puts terms
/// together that are eight apart, which takes twice as long.
template <class Term>
double lane_sum(std::uint64_t first, std::uint64_t last, const Term& term) {
  using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;
  constexpr std::uint64_t lanes = 8;
  Pair sum[lanes / 2] = {};
  std::uint64_t i = first;
  for (; i + lanes <= last; i += lanes)
    for (std::uint64_t k = 0; k < lanes / 2; ++k) sum[k] += Pair{term(i + 2 * k), term(i + 2 * k + 1)};
  for (std::uint64_t k = 0; i < last; ++i, ++k) sum[k / 2][k % 2] += term(i);
  const Pair folded = (sum[0] + sum[2]) + (sum[1] + sum[3]);  // lanes 0, 4, 2, 6 and 1, 5, 3, 7
  return folded[0] + folded[1];
}

/// The sum of part(k) over first..last-1, halves added to halves: the error grows with the logarithm of their number.
template <class Part>
double pairwise_sum(std::uint64_t first, std::uint64_t last, const Part& part) {
  if (last - first <= 8) {
    double sum = 0;
    for (std::uint64_t k = first; k < last; ++k) sum += part(k);
    return sum;
  }
  const std::uint64_t middle = first + (last - first) / 2;
  return pairwise_sum(first, middle, part) + pairwise_sum(middle, last, part);
}

template <class T>
constexpr double as_double(T value) {
  return static_cast<double>(value);
}

}  // namespace

template <class T>
ConjugateGradient<T>::ConjugateGradient(std::uint64_t n, const T* b, const T* inverse_diagonal, T* x,
                                        const CgOptions& options, CgParts parts)
    : n_(n),
      b_(b),
      inverse_diagonal_(inverse_diagonal),
      x_(x),
      rules_{options},
      parts_(std::move(parts)),
      r_(n),
      p_(n),
      q_(n),
      partial_(block_count(n)) {}

template <class T>
T ConjugateGradient<T>::preconditioned(std::uint64_t i) const {
  return inverse_diagonal_ == nullptr ? r_[i] : inverse_diagonal_[i] * r_[i];
}

template <class T>
double ConjugateGradient<T>::over_parts(double sum) const {
  if (parts_.add_up) parts_.add_up(std::span(&sum, 1));
  return sum;
}

template <class T>
void ConjugateGradient<T>::take_sums() {
  const std::uint64_t blocks = partial_.size();
  sums_.rr = pairwise_sum(0, blocks, [this](std::uint64_t k) { return partial_[k].rr; });
  sums_.rz = inverse_diagonal_ == nullptr ? sums_.rr
                                          : pairwise_sum(0, blocks, [this](std::uint64_t k) { return partial_[k].rz; });
  if (!parts_.add_up) return;
  std::array<double, 2> both = {sums_.rr, sums_.rz};
  parts_.add_up(both);
  sums_ = {both[0], both[1]};
}

template <class T>
double ConjugateGradient<T>::dot(const T* a, const T* b, int threads) {
  const double scale = rules_.scale;
  for_each_block(n_, threads, [&](std::uint64_t block, std::uint64_t first, std::uint64_t last) {
    partial_[block].rr =
        lane_sum(first, last, [=](std::uint64_t i) { return (scale * as_double(a[i])) * (scale * as_double(b[i])); });
  });
  return over_parts(pairwise_sum(0, partial_.size(), [this](std::uint64_t k) { return partial_[k].rr; }));
}

template <class T>
bool ConjugateGradient<T>::product_is_zero() const {
  const bool here = std::all_of(q_.data(), q_.data() + n_, [](T value) { return value == T(0); });
  return over_parts(here ? 0 : 1) == 0;
}

/// NaNs are passed over.
template <class T>
double ConjugateGradient<T>::largest_of_b(int threads) {
  for_each_block(n_, threads, [this](std::uint64_t block, std::uint64_t first, std::uint64_t last) {
    double largest = 0;
    for (std::uint64_t i = first; i < last; ++i) largest = std::max(largest, std::fabs(as_double(b_[i])));
    partial_[block].rr = largest;
  });
  double largest = 0;
  for (const Sums& block : partial_) largest = std::max(largest, block.rr);
  return parts_.largest ? parts_.largest(largest) : largest;
}

/// r -= step * q, and the sums over the new r.
template <class T>
void ConjugateGradient<T>::reduce_residual(T step, int threads) {
  T* r = r_.data();
  const T* q = q_.data();
  const T* inverse = inverse_diagonal_;
  const double scale = rules_.scale;
  for_each_block(n_, threads, [=, this](std::uint64_t block, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) r[i] -= step * q[i];
    partial_[block].rr = lane_sum(first, last, [=](std::uint64_t i) {
      const double scaled = scale * as_double(r[i]);
      return scaled * scaled;
    });
    if (inverse == nullptr) return;
    partial_[block].rz = lane_sum(first, last, [=](std::uint64_t i) {
      return (scale * as_double(r[i])) * (scale * as_double(inverse[i] * r[i]));
    });
  });
  take_sums();
}

/// x += step * p; p = M^-1 r + turn * p.
template <class T>
void ConjugateGradient<T>::advance(T step, T turn, int threads) {
  T* x = x_;
  T* p = p_.data();
  for_each_block(n_, threads, [=, this](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      x[i] += step * p[i];
      p[i] = preconditioned(i) + turn * p[i];
    }
  });
}

/// r = b - A x; p = M^-1 r.
template <class T>
CgStop ConjugateGradient<T>::start(const Product<T>& product, int threads) {
  started_ = true;
  rules_.scale = cg_scale_for(largest_of_b(threads));
  rules_.norm_b = std::sqrt(dot(b_, b_, threads));
  if (rules_.norm_b == 0) {
    std::fill_n(x_, n_, T(0));
    return CgStop::converged;
  }
  product(x_, q_.data());
  const auto begin_with_b = [this](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    std::copy(b_ + first, b_ + last, r_.data() + first);
    std::fill(p_.data() + first, p_.data() + last, T(0));
  };
  for_each_block(n_, threads, begin_with_b);
  reduce_residual(T(1), threads);
  advance(T(0), T(0), threads);
  return judge_residual();
}

template <class T>
CgStop ConjugateGradient<T>::iterate(const Product<T>& product, int threads) {
  product(p_.data(), q_.data());
  curvature_ = dot(p_.data(), q_.data(), threads);
  const CgStop stop = rules_.of_curvature(curvature_, sums_.rr, [this] { return product_is_zero(); });
  if (stop != CgStop::running) return stop;
  const T step = static_cast<T>(sums_.rz / curvature_);
  if (!std::isfinite(step)) return CgStop::not_finite;
  const double before = sums_.rz;
  reduce_residual(step, threads);
  if (!std::isfinite(sums_.rr) || !std::isfinite(sums_.rz)) return CgStop::not_finite;  // x stays the last good one
  advance(step, static_cast<T>(sums_.rz / before), threads);
  ++iterations_;
  return judge_residual();
}

template <class T>
CgStop ConjugateGradient<T>::run(const Product<T>& product, int threads, const std::function<bool()>& pause) {
  if (!started_) stop_ = start(product, threads);
  while (stop_ == CgStop::running && !(pause && pause())) stop_ = iterate(product, threads);
  return stop_;
}

template <class T>
double ConjugateGradient<T>::residual() const {
  return rules_.norm_b == 0 ? 0 : std::sqrt(sums_.rr) / rules_.norm_b;
}

template class ConjugateGradient<float>;
template class ConjugateGradient<double>;

}  // namespace spress
