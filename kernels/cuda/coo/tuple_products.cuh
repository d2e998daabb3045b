// The kernel of bccoo-gpu for uneven rows: a block takes a chunk, multiplies by entries, then adds up by rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/coo/tuple_sums.cuh"
#include "kernels/cuda/shared/product_sums.cuh"

namespace spress::cuda {

inline constexpr unsigned entry_threads = 256, entries_of_thread = 4;
/// Of a chunk, so that no thread has more entries than it can have on their way at once. Rows are no more than threads.
inline constexpr unsigned most_entries = entry_threads * entries_of_thread;
static_assert(bccoo_gpu::row_limit <= entry_threads);

/// The shared memory of a block.
template <class T>
struct ChunkMemory {
  T products[most_entries];                 // of the entries
  std::uint16_t starts[entry_threads + 2];  // the first entry of each row but row 0
};

__device__ __forceinline__ TuplePiece load_piece(const TuplePiece* at) {
  const auto* const from = reinterpret_cast<const uint4*>(at);
  const uint4 bits[2] = {load_shared(from), load_shared(from + 1)};
  TuplePiece piece;
  static_assert(sizeof bits == sizeof piece);
  std::memcpy(&piece, bits, sizeof piece);
  return piece;
}

/// Fills the shared memory. Tuples come straight from memory: neighbouring threads read neighbouring ones.
template <class Tuple, class T>
__device__ __forceinline__ void put_products(const TupleTask<T>& task, const TuplePiece& chunk,
                                             ChunkMemory<T>& memory) {
  const unsigned entries = chunk.entries;
  T factors[entries_of_thread], values[entries_of_thread];
  std::uint32_t rows[entries_of_thread];
#pragma unroll
  for (unsigned u = 0; u < entries_of_thread; ++u) {
    // Behind the last entry, that one again: loads under a condition would wait for one another.
    const unsigned e = min(threadIdx.x + u * entry_threads, entries - 1);
    const std::uint64_t end = chunk.begin + (e + 1) * static_cast<unsigned>(Tuple::bytes);
    const TupleFields<Tuple> fields(task.data, end, [](const std::uint32_t* at) { return load_shared(at); });
    factors[u] = load_kept(task.x + (chunk.column + fields.column()));
    values[u] = fields.value(task.lut);
    if constexpr (TupleFields<Tuple>::has_row)
      rows[u] = fields.row();
    else
      rows[u] = load_shared(task.data + end - Tuple::bytes);
  }
#pragma unroll
  for (unsigned u = 0; u < entries_of_thread; ++u) {
    const unsigned e = threadIdx.x + u * entry_threads;
    std::uint32_t before = __shfl_up_sync(whole_warp, rows[u], 1);
    if (threadIdx.x % warp_size == 0)
      before = e == 0 || e >= entries ? 0 : load_shared(task.data + chunk.begin + (e - 1) * Tuple::bytes);
    if (e < entries)
      for (std::uint32_t r = before; r < rows[u]; ++r) memory.starts[r + 1] = static_cast<std::uint16_t>(e);
  }
#pragma unroll
  for (unsigned u = 0; u < entries_of_thread; ++u)
    if (const unsigned e = threadIdx.x + u * entry_threads; e < entries) memory.products[e] = values[u] * factors[u];
}

/// One block a chunk. Reads up to the end of the last word of the tuples, for which packed_view leaves room.
template <class T, class Layout>
__global__ void __launch_bounds__(entry_threads, 6) multiply_chunks(TupleTask<T> task) {
  __shared__ ChunkMemory<T> memory;
  const TuplePiece chunk = load_piece(task.pieces + blockIdx.x);
  Layout::with_tuple_of(format_of(chunk), [&]<class Tuple>(Tuple) { put_products<Tuple>(task, chunk, memory); });
  __syncthreads();
  const unsigned rows = chunk.rows_less_one + 1u, row = threadIdx.x;
  const unsigned begin = row == 0 || row >= rows ? 0 : memory.starts[row];
  const unsigned end = row >= rows ? 0 : row + 1 == rows ? chunk.entries : memory.starts[row + 1];
  const T sum = sum_of_products(memory.products, begin, end);
  const bool begun = (chunk.format_and_begun & begun_bit) != 0 && row == 0;
  if (row < rows) *(begun ? task.first_sums + blockIdx.x : task.y + chunk.first_row + row) = sum;
  for (std::uint64_t r = std::uint64_t{chunk.first_row} + rows + row; r < chunk.next_row; r += entry_threads)
    task.y[r] = T(0);
}

}  // namespace spress::cuda
