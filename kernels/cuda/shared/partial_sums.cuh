// Rows too long for one warp: several warps leave partial sums, which a second kernel adds in a fixed order, so that
// results repeat bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

/// `rows` neighbouring rows in stored order, summed in `pieces` pieces from piece first_piece on.
struct Joint {
  std::uint64_t first_piece = 0;
  std::uint32_t first_row = 0;
  std::uint32_t rows = 1;  // at most the lanes of a piece
  std::uint32_t pieces = 0;
  std::uint32_t unused = 0;
};

/// One block a joint. partials: lanes of each piece. lanes: 1 or a warp. row_perm: null for the identity.
/// add: to what stands in y, instead of overwriting it.
template <class T>
__global__ void add_partials(std::uint64_t count, const Joint* joints, const T* partials, unsigned lanes,
                             const std::uint32_t* row_perm, bool add, T* y) {
  extern __shared__ unsigned char shared_bytes[];
  T* sums = reinterpret_cast<T*>(shared_bytes);
  const unsigned lane = threadIdx.x % lanes, group = threadIdx.x / lanes, groups = blockDim.x / lanes;
  for (std::uint64_t j = blockIdx.x; j < count; j += gridDim.x) {
    const Joint joint = joints[j];
    T sum = 0;
    for (std::uint32_t p = group; p < joint.pieces; p += groups)
      sum += partials[(joint.first_piece + p) * lanes + lane];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned step = groups / 2; step > 0; step /= 2) {
      if (group < step) sums[threadIdx.x] += sums[threadIdx.x + step * lanes];
      __syncthreads();
    }
    if (group == 0 && lane < joint.rows) {
      const std::uint64_t stored = std::uint64_t{joint.first_row} + lane;
      T& out = y[row_perm ? row_perm[stored] : stored];
      out = add ? out + sums[lane] : sums[lane];
    }
    __syncthreads();
  }
}

/// The joints of one matrix and the memory of its partial sums.
template <class T>
class Joints {
 public:
  Joints() = default;

  /// pieces: of all joints; lanes: partial sums of each, 1 or a warp. Errors: as allocate and copy_to_device.
  [[nodiscard]] static Result<Joints> make(const std::vector<Joint>& joints, std::uint64_t pieces, unsigned lanes) {
    Joints out;
    out.count_ = joints.size();
    out.lanes_ = lanes;
    SPRESS_TRY(DeviceMemory list, upload(std::span<const Joint>(joints), "the list of long rows"));
    SPRESS_TRY(DeviceMemory sums, allocate(pieces * lanes * sizeof(T), "the partial sums of long rows"));
    out.list_ = std::make_shared<DeviceMemory>(std::move(list));
    out.partials_ = std::make_shared<DeviceMemory>(std::move(sums));
    return out;
  }

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Where piece p leaves the sum of a lane: element p * lanes + lane.
  [[nodiscard]] T* partials() const { return partials_ ? partials_->template as<T>() : nullptr; }

  /// Launches what finishes the rows, behind the kernel that leaves the partial sums.
  [[nodiscard]] Status finish(const std::uint32_t* row_perm, bool add, T* y, Stream stream) const {
    constexpr unsigned threads = 256;
    if (empty()) return Ok{};
    add_partials<T><<<blocks_for(count_, 1), threads, threads * sizeof(T), stream>>>(
        count_, list_->template as<Joint>(), partials(), lanes_, row_perm, add, y);
    SPRESS_CUDA_TRY(cudaGetLastError());
    return Ok{};
  }

 private:
  std::uint64_t count_ = 0;
  unsigned lanes_ = 1;
  std::shared_ptr<DeviceMemory> list_, partials_;  // shared by the copies of a product
};

}  // namespace spress::cuda
