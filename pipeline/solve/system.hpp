// The linear system that every row of `solve` has in common, or the part of it that one of several ranks has.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/gallery/problem.hpp"
#include "kernels/cg.hpp"
#include "pipeline/ranks/part_product.hpp"
#include "pipeline/solve/solve.hpp"

namespace spress::pipeline {

/// A x = b in one value type. Of several ranks each has its rows of A (with ghosts, see MatrixPart) and the same
/// elements of the vectors.
template <class T>
struct System {
  Csr<Owned> csr;  ///< values raw
  std::vector<T> b, start;
  std::vector<T> inverse_diagonal;           ///< empty: no preconditioner
  std::vector<long double> start_magnitude;  ///< as check_residual takes it
  const gallery::Problem* problem = nullptr;
  std::shared_ptr<const MatrixPart> part = nullptr;      ///< none where one process has all
  std::shared_ptr<GhostExchange<T>> exchange = nullptr;  ///< of the part

  [[nodiscard]] const T* preconditioner() const { return inverse_diagonal.empty() ? nullptr : inverse_diagonal.data(); }

  /// The elements of x that the rows need: with ghosts where there is a part.
  [[nodiscard]] std::vector<T> seen_by_rows(const std::vector<T>& x) const {
    return part ? exchange->with_ghosts(x) : x;
  }
  /// All elements of x, on every rank.
  [[nodiscard]] std::vector<T> whole(const std::vector<T>& x) const;

  /// The result of all ranks: an error where one has one.
  template <class Outcome>
  [[nodiscard]] Outcome agree(Outcome mine) const {
    if (!part) return mine;
    return part->ranks().agree(std::move(mine));
  }
  [[nodiscard]] double largest(double mine) const;
  [[nodiscard]] CgParts parts() const;
};

/// problem: of the whole matrix, or null. Errors: those of check_finite and inverse_diagonal.
template <class T>
[[nodiscard]] Result<System<T>> make_system(const Csr<Viewed>& a, const std::shared_ptr<const MatrixPart>& part,
                                            const gallery::Problem* problem, const SolveOptions& options);

/// The system with its rows and columns in a random order, of each rank among themselves.
template <class T>
[[nodiscard]] System<T> shuffled(const System<T>& system, std::uint64_t seed);

}  // namespace spress::pipeline
