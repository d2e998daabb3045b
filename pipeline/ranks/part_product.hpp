// Products of a matrix on several ranks, on their CPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/core/params.hpp"
#include "pipeline/ranks/matrix_part.hpp"

namespace spress::pipeline {

/// Brings the ghosts of a vector from the ranks that have them.
template <class T>
class GhostExchange {
 public:
  /// Requires: part outlives it.
  explicit GhostExchange(const MatrixPart& part);

  /// Sends what others need of x, this rank's elements, and begins to receive the ghosts.
  void begin(const T* x);
  /// Waits for the ghosts, which stay until the next begin().
  [[nodiscard]] const T* finish();

  /// This rank's elements and behind them the ghosts. x: own_elements.
  [[nodiscard]] std::vector<T> with_ghosts(const std::vector<T>& x);

  [[nodiscard]] double waited_seconds() const { return waited_seconds_; }  ///< in all calls of finish()
  [[nodiscard]] std::uint64_t count() const { return count_; }             ///< of these calls

  /// Room for so many elements, until the next call.
  [[nodiscard]] T* scratch(std::size_t elements) {
    if (scratch_.size() < elements) scratch_.resize(elements);
    return scratch_.data();
  }

 private:
  const MatrixPart& part_;
  std::vector<T> ghosts_, scratch_;
  std::vector<std::vector<T>> sent_;  ///< one for each neighbor
  std::vector<RankMessage> receives_, sends_;
  double waited_seconds_ = 0;
  std::uint64_t count_ = 0;
};

extern template class GhostExchange<float>;
extern template class GhostExchange<double>;

/// A part of a matrix in one format: the entries of its own columns apart from those of ghosts, so that they are
/// multiplied while the ghosts are on their way.
struct EncodedPart {
  Spec spec;  ///< of both
  AnyFormat own, ghosts;
  std::vector<std::uint32_t> boundary;  ///< the rows of `ghosts`
  std::uint64_t bytes = 0;              ///< on all ranks
  double encode_seconds = 0;            ///< of the slowest rank

  /// a: as MatrixPart::csr(), in any value store. Errors: those of encode_any, on all ranks where one has one;
  /// too_large where memory runs out.
  [[nodiscard]] static Result<EncodedPart> make(const MatrixPart& part, const Csr<Viewed>& a, const Spec& spec);
};

/// y = A x, both this rank's elements.
template <class T>
void multiply(const EncodedPart& a, GhostExchange<T>& exchange, const T* x, T* y, int threads);

}  // namespace spress::pipeline
