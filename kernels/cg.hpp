// Conjugate gradient, plain or with the Jacobi preconditioner, over any product y = A x.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "formats/core/array.hpp"
#include "kernels/cg_parts.hpp"
#include "kernels/cg_rules.hpp"

namespace spress {

/// y = A x for the matrix of the system.
template <class T>
using Product = std::function<void(const T* x, T* y)>;

/// One solution of A x = b. Vectors are T (float or double); inner products are summed in double, in blocks of fixed
/// size added pairwise, so that the result does not depend on the number of threads unless the product's does. An
/// iteration is one product and three passes over vectors, and allocates nothing. Inner products are taken of vectors
/// times a power of two that brings b near 1, so that squares of small or large systems stay in range.
/// Source: Hestenes and Stiefel 1952; x is updated together with the next direction, which saves reading that twice.
template <class T>
class ConjugateGradient {
 public:
  /// b: n; inverse_diagonal: n, the Jacobi preconditioner, or null for none. x: n, the start on entry, the solution
  /// later (0 where b is). All three must outlive the solver. parts: where others have the other elements of the
  /// system. Throws std::bad_alloc.
  ConjugateGradient(std::uint64_t n, const T* b, const T* inverse_diagonal, T* x, const CgOptions& options,
                    CgParts parts = {});

  /// Iterates until there is a reason to stop, or until pause() holds between two iterations; then it may be called
  /// again, with another product for the same matrix. threads: of the vector operations, 0 for OpenMP's default.
  CgStop run(const Product<T>& product, int threads = 0, const std::function<bool()>& pause = {});

  [[nodiscard]] CgStop stop() const { return stop_; }
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  /// ||r|| / ||b|| by the recurrence; 0 where b is 0.
  [[nodiscard]] double residual() const;
  /// The last p^T A p: what was not positive where that is why it stopped.
  [[nodiscard]] double curvature() const { return curvature_ / rules_.scale / rules_.scale; }

 private:
  CgStop start(const Product<T>& product, int threads);
  CgStop iterate(const Product<T>& product, int threads);
  [[nodiscard]] CgStop judge_residual() const { return rules_.of_residual(sums_.rr, sums_.rz, iterations_); }
  [[nodiscard]] double largest_of_b(int threads);
  [[nodiscard]] double dot(const T* a, const T* b, int threads);
  [[nodiscard]] bool product_is_zero() const;
  [[nodiscard]] double over_parts(double sum) const;
  void reduce_residual(T step, int threads);
  void advance(T step, T turn, int threads);
  void take_sums();
  [[nodiscard]] T preconditioned(std::uint64_t i) const;

  std::uint64_t n_;
  const T* b_;
  const T* inverse_diagonal_;
  T* x_;
  CgRules<T> rules_;
  CgParts parts_;
  HostArray<T> r_, p_, q_;  ///< residual, direction, A p
  struct Sums {
    double rr = 0, rz = 0;  ///< r^T r, r^T M^-1 r, both times scale^2
  };
  std::vector<Sums> partial_;  ///< one for each block
  Sums sums_;
  double curvature_ = 0;  ///< times scale^2
  std::uint64_t iterations_ = 0;
  bool started_ = false;
  CgStop stop_ = CgStop::running;
};

extern template class ConjugateGradient<float>;
extern template class ConjugateGradient<double>;

}  // namespace spress
