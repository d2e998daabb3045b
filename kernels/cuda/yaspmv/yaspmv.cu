#include <memory>
#include <string>

#include "formats/yaspmv/yaspmv.hpp"
#include "kernels/cuda/coo/boundary_rows.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/zero_filling.cuh"

namespace spress::cuda {
namespace {

using Format = Yaspmv<Viewed>;
constexpr unsigned block_size = 128, lanes = Format::lanes;
static_assert(lanes == warp_size);

/// The matrix as the kernel takes it. A warp works on a group.
template <class T, class Values>
struct Groups {
  std::uint64_t rows, blocks, groups;
  unsigned cols, r, c;
  const std::uint32_t *first_col, *first_row;
  DevicePositions far_start;
  const std::uint16_t* col_diff;
  const std::uint32_t *far, *row_end, *block_row, *present;
  Values values;
  const T* x;
  T* y;
  T* partials;  // element q * groups + g: what group g holds of row q of the block row in which it begins
};

/// The blocks of one lane: `count` from block `first` on.
struct Blocks {
  std::uint64_t first;
  unsigned count, ends;  // ends: a bit where a block row ends
  bool whole;            // the group has all its blocks
};

/// The `count` blocks from block `first` on.
template <class Matrix>
__device__ __forceinline__ Blocks find_blocks(const Matrix& a, std::uint64_t first, unsigned count, bool whole) {
  if (whole) return {first, count, load_shared(a.row_end + first / 32) >> first % 32 & 0xFFFFu, true};
  Blocks out = {first, count, 0, false};
#pragma unroll 1
  for (unsigned t = 0; t < count; ++t)
    out.ends |= (load_shared(a.row_end + (first + t) / 32) >> (first + t) % 32 & 1u) << t;
  return out;
}

/// Column differences of steps 8 * half to 8 * half + 7, two in each word; 0 behind the last block.
struct EightSteps {
  unsigned word[4];

  template <class Matrix>
  __device__ __forceinline__ EightSteps(const Matrix& a, const Blocks& blocks, unsigned half) : word() {
    const std::uint16_t* const from = a.col_diff + blocks.first + 8 * half;
    if (blocks.whole) {
      const uint4 all = load_shared(reinterpret_cast<const uint4*>(from));
      word[0] = all.x, word[1] = all.y, word[2] = all.z, word[3] = all.w;
    } else {
#pragma unroll
      for (unsigned t = 0; t < 8; ++t)
        if (8 * half + t < blocks.count) word[t / 2] |= unsigned{load_shared(from + t)} << 16 * (t % 2);
    }
  }
  [[nodiscard]] __device__ __forceinline__ unsigned difference(unsigned t) const {
    return word[t / 2] >> 16 * (t % 2) & 0xFFFFu;
  }
  /// The sum of all, if none is far.
  [[nodiscard]] __device__ __forceinline__ int sum() const {
    int sum = 0;
#pragma unroll
    for (unsigned w = 0; w < 4; ++w) sum = __dp2a_lo(static_cast<int>(word[w]), 0x0101, sum);
    return sum;
  }
};

/// The sum of `value` over the lanes below this one.
__device__ __forceinline__ unsigned sum_below(unsigned value) {
  const unsigned lane = threadIdx.x % lanes;
  unsigned sum = value;
#pragma unroll
  for (unsigned step = 1; step < lanes; step *= 2) {
    const unsigned other = __shfl_up_sync(whole_warp, sum, step);
    if (lane >= step) sum += other;
  }
  return sum - value;
}

/// The block column of a lane, from one block to the next.
class Column {
 public:
  /// Stands before the lane's first block. All lanes take part. far: where the group's elements of `far` begin.
  template <class Matrix>
  __device__ __forceinline__ Column(const Matrix& a, const Blocks& blocks, unsigned first_col, const std::uint32_t* far,
                                    bool has_far)
      : far_(far), column_(0) {
    if (has_far) {
      far_ += sum_below(count_far(a, blocks));
      const std::uint32_t* const mine = far_;
#pragma unroll 1
      for (unsigned t = 0; t < blocks.count; ++t) next(load_shared(a.col_diff + blocks.first + t));
      far_ = mine;
    } else {
      column_ = static_cast<unsigned>(EightSteps(a, blocks, 0).sum() + EightSteps(a, blocks, 1).sum());
    }
    column_ = first_col + sum_below(column_);
  }
  /// The column of the next block.
  __device__ __forceinline__ unsigned next(unsigned difference) {
    if (difference == Format::far_mark) return column_ += load_shared(far_++);
    return column_ += static_cast<unsigned>(static_cast<int>(static_cast<std::int16_t>(difference)));
  }

 private:
  template <class Matrix>
  static __device__ __forceinline__ unsigned count_far(const Matrix& a, const Blocks& blocks) {
    unsigned count = 0;
#pragma unroll 1
    for (unsigned t = 0; t < blocks.count; ++t)
      count += load_shared(a.col_diff + blocks.first + t) == Format::far_mark ? 1 : 0;
    return count;
  }

  const std::uint32_t* far_;
  unsigned column_;
};

/// The sums of the r rows of a block row.
template <class T, unsigned r>
struct Sums {
  T of[r] = {};
};

/// Blocks of side x side, or of any shape for side = 0. by_bits: only where an entry is.
template <unsigned side, bool by_bits>
struct Shape {
  static constexpr unsigned r = side == 0 ? Format::largest_side : side, most_columns = r;
  /// Blocks of a lane whose values are on their way at once.
  static constexpr unsigned at_once = side == 1 ? 8 : side == 2 ? 4 : 2;

  unsigned rows, columns;  // of a block
  template <class Matrix>
  __device__ __forceinline__ explicit Shape(const Matrix& a)
      : rows(side == 0 ? a.r : side), columns(side == 0 ? a.c : side) {}

  [[nodiscard]] __device__ __forceinline__ unsigned slots() const { return rows * columns; }

  /// Adds the products of a block. slot: that of its first value.
  template <class T, class Values>
  __device__ __forceinline__ void add(const Groups<T, Values>& a, std::uint64_t slot, unsigned column,
                                      Sums<T, r>& sums) const {
    const unsigned col = column * columns;
#pragma unroll
    for (unsigned j = 0; j < most_columns; ++j) {
      if (side == 0 && j >= columns) break;
      const bool inside = most_columns == 1 || j < a.cols - col;
      const T factor = inside ? load_shared(a.x + col + j) : T(0);
#pragma unroll
      for (unsigned i = 0; i < r; ++i) {
        if (side == 0 && i >= rows) break;
        const std::uint64_t at = slot + (j * rows + i) * lanes;
        if (by_bits && (load_shared(a.present + at / 32) >> at % 32 & 1) == 0) continue;
        const T product = a.values[at] * factor;
        if (inside) sums.of[i] += product;
      }
    }
  }
};

/// Stores the sums of a block row whose first row is `row`: where the group begins within it, for later.
template <class S, class T, class Values>
__device__ __forceinline__ void store(const Groups<T, Values>& a, const S& shape, std::uint64_t g, std::uint64_t row,
                                      bool later, const Sums<T, S::r>& sums) {
#pragma unroll
  for (unsigned i = 0; i < S::r; ++i)
    if (S::r == 1 || (i < shape.rows && row + i < a.rows))
      *(later ? a.partials + i * a.groups + g : a.y + row + i) = sums.of[i];
}

/// The first row of block row h of those with blocks.
template <class S, class T, class Values>
__device__ __forceinline__ std::uint64_t row_of(const Groups<T, Values>& a, const S& shape, std::uint64_t h) {
  return (a.block_row == nullptr ? h : load_shared(a.block_row + h)) * shape.rows;
}

/// The sums that the lanes below this one hold of the block row in which it begins. tail: what a lane holds behind its
/// last end of a row; ends: whether it has one.
template <class T, unsigned r>
__device__ __forceinline__ Sums<T, r> carried_into(Sums<T, r> tail, bool ends) {
  const unsigned lane = threadIdx.x % lanes;
  unsigned closed = ends ? 1 : 0;
#pragma unroll
  for (unsigned step = 1; step < lanes; step *= 2) {
    const unsigned below = __shfl_up_sync(whole_warp, closed, step);
#pragma unroll
    for (unsigned i = 0; i < r; ++i) {
      const T other = __shfl_up_sync(whole_warp, tail.of[i], step);
      if (lane >= step && closed == 0) tail.of[i] += other;
    }
    if (lane >= step) closed |= below;
  }
#pragma unroll
  for (unsigned i = 0; i < r; ++i) {
    tail.of[i] = __shfl_up_sync(whole_warp, tail.of[i], 1);
    if (lane == 0) tail.of[i] = 0;
  }
  return tail;
}

/// The sums that a lane keeps: those of the other block rows that end there are stored.
template <class T, unsigned r>
struct OfLane {
  Sums<T, r> head, tail;  // of the block row that ends first, and of what is left behind the last end
};
template <class S, class T, class Values>
__device__ __forceinline__ OfLane<T, S::r> multiply_blocks(const Groups<T, Values>& a, const S& shape, std::uint64_t g,
                                                           const Blocks& blocks, Column column, std::uint64_t slot,
                                                           std::uint64_t h) {
  OfLane<T, S::r> out = {};
  bool ended = false;
#pragma unroll 1
  for (unsigned half = 0; 8 * half < blocks.count; ++half) {
    const EightSteps steps(a, blocks, half);
#pragma unroll
    for (unsigned base = 0; base < 8; base += S::at_once, slot += S::at_once * shape.slots() * lanes) {
      const unsigned left = blocks.count - min(blocks.count, 8 * half + base), ends = blocks.ends >> (8 * half + base);
      Sums<T, S::r> products[S::at_once];
#pragma unroll
      for (unsigned u = 0; u < S::at_once; ++u)
        if (u < left)
          shape.add(a, slot + u * shape.slots() * lanes, column.next(steps.difference(base + u)), products[u]);
#pragma unroll
      for (unsigned u = 0; u < S::at_once; ++u) {
#pragma unroll
        for (unsigned i = 0; i < S::r; ++i) out.tail.of[i] += products[u].of[i];
        if ((ends >> u & 1) == 0) continue;
        if (ended)
          store(a, shape, g, row_of(a, shape, h), false, out.tail);
        else
          out.head = out.tail;
        ended = true;
        out.tail = {};
        ++h;
      }
    }
  }
  return out;
}

template <class S, class T, class Values>
__device__ __forceinline__ void multiply_group(const Groups<T, Values>& a, std::uint64_t g) {
  const S shape(a);
  const std::uint64_t first = g * Format::group, far = a.far_start[g];
  const unsigned lane = threadIdx.x % lanes;
  const auto left = static_cast<unsigned>(min(a.blocks - first, std::uint64_t{Format::group}));
  const unsigned steps = (left + lanes - 1) / lanes, begin = min(lane * steps, left);
  const Blocks blocks = find_blocks(a, first + begin, min(steps, left - begin), left == Format::group);
  const std::uint64_t first_row = load_shared(a.first_row + g), h = first_row + sum_below(__popc(blocks.ends));
  const Column column(a, blocks, load_shared(a.first_col + g), a.far + far, a.far_start[g + 1] != far);
  OfLane<T, S::r> sums = multiply_blocks(a, shape, g, blocks, column, first * shape.slots() + lane, h);

  const bool begun = g > 0 && (load_shared(a.row_end + first / 32 - 1) >> 31) == 0;
  const Sums<T, S::r> carried = carried_into(sums.tail, blocks.ends != 0);
#pragma unroll
  for (unsigned i = 0; i < S::r; ++i) {
    if (blocks.ends != 0)
      sums.head.of[i] += carried.of[i];
    else
      sums.tail.of[i] += carried.of[i];
  }
  if (blocks.ends != 0) store(a, shape, g, row_of(a, shape, h), begun && h == first_row, sums.head);
  if (lane + 1 < lanes) return;
  const std::uint64_t last = first + left - 1, unended = h + __popc(blocks.ends);
  if ((load_shared(a.row_end + last / 32) >> last % 32 & 1) == 0)
    store(a, shape, g, row_of(a, shape, unended), begun && unended == first_row, sums.tail);
}

template <class S, class T, class Values>
__global__ void __launch_bounds__(block_size) multiply_groups(Groups<T, Values> a) {
  constexpr unsigned warps = block_size / warp_size;
  for (std::uint64_t g = std::uint64_t{blockIdx.x} * warps + threadIdx.x / warp_size; g < a.groups;
       g += std::uint64_t{gridDim.x} * warps)
    multiply_group<S>(a, g);
}

template <class S, class T, class Values>
Status launch_with(const Groups<T, Values>& a, Stream stream) {
  return launch(multiply_groups<S, T, Values>, blocks_for(a.groups, block_size / warp_size), block_size, stream, a);
}

template <class T, class Values>
Status launch_for(const Groups<T, Values>& a, Stream stream) {
  if constexpr (!zero_is_zero<Values>)
    if (a.present != nullptr) return launch_with<Shape<0, true>>(a, stream);
  if (a.r != a.c) return launch_with<Shape<0, false>>(a, stream);
  switch (a.r) {
    case 1: return launch_with<Shape<1, false>>(a, stream);
    case 2: return launch_with<Shape<2, false>>(a, stream);
    case 3: return launch_with<Shape<3, false>>(a, stream);
    default: return launch_with<Shape<4, false>>(a, stream);
  }
}

/// The rows that groups share: row q of the block row in which group g begins is share q * groups + g.
template <class T>
Result<Carries<T>> shared_rows(const Yaspmv<Viewed>& host) {
  const std::uint64_t groups = host.groups();
  const auto row_of = [&](std::uint64_t share) {
    return host.block_row_at(host.first_row[share % groups]) * host.r + share / groups;
  };
  return Carries<T>::make(groups * host.r, row_of, [&](std::uint64_t share) {
    const std::uint64_t g = share % groups;
    return g > 0 && !host.ends_row(g * Format::group - 1) && row_of(share) < host.rows;
  });
}

template <class T, class Values>
Groups<T, Values> groups_of(const Yaspmv<Viewed>& f, Values values, const T* x, T* y, T* partials) {
  return {f.rows,
          f.blocks,
          f.groups(),
          static_cast<unsigned>(f.cols),
          f.r,
          f.c,
          f.first_col.data(),
          f.first_row.data(),
          DevicePositions(f.far_start),
          f.col_diff.data(),
          f.far.data(),
          f.row_end.data(),
          f.block_row.empty() ? nullptr : f.block_row.data(),
          f.present.empty() ? nullptr : f.present.data(),
          values,
          x,
          y,
          partials};
}

template <class T>
Result<Product<T>> make(const Yaspmv<Viewed>& host, const Yaspmv<Viewed>& device) {
  Product<T> out;
  out.kernel = "warp per " + std::to_string(Format::group) + " blocks";
  SPRESS_TRY(const Carries<T> carries, shared_rows<T>(host));
  const bool clear = host.blocks == 0 || !host.block_row.empty();
  out.multiply = [device, carries, clear](const T* x, T* y, Stream stream) -> Status {
    if (clear) SPRESS_CHECK(fill_bytes(y, 0, device.rows * sizeof(T), stream));
    SPRESS_CHECK((with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) {
      return launch_for(groups_of<T>(device, values, x, y, carries.first_sums()), stream);
    })));
    return carries.finish(y, stream);
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(Yaspmv, make)

}  // namespace spress::cuda
