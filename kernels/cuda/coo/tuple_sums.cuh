// The kernel of bccoo-gpu: each warp sums the rows of one piece after another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/coo/bccoo_gpu.hpp"
#include "kernels/cuda/coo/staged_tuples.cuh"

namespace spress::cuda {

/// The sum over each group of `lanes` neighbouring lanes (a power of two), in all lanes of the group.
template <class T>
__device__ __forceinline__ T sum_over_group(T sum, unsigned lanes) {
  for (unsigned step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  return sum;
}

/// Calls store(mine, row, sum) for every row of a piece, with all lanes of the warp. mine: true in the lane that has
/// the sum. A row takes 2^lane_bits lanes; the whole warp takes a row that is much longer than the others. So
/// neighbouring lanes read neighbouring elements of x where rows follow a stencil.
template <unsigned batch, class Tuple, class T, class Store>
__device__ __forceinline__ void sum_rows(const StagedPiece<Tuple, T>& piece, unsigned lane_bits, const Store& store) {
  const unsigned lane = threadIdx.x % warp_size, lanes = 1u << lane_bits, place = lane & (lanes - 1);
  const float average = __fdividef(static_cast<float>(piece.entries), static_cast<float>(piece.rows));
  std::uint32_t begin = 0;  // of this turn's rows
  for (std::uint32_t base = 0; base < piece.rows; base += warp_size >> lane_bits) {
    const std::uint32_t row = base + (lane >> lane_bits);
    const bool real = row < piece.rows;
    const std::uint32_t last = real ? piece.start_of(row + 1, average) : 0;
    const std::uint32_t of_row_before = __shfl_up_sync(whole_warp, last, lanes);
    const std::uint32_t first = !real ? 0 : lane < lanes ? begin : of_row_before;
    begin = __shfl_sync(whole_warp, last, warp_size - 1);
    const bool is_long = lanes < warp_size && last - first > 64 * lanes;
    const T sum = sum_over_group(piece.template sum<batch>(first, is_long ? first : last, place, lanes), lanes);
    store(real && !is_long && place == 0, row, sum);
#pragma unroll 1
    for (unsigned left = __ballot_sync(whole_warp, is_long && place == 0); left != 0; left &= left - 1) {
      const int its_lane = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t its_row = __shfl_sync(whole_warp, row, its_lane);
      const T its_sum = piece.template sum<batch>(__shfl_sync(whole_warp, first, its_lane),
                                                  __shfl_sync(whole_warp, last, its_lane), lane, warp_size);
      const T whole = sum_over_group(its_sum, warp_size);
      store(lane == 0, its_row, whole);
    }
  }
}

template <unsigned batch, class Tuple, class T>
__device__ __forceinline__ void sum_piece(const TupleTask<T>& task, const PieceOnItsWay& word, std::uint32_t p,
                                          std::uint32_t copied) {
  const StagedPiece<Tuple, T> staged(word.get(), copied, task);
  sum_rows<batch>(staged, word.lane_bits(), [&](bool mine, std::uint32_t row, T sum) {
    const bool begun = word.begun();
    T* y = task.y + word.first_row() + row;
    if (mine) *(begun && row == 0 ? task.first_sums + p : y) = sum;
  });
  const std::uint32_t first_row = word.first_row(), behind = word.next_row() - first_row;
#pragma unroll 1
  for (std::uint64_t row = std::uint64_t{staged.rows} + threadIdx.x % warp_size; row < behind; row += warp_size)
    task.y[first_row + row] = T(0);
}

/// All chunks have one layout, so the kernel needs no code for the others.
template <class OnlyTuple>
struct OneLayout {
  [[nodiscard]] static __device__ __forceinline__ std::uint32_t tuple_bytes(unsigned) { return OnlyTuple::bytes; }
  template <class Use>
  static __device__ __forceinline__ void with_tuple_of(unsigned, const Use& use) {
    use(OnlyTuple{});
  }
};

/// Chunks have any layout with values of `width` bytes.
template <std::size_t width>
struct AnyLayout {
  [[nodiscard]] static __device__ __forceinline__ std::uint32_t tuple_bytes(unsigned format) {
    return 1 + (1u << (format & bccoo_gpu::column_bits)) +
           ((format & bccoo_gpu::by_table) != 0 ? 1u : static_cast<unsigned>(width));
  }
  template <class Use>
  static __device__ __forceinline__ void with_tuple_of(unsigned format, const Use& use) {
    switch (format) {
      case 0: return use(bccoo_gpu::Tuple<std::uint8_t, false, width>{});
      case 1: return use(bccoo_gpu::Tuple<std::uint16_t, false, width>{});
      case 2: return use(bccoo_gpu::Tuple<std::uint32_t, false, width>{});
      default: break;
    }
    if constexpr (width != 0) switch (format) {
        case bccoo_gpu::by_table: return use(bccoo_gpu::Tuple<std::uint8_t, true, width>{});
        case bccoo_gpu::by_table + 1: return use(bccoo_gpu::Tuple<std::uint16_t, true, width>{});
        default: return use(bccoo_gpu::Tuple<std::uint32_t, true, width>{});
      }
  }
};

/// Each warp takes a piece at a time. While its tuples are copied, the warp loads the descriptor of its next piece.
/// Reads up to the end of the last copy unit of the tuples, for which packed_view leaves room.
template <class T, class Layout, class Crew>
__global__ void __launch_bounds__(Crew::warps* warp_size, 1) sum_pieces(TupleTask<T> task) {
  const unsigned warps = blockDim.x / warp_size, warp = threadIdx.x / warp_size;
  const std::uint32_t stride = gridDim.x * warps, memory = warp * task.shared_bytes;
  std::uint32_t p = blockIdx.x * warps + warp;
  if (p >= task.count) return;
  WarpCopies copies(reinterpret_cast<std::uint64_t*>(block_memory() + memory));
  PieceOnItsWay here(task.pieces + p);
  for (;;) {
    const std::uint64_t begin = here.begin();
    const auto before = static_cast<std::uint32_t>(begin % copy_unit);
    const std::uint32_t bytes = before + here.entries() * Layout::tuple_bytes(here.format());
    copies.start(block_memory() + memory + tuples_at, task.data + begin - before,
                 (bytes + copy_unit - 1) / copy_unit * copy_unit);
    const bool is_last = task.count - p <= stride;
    const PieceOnItsWay next(task.pieces + (is_last ? p : p + stride));
    copies.wait();
    Layout::with_tuple_of(
        here.format(), [&]<class Tuple>(Tuple) { sum_piece<Crew::batch, Tuple>(task, here, p, memory + tuples_at); });
    if (is_last) return;
    __syncwarp();  // before the next piece overwrites this one
    here = next;
    p += stride;
  }
}

}  // namespace spress::cuda
