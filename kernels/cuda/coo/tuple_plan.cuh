// The state that a product of bccoo-gpu keeps between its calls, whichever way it goes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/cuda/coo/boundary_rows.cuh"
#include "kernels/cuda/coo/tuple_sums.cuh"

namespace spress::cuda {

template <class T>
class TuplePlan {
 public:
  TuplePlan() = default;

  /// shared_bytes: of a task. Requires: there are pieces. Errors: as upload; unsupported for more than 2^32 pieces.
  [[nodiscard]] static Result<TuplePlan> make(const std::vector<TuplePiece>& pieces, const BccooGpu<Viewed>& device,
                                              std::uint32_t shared_bytes) {
    if (pieces.size() > 0xFFFFFFFFu) return Error{ErrorCode::unsupported, "more than 2^32 pieces of rows"};
    TuplePlan plan;
    SPRESS_TRY(DeviceMemory list, upload(std::span<const TuplePiece>(pieces), "the list of pieces"));
    plan.pieces_ = std::make_shared<DeviceMemory>(std::move(list));
    SPRESS_TRY(plan.carries_, Carries<T>::make(
                                  pieces.size(), [&](std::uint64_t p) { return pieces[p].first_row; },
                                  [&](std::uint64_t p) { return (pieces[p].format_and_begun & begun_bit) != 0; }));
    plan.empty_rows_ = pieces.front().first_row;
    plan.task_ = {device.data.data(),
                  plan.pieces_->template as<TuplePiece>(),
                  static_cast<std::uint32_t>(pieces.size()),
                  shared_bytes,
                  static_cast<const T*>(device.lut.raw()),
                  nullptr,
                  nullptr,
                  plan.carries_.first_sums()};
    return plan;
  }

  /// launch_pieces(task) launches what sums the pieces.
  template <class LaunchPieces>
  [[nodiscard]] Status multiply(const T* x, T* y, Stream stream, const LaunchPieces& launch_pieces) const {
    TupleTask<T> task = task_;
    task.x = x;
    task.y = y;
    SPRESS_CHECK(fill_bytes(y, 0, empty_rows_ * sizeof(T), stream));
    SPRESS_CHECK(launch_pieces(task));
    return carries_.finish(y, stream);
  }

 private:
  TupleTask<T> task_ = {};                // without x and y
  std::shared_ptr<DeviceMemory> pieces_;  // shared by the copies of a product
  Carries<T> carries_;
  std::uint64_t empty_rows_ = 0;  // before the first entry
};

/// The product of a matrix without entries.
template <class T>
[[nodiscard]] Product<T> product_of_nothing(std::uint64_t rows) {
  Product<T> out;
  out.multiply = [rows](const T*, T* y, Stream stream) { return fill_bytes(y, 0, rows * sizeof(T), stream); };
  return out;
}

}  // namespace spress::cuda
