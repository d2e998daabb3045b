// The kernel of bccoo-gpu for uneven rows: a block takes a chunk, multiplies by entries, then adds up by rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/coo/tuple_sums.cuh"
#include "kernels/cuda/shared/block_staging.cuh"
#include "kernels/cuda/shared/product_sums.cuh"

namespace spress::cuda {

/// Four entries of a thread are on their way at once. A chunk has no more rows than the block has threads.
inline constexpr unsigned entry_threads = 256, entries_of_thread = 4, most_entries = entry_threads * entries_of_thread;
static_assert(bccoo_gpu::row_limit <= entry_threads);

/// The products of a chunk, and the first entry of each row but row 0.
template <class T>
struct ChunkSums {
  T products[most_entries];
  std::uint16_t starts[entry_threads + 2];
};

__device__ __forceinline__ TuplePiece load_piece(const TuplePiece* at) {
  const auto* const from = reinterpret_cast<const uint4*>(at);
  const uint4 bits[2] = {load_shared(from), load_shared(from + 1)};
  TuplePiece piece;
  static_assert(sizeof bits == sizeof piece);
  std::memcpy(&piece, bits, sizeof piece);
  return piece;
}

/// Fills `sums`. tuples: where they begin in the block's shared memory.
template <class Tuple, class T>
__device__ __forceinline__ void put_products(const TupleTask<T>& task, const TuplePiece& chunk, std::uint32_t tuples,
                                             ChunkSums<T>& sums) {
  const unsigned entries = chunk.entries;
  T factors[entries_of_thread], values[entries_of_thread];
  std::uint32_t rows[entries_of_thread];
#pragma unroll
  for (unsigned u = 0; u < entries_of_thread; ++u) {
    // Behind the last entry, that one again: loads under a condition would wait for one another.
    const std::uint32_t end = tuples + (min(threadIdx.x + u * entry_threads, entries - 1) + 1) * Tuple::bytes;
    const TupleFields<Tuple> fields(end);
    factors[u] = load_kept(task.x + (chunk.column + fields.column()));
    values[u] = fields.value(task.lut);
    if constexpr (TupleFields<Tuple>::has_row)
      rows[u] = fields.row();
    else
      rows[u] = block_memory()[end - Tuple::bytes];
  }
#pragma unroll
  for (unsigned u = 0; u < entries_of_thread; ++u) {
    const unsigned e = threadIdx.x + u * entry_threads;
    std::uint32_t before = __shfl_up_sync(whole_warp, rows[u], 1);
    if (threadIdx.x % warp_size == 0)
      before = e == 0 || e >= entries ? 0 : block_memory()[tuples + (e - 1) * Tuple::bytes];
    if (e < entries)
      for (std::uint32_t r = before; r < rows[u]; ++r) sums.starts[r + 1] = static_cast<std::uint16_t>(e);
  }
#pragma unroll
  for (unsigned u = 0; u < entries_of_thread; ++u)
    if (const unsigned e = threadIdx.x + u * entry_threads; e < entries) sums.products[e] = values[u] * factors[u];
}

/// One block a chunk, with task.shared_bytes of shared memory behind tuples_at bytes for its tuples. Reads up to the
/// end of the last copy unit of the tuples, for which packed_view leaves room.
template <class T, class Layout>
__global__ void __launch_bounds__(entry_threads, 6) multiply_chunks(TupleTask<T> task) {
  __shared__ ChunkSums<T> sums;
  __shared__ BlockCopies::Barrier barrier;
  const TuplePiece chunk = load_piece(task.pieces + blockIdx.x);
  const unsigned format = format_of(chunk);
  BlockCopies copies(block_memory() + tuples_at, barrier);
  const std::uint8_t* const staged = copies.start(task.data + chunk.begin, chunk.entries * Layout::tuple_bytes(format));
  const auto tuples = static_cast<std::uint32_t>(staged - block_memory());
  copies.wait();
  Layout::with_tuple_of(format, [&]<class Tuple>(Tuple) { put_products<Tuple>(task, chunk, tuples, sums); });
  __syncthreads();
  const unsigned rows = chunk.rows_less_one + 1u, row = threadIdx.x;
  const unsigned begin = row == 0 || row >= rows ? 0 : sums.starts[row];
  const unsigned end = row >= rows ? 0 : row + 1 == rows ? chunk.entries : sums.starts[row + 1];
  const T sum = sum_of_products(sums.products, begin, end);
  const bool begun = (chunk.format_and_begun & begun_bit) != 0 && row == 0;
  if (row < rows) *(begun ? task.first_sums + blockIdx.x : task.y + chunk.first_row + row) = sum;
  for (std::uint64_t r = std::uint64_t{chunk.first_row} + rows + row; r < chunk.next_row; r += entry_threads)
    task.y[r] = T(0);
}

}  // namespace spress::cuda
