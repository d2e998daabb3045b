#include <string>

#include "formats/bsr/bsr.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/zero_filling.cuh"

namespace spress::cuda {
namespace {

constexpr unsigned block_size = 128;
/// Value slots of a lane that are on their way at once.
constexpr unsigned slots_at_once = 3;

/// The slots of blocks that are no entries.
enum class Filling {
  none,   ///< all are
  zeros,  ///< the number 0, which is multiplied, too
  bits    ///< left out by the bits of `present`
};

/// The matrix as the kernel takes it. A group of lanes works on a block row: lane l on value slots l, l + lanes, ... of
/// it. `lanes` is a multiple of r, so each lane adds up one row.
template <class Values>
struct BlockRows {
  std::uint64_t rows, block_rows;
  unsigned cols;
  DevicePositions block_ptr;
  const std::uint32_t *block_col, *present;
  Values values;
  unsigned r, c, log_group, lanes;
};

/// The shape of blocks and groups: known to the compiler for square blocks of `side` rows and groups of a warp.
template <unsigned side>
struct Shape {
  unsigned r, c, lanes, group;
  template <class Values>
  __device__ __forceinline__ explicit Shape(const BlockRows<Values>& a)
      : r(side == 0 ? a.r : side),
        c(side == 0 ? a.c : side),
        lanes(side == 0 ? a.lanes : warp_size / side * side),
        group(side == 0 ? 1u << a.log_group : warp_size) {}
};

/// The sum that one lane makes of the blocks [begin, begin + blocks).
template <unsigned side, Filling filling, class T, class Values>
__device__ __forceinline__ T sum_of_lane(const BlockRows<Values>& a, const Shape<side>& shape, std::uint64_t begin,
                                         unsigned blocks, unsigned lane, const T* x) {
  const unsigned step = shape.lanes / shape.r;  // columns from one slot of the lane to the next
  const unsigned step_blocks = step / shape.c, step_cols = step % shape.c;
  const unsigned first = lane / shape.r;
  const std::uint32_t* block_col = a.block_col + begin;
  std::uint64_t slot = begin * (shape.r * shape.c) + lane;
  unsigned block = first / shape.c, col = first % shape.c;
  T sum = 0;
  while (block < blocks) {
    CodeOf<Values> codes[slots_at_once];
    unsigned columns[slots_at_once];
#pragma unroll
    for (unsigned u = 0; u < slots_at_once; ++u) {
      columns[u] = a.cols;  // none
      if (block < blocks) {
        codes[u] = a.values.load(slot + u * shape.lanes);
        columns[u] = load_shared(block_col + block) * shape.c + col;
        if constexpr (filling == Filling::bits) {
          const std::uint64_t bit = slot + u * shape.lanes;
          if ((load_shared(a.present + bit / 32) >> bit % 32 & 1) == 0) columns[u] = a.cols;
        }
      }
      block += step_blocks;
      col += step_cols;
      if (col >= shape.c) col -= shape.c, ++block;
    }
    slot += slots_at_once * shape.lanes;
#pragma unroll
    for (unsigned u = 0; u < slots_at_once; ++u)
      if (columns[u] < a.cols) sum += a.values.decode(codes[u]) * load_shared(x + columns[u]);
  }
  return sum;
}

/// The sum of one row of block row i without filling: where filling has met an element of x that is not finite.
template <class T, class Values>
__device__ __forceinline__ T sum_without_filling(const BlockRows<Values>& a, std::uint64_t i, unsigned row,
                                                 const T* x) {
  T sum = 0;
  for (std::uint64_t b = a.block_ptr[i], end = a.block_ptr[i + 1]; b < end; ++b)
    for (unsigned col = 0; col < a.c; ++col) {
      const std::uint64_t slot = (b * a.c + col) * a.r + row;
      if ((a.present[slot / 32] >> slot % 32 & 1) != 0)
        sum += a.values.decode(a.values.load(slot)) * x[a.block_col[b] * a.c + col];
    }
  return sum;
}

template <unsigned side, Filling filling, class T, class Values>
__global__ void __launch_bounds__(block_size) multiply_block_rows(BlockRows<Values> a, const T* x, T* y) {
  const Shape<side> shape(a);
  const unsigned groups = block_size / shape.group, lane = threadIdx.x % shape.group;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * groups, stride = std::uint64_t{gridDim.x} * groups;
  for (std::uint64_t base = first; base < a.block_rows; base += stride) {  // as often in every thread of a block
    const std::uint64_t i = base + threadIdx.x / shape.group;
    T sum = 0;
    if (i < a.block_rows && lane < shape.lanes) {
      const std::uint64_t begin = a.block_ptr[i];
      sum = sum_of_lane<side, filling>(a, shape, begin, static_cast<unsigned>(a.block_ptr[i + 1] - begin), lane, x);
    }
    const unsigned place = lane / shape.r;
    unsigned left = shape.lanes / shape.r;  // lanes of a row whose sums are still to be added
    for (unsigned half = shape.group / 2; half > 0; half /= 2) {
      if (half >= left) continue;
      const T other = __shfl_down_sync(whole_warp, sum, half * shape.r, shape.group);
      if (place + half < left && place < half) sum += other;
      left = half;
    }
    const std::uint64_t row = i * shape.r + lane;
    if (i < a.block_rows && lane < shape.r && row < a.rows) {
      if constexpr (filling == Filling::zeros)
        if (!(sum == sum)) sum = sum_without_filling(a, i, lane, x);
      y[row] = sum;
    }
  }
}

/// The lanes of a group: as many as keep busy, if each has at least two value slots of an average block row.
unsigned log_group_of(const Bsr<Viewed>& a) {
  const std::uint64_t slots = a.blocks * a.slots_of_block() / std::max<std::uint64_t>(1, a.block_rows());
  return slots >= 64 ? 5 : slots >= 32 ? 4 : 3;
}

template <unsigned side, Filling filling, class T, class Values>
Status launch_with(const BlockRows<Values>& a, const T* x, T* y, Stream stream) {
  return launch(multiply_block_rows<side, filling, T, Values>, blocks_for(a.block_rows, block_size >> a.log_group),
                block_size, stream, a, x, y);
}

template <Filling filling, class T, class Values>
Status launch_for_side(const BlockRows<Values>& a, const T* x, T* y, Stream stream) {
  if (a.r == a.c && a.log_group == 5) {
    if (a.r == 2) return launch_with<2, filling>(a, x, y, stream);
    if (a.r == 3) return launch_with<3, filling>(a, x, y, stream);
    if (a.r == 4) return launch_with<4, filling>(a, x, y, stream);
  }
  return launch_with<0, filling>(a, x, y, stream);
}

template <class T, class Values>
Status launch_for(const BlockRows<Values>& a, const T* x, T* y, Stream stream) {
  if (a.present == nullptr) return launch_for_side<Filling::none>(a, x, y, stream);
  if constexpr (zero_is_zero<Values>)
    return launch_for_side<Filling::zeros>(a, x, y, stream);
  else
    return launch_with<0, Filling::bits>(a, x, y, stream);
}

template <class T>
Result<Product<T>> make(const Bsr<Viewed>& host, const Bsr<Viewed>& device) {
  Product<T> out;
  const unsigned log_group = log_group_of(host);
  out.kernel = std::to_string(1u << log_group) + " lanes per block row";
  out.multiply = [device, log_group](const T* x, T* y, Stream stream) {
    return with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) {
      const unsigned r = device.r;
      const BlockRows<Values> a = {device.rows,
                                   device.block_rows(),
                                   static_cast<unsigned>(device.cols),
                                   DevicePositions(device.block_ptr),
                                   device.block_col.data(),
                                   device.present.empty() ? nullptr : device.present.data(),
                                   values,
                                   r,
                                   device.c,
                                   log_group,
                                   (1u << log_group) / r * r};
      return launch_for(a, x, y, stream);
    });
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(Bsr, make)

}  // namespace spress::cuda
