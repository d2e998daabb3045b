// Conjugate gradient on a CUDA device, plain or with the Jacobi preconditioner: vectors and inner products stay there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "formats/core/clock.hpp"
#include "kernels/cg_parts.hpp"
#include "kernels/cg_rules.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/parts/part_links.hpp"
#include "kernels/cuda/spmv.hpp"

namespace spress::cuda {

/// How the holders of parts of a system add up what they find: on the device, and on the host. Empty: there is one
/// part.
template <class T>
struct CgLinks {
  std::shared_ptr<PartLinks<T>> links = nullptr;
  CgParts parts = {};
};

/// One solution of A x = b: as spress::ConjugateGradient, its stops and its pauses included, on the device. An
/// iteration is one graph: the product and three passes over vectors, whose blocks take the sums of the pass before and
/// decide alike how to go on. The host only sends graphs ahead, a few at a time, and sees what the device tells
/// meanwhile, so that neither waits for the other. Inner products are summed in double, in blocks that depend on the
/// size alone, with no atomic additions: the result has the same bits in every run unless the product's has not.
template <class T>
class ConjugateGradient {
 public:
  /// Copies b, the inverse diagonal (empty: no preconditioner) and the start x, n elements each, to the device.
  /// Errors: too_large where six vectors do not fit; unsupported without a device.
  [[nodiscard]] static Result<ConjugateGradient> make(std::span<const T> b, std::span<const T> inverse_diagonal,
                                                      std::span<const T> x, const CgOptions& options,
                                                      CgLinks<T> links = {});
  ConjugateGradient(ConjugateGradient&&) noexcept;
  ConjugateGradient& operator=(ConjugateGradient&&) noexcept;
  ~ConjugateGradient();

  /// Iterates until there is a reason to stop, or until pause() holds; then it may be called again, with another
  /// product for the same matrix. Errors: unsupported, for whatever the device reports.
  [[nodiscard]] Result<CgStop> run(const Product<T>& product, const std::function<bool()>& pause = {});

  [[nodiscard]] CgStop stop() const;
  [[nodiscard]] std::uint64_t iterations() const;
  /// ||r|| / ||b|| by the recurrence; 0 where b is 0.
  [[nodiscard]] double residual() const;
  /// The last p^T A p.
  [[nodiscard]] double curvature() const;
  /// When the last run's end was seen: `run` then waits for the few iterations sent in vain, which change nothing.
  [[nodiscard]] Clock::time_point ended_at() const;
  /// x, on the host.
  [[nodiscard]] Result<std::vector<T>> solution() const;
  /// Seconds of one product with the last direction: the mean of 200 in a row, or of fewer that take a second. Changes
  /// nothing that `run` needs.
  [[nodiscard]] Result<double> seconds_of_product(const Product<T>& product);

 private:
  struct State;
  explicit ConjugateGradient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

extern template class ConjugateGradient<float>;
extern template class ConjugateGradient<double>;

}  // namespace spress::cuda
