// Entries dealt out in shares that begin and end inside rows: what later shares hold of a row is added behind the
// kernel that works them off, in the order of the shares, so that results repeat bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/partial_sums.cuh"

namespace spress::cuda {

/// One thread a joint of one row: for rows that only a few shares hold.
template <class T>
__global__ void add_few_partials(std::uint64_t count, const Joint* joints, const T* partials, T* y) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t j = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; j < count; j += stride) {
    const Joint joint = joints[j];
    T sum = y[joint.first_row];
    for (std::uint32_t p = 0; p < joint.pieces; ++p) sum += partials[joint.first_piece + p];
    y[joint.first_row] = sum;
  }
}

/// Rows begun before a share begins, and the memory of what each share holds of the row in which it begins.
template <class T>
class Carries {
 public:
  Carries() = default;

  /// begun_in(h): the row of the first entry of share h; carried(h): whether its sum is to be added to what stands in
  /// y. Errors: as allocate and copy_to_device.
  template <class BegunIn, class Carried>
  [[nodiscard]] static Result<Carries> make(std::uint64_t shares, BegunIn&& begun_in, Carried&& carried) {
    std::vector<Joint> few, many;
    for (std::uint64_t h = 0; h < shares;) {
      Joint joint;
      joint.first_piece = h;
      joint.first_row = begun_in(h);
      for (; h < shares && carried(h) && begun_in(h) == joint.first_row; ++h) ++joint.pieces;
      if (joint.pieces == 0)
        ++h;
      else
        (joint.pieces <= most_by_thread ? few : many).push_back(joint);
    }
    Carries out;
    SPRESS_TRY(out.many_, Joints<T>::make(many, shares, 1));
    SPRESS_TRY(DeviceMemory list, upload(std::span<const Joint>(few), "the list of rows in several shares"));
    out.few_ = std::make_shared<DeviceMemory>(std::move(list));
    out.few_count_ = few.size();
    return out;
  }

  /// Where share h leaves what it holds of its first row: element h.
  [[nodiscard]] T* first_sums() const { return many_.partials(); }

  /// Launches what adds them to y.
  [[nodiscard]] Status finish(T* y, Stream stream) const {
    constexpr unsigned threads = 128;
    SPRESS_CHECK(launch(add_few_partials<T>, blocks_for(few_count_, threads), threads, stream, few_count_,
                        few_->template as<Joint>(), first_sums(), y));
    return many_.finish(nullptr, true, y, stream);
  }

 private:
  static constexpr std::uint32_t most_by_thread = 8;

  Joints<T> many_;
  std::shared_ptr<DeviceMemory> few_;  // shared by the copies of a product
  std::uint64_t few_count_ = 0;
};

}  // namespace spress::cuda
