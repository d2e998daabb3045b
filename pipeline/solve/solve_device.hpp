// Where a system is solved: the CPU or a GPU behind one interface, so that solve is written once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/core/clock.hpp"
#include "kernels/cg.hpp"
#include "pipeline/device/machine.hpp"
#include "pipeline/ranks/part_product.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

/// A matrix where it is multiplied; only the device that placed it knows more of it.
struct PlacedMatrix {
  PlacedMatrix() = default;
  PlacedMatrix(const PlacedMatrix&) = delete;
  PlacedMatrix& operator=(const PlacedMatrix&) = delete;
  virtual ~PlacedMatrix() = default;

  std::string kernel;  ///< of its product; empty on the CPU
  double transfer_seconds = reports::not_measured;
  /// The figures of a matrix in pieces, 0 for others.
  std::uint64_t total_bytes = 0, streamed_bytes = 0;
  double encode_seconds = 0;

  [[nodiscard]] virtual double waited_seconds() const { return 0; }  ///< for elements of other ranks, in all products
};

/// A x = b but for A, and how to iterate. The vectors have n elements each and outlive the solver.
template <class T>
struct Iteration {
  const std::vector<T>& b;
  const std::vector<T>& start;
  const std::vector<T>& inverse_diagonal;  ///< empty: no preconditioner
  CgOptions options;
  CgParts parts = {};  ///< where other ranks have the other elements
};

struct ProductTimes {
  double total_seconds = 0;  ///< of all products of all runs
  double mean_seconds = reports::not_measured;
};

/// Conjugate gradient on one system, by products with any placed matrices of it.
template <class T>
class Solver {
 public:
  virtual ~Solver() = default;

  /// Iterates until there is a reason to stop, or until pause() holds; then it may be called again, with another form
  /// of the matrix. Requires: `a` outlives the solver. threads: of the CPU. Errors: damaged for what a device reports
  /// of a kernel; too_large.
  [[nodiscard]] virtual Status run(const PlacedMatrix& a, int threads, const std::function<bool()>& pause) = 0;

  [[nodiscard]] virtual CgStop stop() const = 0;
  [[nodiscard]] virtual std::uint64_t iterations() const = 0;
  [[nodiscard]] virtual double residual() const = 0;  ///< ||r|| / ||b|| by the recurrence
  /// When the last run had its result.
  [[nodiscard]] virtual Clock::time_point ended_at() const = 0;
  /// On a GPU estimated afterwards, by some products in a row.
  [[nodiscard]] virtual Result<ProductTimes> product_times() = 0;
  /// Of the vectors to the device; not measured on the CPU.
  [[nodiscard]] virtual double transfer_seconds() const = 0;
  [[nodiscard]] virtual Result<std::vector<T>> solution() = 0;
};

template <class T>
class SolveDevice {
 public:
  virtual ~SolveDevice() = default;

  /// spec: what `a` was encoded with. Requires: `a` outlives what is made of it. Errors: too_large where the device's
  /// memory does not hold it; unsupported.
  [[nodiscard]] virtual Result<std::unique_ptr<PlacedMatrix>> place(const AnyFormat& a, const Spec& spec) = 0;
  /// Encodes the matrix in pieces of rows and places them within so many bytes of a device's memory, beside the
  /// vectors: what does not fit comes through in each product. Errors: as encode_any and place; not_applicable on the
  /// CPU.
  [[nodiscard]] virtual Result<std::unique_ptr<PlacedMatrix>> place_in(const Csr<Viewed>&, const Spec&, std::uint64_t) {
    return Error{ErrorCode::not_applicable, "this device multiplies a matrix where it is"};
  }
  /// Makes ready for parts of one cut of a matrix; all ranks call it at the same time, before what is below is asked of
  /// a part. Errors: as place, on all ranks.
  [[nodiscard]] virtual Status join(const MatrixPart&) { return Ok{}; }
  /// A part of a matrix on several ranks. Requires: the exchange outlives it. Errors: as place.
  [[nodiscard]] virtual Result<std::unique_ptr<PlacedMatrix>> place_part(EncodedPart a, GhostExchange<T>& exchange) = 0;
  /// Errors: as place.
  [[nodiscard]] virtual Result<std::unique_ptr<Solver<T>>> begin(const Iteration<T>& iteration) = 0;
  /// How many of the threads are free for other work while iterations go on.
  [[nodiscard]] virtual int threads_beside(int threads) const = 0;
};

/// y = A x on so many threads of the CPU.
template <class T>
using ThreadedProduct = std::function<void(const T* x, T* y, int threads)>;

/// A product of the CPU, whatever computes it, for the solver of the CPU.
template <class T>
[[nodiscard]] std::unique_ptr<PlacedMatrix> placed_product(ThreadedProduct<T> product);

template <class T>
[[nodiscard]] std::unique_ptr<SolveDevice<T>> cpu_solve_device();
/// Errors: as check_device.
template <class T>
[[nodiscard]] Result<std::unique_ptr<SolveDevice<T>>> solve_device(DeviceKind kind);

/// The GPU's, as far as this build knows one. Errors: as check_device.
template <class T>
[[nodiscard]] Result<std::unique_ptr<SolveDevice<T>>> cuda_solve_device();

}  // namespace spress::pipeline
