#include "kernels/cg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/parallel.hpp"

namespace spress {
namespace {

/// Elements summed by one thread: the block of each vector of a pass fits the first-level cache together.
constexpr std::uint64_t block_size = 1024;

std::uint64_t block_count(std::uint64_t n) { return (n + block_size - 1) / block_size; }

/// Calls work(block, first, last) for all blocks of 0..n-1.
template <class Work>
void for_each_block(std::uint64_t n, int threads, const Work& work) {
  const std::uint64_t blocks = block_count(n);
#pragma omp parallel for schedule(static) num_threads(threads_worth(threads, n))
  for (std::uint64_t block = 0; block < blocks; ++block)
    work(block, block * block_size, std::min(n, (block + 1) * block_size));
}

/// The sum of term(i) over first..last-1, in eight sums side by side, which the compiler may keep in vector registers
/// of any width without a change in the result.
template <class Term>
double lane_sum(std::uint64_t first, std::uint64_t last, const Term& term) {
  constexpr std::uint64_t lanes = 8;
  std::array<double, lanes> sum = {};
  std::uint64_t i = first;
  for (; i + lanes <= last; i += lanes)
    for (std::uint64_t k = 0; k < lanes; ++k) sum[k] += term(i + k);
  for (std::uint64_t k = 0; i < last; ++i, ++k) sum[k] += term(i);
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
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

constexpr double least_square = 1e-276;  ///< of an r whose squares still have all their digits
constexpr double noise_square = 1e-60;   ///< of an r with no meaning left beside a b of 1

bool underflows(double value) { return std::fabs(value) < std::numeric_limits<double>::min(); }

template <class T>
constexpr double as_double(T value) {
  return static_cast<double>(value);
}

}  // namespace

template <class T>
ConjugateGradient<T>::ConjugateGradient(std::uint64_t n, const T* b, const T* inverse_diagonal, T* x,
                                        const CgOptions& options)
    : n_(n),
      b_(b),
      inverse_diagonal_(inverse_diagonal),
      x_(x),
      options_(options),
      r_(n),
      p_(n),
      q_(n),
      partial_(block_count(n)) {}

template <class T>
T ConjugateGradient<T>::preconditioned(std::uint64_t i) const {
  return inverse_diagonal_ == nullptr ? r_[i] : inverse_diagonal_[i] * r_[i];
}

template <class T>
void ConjugateGradient<T>::take_sums() {
  const std::uint64_t blocks = partial_.size();
  sums_.rr = pairwise_sum(0, blocks, [this](std::uint64_t k) { return partial_[k].rr; });
  sums_.rz = inverse_diagonal_ == nullptr ? sums_.rr
                                          : pairwise_sum(0, blocks, [this](std::uint64_t k) { return partial_[k].rz; });
}

template <class T>
double ConjugateGradient<T>::dot(const T* a, const T* b, int threads) {
  const double scale = scale_;
  for_each_block(n_, threads, [&](std::uint64_t block, std::uint64_t first, std::uint64_t last) {
    partial_[block].rr =
        lane_sum(first, last, [=](std::uint64_t i) { return (scale * as_double(a[i])) * (scale * as_double(b[i])); });
  });
  return pairwise_sum(0, partial_.size(), [this](std::uint64_t k) { return partial_[k].rr; });
}

/// A power of two that brings the largest element of b near 1; 1 where b is 0 or not finite.
template <class T>
double ConjugateGradient<T>::scale_for_b(int threads) {
  for_each_block(n_, threads, [this](std::uint64_t block, std::uint64_t first, std::uint64_t last) {
    double largest = 0;
    for (std::uint64_t i = first; i < last; ++i) largest = std::max(largest, std::fabs(as_double(b_[i])));
    partial_[block].rr = largest;
  });
  double largest = 0;
  for (const Sums& block : partial_) largest = std::max(largest, block.rr);
  if (largest == 0 || !std::isfinite(largest)) return 1;
  return std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
}

/// r -= step * q, and the sums over the new r.
template <class T>
void ConjugateGradient<T>::reduce_residual(T step, int threads) {
  T* r = r_.data();
  const T* q = q_.data();
  const T* inverse = inverse_diagonal_;
  const double scale = scale_;
  for_each_block(n_, threads, [=, this](std::uint64_t block, std::uint64_t first, std::uint64_t last) {
    partial_[block].rr = lane_sum(first, last, [=](std::uint64_t i) {
      r[i] -= step * q[i];
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
  scale_ = scale_for_b(threads);
  norm_b_ = std::sqrt(dot(b_, b_, threads));
  if (norm_b_ == 0) {
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
CgStop ConjugateGradient<T>::judge_residual() const {
  if (!std::isfinite(norm_b_) || !std::isfinite(sums_.rr) || !std::isfinite(sums_.rz)) return CgStop::not_finite;
  if (std::sqrt(sums_.rr) <= options_.tolerance * norm_b_) return CgStop::converged;
  if (sunk()) return CgStop::exhausted;
  if (iterations_ >= options_.max_iterations) return CgStop::max_iterations;
  if (underflows(sums_.rz)) return judge_underflow();
  return sums_.rz > 0 ? CgStop::running : CgStop::not_positive_definite;
}

/// r is so small that its squares, or its elements, underflow: signs of sums say nothing more about the matrix.
template <class T>
bool ConjugateGradient<T>::sunk() const {
  using Limits = std::numeric_limits<T>;
  constexpr double least = as_double(Limits::min()) / as_double(Limits::epsilon());
  const double norm = std::sqrt(sums_.rr);
  return sums_.rr < least_square || (norm < as_double(Limits::epsilon()) * norm_b_ && norm / scale_ < least);
}

/// Of a sum that is positive in exact arithmetic, but too small for double.
template <class T>
CgStop ConjugateGradient<T>::judge_underflow() const {
  return sums_.rr < noise_square ? CgStop::exhausted : CgStop::not_finite;
}

template <class T>
CgStop ConjugateGradient<T>::iterate(const Product<T>& product, int threads) {
  product(p_.data(), q_.data());
  curvature_ = dot(p_.data(), q_.data(), threads);
  if (!std::isfinite(curvature_)) return CgStop::not_finite;
  const auto nonzero = [](T value) { return value != T(0); };
  const bool small_system = scale_ > 0x1p400;  // then A p itself may have sunk to 0
  if (underflows(curvature_) && (small_system || std::any_of(q_.data(), q_.data() + n_, nonzero)))
    return judge_underflow();
  if (curvature_ <= 0) return CgStop::not_positive_definite;
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
  return norm_b_ == 0 ? 0 : std::sqrt(sums_.rr) / norm_b_;
}

template class ConjugateGradient<float>;
template class ConjugateGradient<double>;

}  // namespace spress
