// The kernel of bccoo-gpu for uneven rows: a block takes a chunk, multiplies by entries, then adds up by rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/coo/tuple_sums.cuh"
#include "kernels/cuda/shared/block_staging.cuh"
#include "kernels/cuda/shared/bytes.cuh"
#include "kernels/cuda/shared/product_sums.cuh"

namespace spress::cuda {

/// A thread has four neighbouring entries, whose elements of x are on their way at once. A chunk has no more rows than
/// the block has threads.
inline constexpr unsigned entry_threads = 256, entries_of_thread = 4, most_entries = entry_threads * entries_of_thread;
static_assert(bccoo_gpu::row_limit <= entry_threads);

/// The products of a chunk in shared memory. One place in 17 stays free: threads that store four doubles
/// each, or read rows of 2, 4, 8 or 16 doubles, meet in no bank.
template <class T>
class SpreadProducts {
 public:
  static constexpr unsigned bytes = (most_entries + most_entries / 16) * sizeof(T);

  __device__ __forceinline__ explicit SpreadProducts(void* at) : at_(static_cast<T*>(at)) {}
  __device__ __forceinline__ T& operator[](unsigned e) const { return at_[e + e / 16]; }

 private:
  T* at_;
};

/// Bytes behind a chunk's tuples that may be read: the last thread reads four tuples, and one word more.
template <std::size_t width>
inline constexpr unsigned read_behind = 3 * bccoo_gpu::Tuple<std::uint32_t, false, width>::bytes + 4;

/// The four tuples of a thread: as many words as a tuple has bytes. So threads meet in no bank if that is odd.
template <class Tuple>
class FourTuples {
 public:
  /// tuples: where the chunk's begin in the block's shared memory, in bytes.
  __device__ __forceinline__ FourTuples(std::uint32_t tuples, unsigned thread) {
    const auto* const from =
        reinterpret_cast<const std::uint32_t*>(block_memory()) + tuples / 4 + thread * Tuple::bytes;
    std::uint32_t raw[Tuple::bytes + 1];
#pragma unroll
    for (unsigned w = 0; w <= Tuple::bytes; ++w) raw[w] = from[w];
#pragma unroll
    for (unsigned w = 0; w < Tuple::bytes; ++w)
      words_[w] = __funnelshift_r(raw[w], raw[w + 1], 8 * tuples);  // modulo 32
  }
  template <unsigned u>
  __device__ __forceinline__ std::uint32_t row() const {
    return number<u, 0, 1>();
  }
  template <unsigned u>
  __device__ __forceinline__ std::uint32_t column() const {
    return number<u, Tuple::column_at, sizeof(typename Tuple::ColumnPart)>();
  }
  /// is_entry: false for what stands behind the last entry, which says nothing of the table.
  template <unsigned u, class T>
  __device__ __forceinline__ T value(const T* lut, bool is_entry) const {
    constexpr unsigned at = Tuple::value_at;
    if constexpr (Tuple::in_table)
      return load_shared(lut + (is_entry ? number<u, at, 1>() : 0));
    else if constexpr (Tuple::value_bytes == 8)
      return __hiloint2double(static_cast<int>(number<u, at + 4, 4>()), static_cast<int>(number<u, at, 4>()));
    else if constexpr (Tuple::value_bytes == 4)
      return __uint_as_float(number<u, at, 4>());
    else
      return T(1);
  }

 private:
  template <unsigned u, unsigned at, unsigned size>
  __device__ __forceinline__ std::uint32_t number() const {
    return bytes_of<u * Tuple::bytes + at, size>(words_);
  }

  std::uint32_t words_[Tuple::bytes];
};

__device__ __forceinline__ TuplePiece load_piece(const TuplePiece* at) {
  const auto* const from = reinterpret_cast<const uint4*>(at);
  const uint4 bits[2] = {load_shared(from), load_shared(from + 1)};
  TuplePiece piece;
  static_assert(sizeof bits == sizeof piece);
  std::memcpy(&piece, bits, sizeof piece);
  return piece;
}

/// Puts the products of a chunk where its tuples were, and the first entry of each row but row 0 into `starts`.
/// tuples: where they begin in the block's shared memory. All threads of the block take part.
template <class Tuple, class T>
__device__ __forceinline__ void put_products(const TupleTask<T>& task, const TuplePiece& chunk, std::uint32_t tuples,
                                             std::uint16_t* starts, SpreadProducts<T> products) {
  const unsigned entries = chunk.entries, first = entries_of_thread * threadIdx.x;
  const FourTuples<Tuple> four(tuples, min(threadIdx.x, (entries - 1) / entries_of_thread));
  const std::uint32_t columns[] = {four.template column<0>(), four.template column<1>(), four.template column<2>(),
                                   four.template column<3>()};
  const std::uint32_t rows[] = {four.template row<0>(), four.template row<1>(), four.template row<2>(),
                                four.template row<3>()};
  T factors[entries_of_thread];
  // Behind the last entry, any element: loads under a condition would wait for one another.
#pragma unroll
  for (unsigned u = 0; u < entries_of_thread; ++u)
    factors[u] = load_kept(task.x + chunk.column + (first + u < entries ? columns[u] : 0));
  const T values[] = {
      four.template value<0>(task.lut, first < entries), four.template value<1>(task.lut, first + 1 < entries),
      four.template value<2>(task.lut, first + 2 < entries), four.template value<3>(task.lut, first + 3 < entries)};
  std::uint32_t before = __shfl_up_sync(whole_warp, rows[entries_of_thread - 1], 1);
  if (threadIdx.x % warp_size == 0)
    before = first == 0 || first >= entries ? 0 : block_memory()[tuples + (first - 1) * Tuple::bytes];
#pragma unroll
  for (unsigned u = 0; u < entries_of_thread; ++u) {
    if (first + u < entries)
      for (std::uint32_t r = before; r < rows[u]; ++r) starts[r + 1] = static_cast<std::uint16_t>(first + u);
    before = rows[u];
  }
  __syncthreads();
#pragma unroll
  for (unsigned u = 0; u < entries_of_thread; ++u)
    if (first + u < entries) products[first + u] = values[u] * factors[u];
}

/// One block a chunk. task.shared_bytes: for the largest chunk's tuples and read_behind, and for the products. Reads up
/// to the end of the last copy unit of the tuples, for which packed_view leaves room.
template <class T, class Layout>
__global__ void __launch_bounds__(entry_threads, 6) multiply_chunks(TupleTask<T> task) {
  __shared__ std::uint16_t starts[entry_threads + 2];
  __shared__ BlockCopies::Barrier barrier;
  const TuplePiece chunk = load_piece(task.pieces + blockIdx.x);
  const unsigned format = format_of(chunk);
  BlockCopies copies(block_memory(), barrier);
  const std::uint8_t* const staged = copies.start(task.data + chunk.begin, chunk.entries * Layout::tuple_bytes(format));
  const auto tuples = static_cast<std::uint32_t>(staged - block_memory());
  const SpreadProducts<T> products(block_memory());
  copies.wait();
  Layout::with_tuple_of(format,
                        [&]<class Tuple>(Tuple) { put_products<Tuple>(task, chunk, tuples, starts, products); });
  __syncthreads();
  const unsigned rows = chunk.rows_less_one + 1u, row = threadIdx.x;
  const unsigned begin = row == 0 || row >= rows ? 0 : starts[row];
  const unsigned end = row >= rows ? 0 : row + 1 == rows ? chunk.entries : starts[row + 1];
  const T sum = sum_of_products(products, begin, end, 0);
  const bool begun = (chunk.format_and_begun & begun_bit) != 0 && row == 0;
  if (row < rows) *(begun ? task.first_sums + blockIdx.x : task.y + chunk.first_row + row) = sum;
  for (std::uint64_t r = std::uint64_t{chunk.first_row} + rows + row; r < chunk.next_row; r += entry_threads)
    task.y[r] = T(0);
}

}  // namespace spress::cuda
