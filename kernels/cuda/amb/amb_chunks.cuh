// The kernels of amb: a warp takes a chunk, a piece of one, or a stretch of short ones.
#pragma once

#include <cstdint>
#include <utility>

#include "formats/amb/amb.hpp"
#include "kernels/cuda/amb/chunk_lists.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/zero_filling.cuh"

namespace spress::cuda::amb {

inline constexpr std::uint32_t lanes = Amb<>::lanes;
static_assert(lanes == warp_size);
inline constexpr unsigned block_threads = 256,
                          blocks_at_once = 4;  // with this bound the compiler spends registers on loads

template <class Values>
struct AmbArrays {
  DevicePositions chunk_start;
  const std::uint32_t* chunk_length;
  const std::uint16_t* window;
  const std::uint16_t* perm;
  const std::uint16_t* block_col;
  const std::uint32_t* wide_col;  // null where columns are in block_col
  const std::uint32_t* step_col;  // null where steps have no bases
  const std::uint32_t* present;   // null where every block is full
  std::uint32_t block, sigma, table_size;
  std::uint32_t segment;   // columns from one base to the next; 0 where ids do not count from their segment
  std::uint32_t no_block;  // the id of padding
  Values values;

  AmbArrays(const Amb<Viewed>& a, const Values& v)
      : chunk_start(a.chunk_start),
        chunk_length(a.chunk_length.data()),
        window(a.window.data()),
        perm(a.perm.data()),
        block_col(a.block_col.data()),
        wide_col(a.wide_col.empty() ? nullptr : a.wide_col.data()),
        step_col(a.step_col.empty() ? nullptr : a.step_col.data()),
        present(a.present.empty() ? nullptr : a.present.data()),
        block(a.block),
        sigma(a.sigma),
        table_size(static_cast<std::uint32_t>(a.values.table.size())),
        segment(a.base() == ColumnBase::segment ? a.segment : 0),
        no_block(wide_col ? Amb<>::no_wide_block : Amb<>::no_block),
        values(v) {}
};

/// Whether the store has a small table, which fits into shared memory.
template <class Values>
inline constexpr bool has_small_table = false;
template <class T>
inline constexpr bool has_small_table<OnDevice<TableAccessor<T, std::uint8_t>>> = true;

/// Decodes values. Requires: all threads of a block construct theirs.
template <class Values>
class Decoder {
 public:
  __device__ __forceinline__ Decoder(const Values& values, std::uint32_t) : values_(values) {}
  template <class Code>
  __device__ __forceinline__ auto operator()(Code code) const {
    return values_.decode(code);
  }

 private:
  const Values& values_;
};

/// A small table is read from shared memory: one request to the cache would cover few of its lines.
template <class T>
class Decoder<OnDevice<TableAccessor<T, std::uint8_t>>> {
 public:
  __device__ __forceinline__ Decoder(const OnDevice<TableAccessor<T, std::uint8_t>>& values, std::uint32_t size) {
    __shared__ T table[256];
    for (unsigned i = threadIdx.x; i < size; i += blockDim.x) table[i] = values.table[i];
    __syncthreads();
    table_ = table;
  }
  __device__ __forceinline__ T operator()(std::uint8_t code) const { return table_[code]; }

 private:
  const T* table_;
};

/// Steps that are loaded at once: about ten columns together.
template <unsigned block>
inline constexpr unsigned batch = block <= 2   ? 4
                                  : block == 3 ? 3
                                  : block <= 5 ? 2
                                               : 1;

/// The same for stretches of short chunks.
template <unsigned block, class Values>
inline constexpr unsigned stretch_batch = block == 1 && !has_small_table<Values> ? 6 : batch<block>;

/// The steps that a lane loads at once: `many` blocks, and `columns` columns of each at a time.
template <unsigned many, unsigned columns, class T, class Values>
struct Batch {
  using Code = decltype(std::declval<const Values&>().load(0));

  std::uint32_t ids[many];
  std::uint32_t bases[many];
  bool used[many];
  Code codes[many][columns];
  std::uint32_t entries[many][columns];  // bits of the lanes that have one
  T factors[many][columns];

  /// Loads the ids of steps step .. step + last. Positions after those load the last one again, because loads under a
  /// condition would wait for one another.
  __device__ __forceinline__ void load_ids(const AmbArrays<Values>& a, std::uint64_t step, std::uint32_t last) {
    const unsigned lane = threadIdx.x % lanes;
#pragma unroll
    for (unsigned u = 0; u < many; ++u) {
      const std::uint64_t at = step + min(u, last);
      ids[u] = a.wide_col ? load_once(a.wide_col + at * lanes + lane) : load_once(a.block_col + at * lanes + lane);
      bases[u] = a.step_col ? load_shared(a.step_col + at) : 0;
    }
  }
  /// Loads columns from, from + 1, ... of blocks of `width` columns.
  __device__ __forceinline__ void load_codes(const AmbArrays<Values>& a, std::uint64_t step, std::uint32_t last,
                                             std::uint32_t width, std::uint32_t from) {
    const bool holes = !zero_is_zero<Values> && a.present != nullptr;
#pragma unroll
    for (unsigned u = 0; u < many; ++u)
#pragma unroll
      for (unsigned t = 0; t < columns; ++t) {
        const std::uint64_t at = (step + min(u, last)) * width + from + t;
        codes[u][t] = a.values.load(at * lanes + threadIdx.x % lanes);
        entries[u][t] = holes ? load_once(a.present + at) : whole_warp;
      }
  }
  /// Adds the bases to the ids of blocks. Requires: load_ids.
  __device__ __forceinline__ void mark_used(std::uint32_t no_block) {
#pragma unroll
    for (unsigned u = 0; u < many; ++u) {
      used[u] = ids[u] != no_block;
      ids[u] = used[u] ? ids[u] + bases[u] : 0;
    }
  }
  /// x: from the base of the chunk on. Requires: mark_used.
  __device__ __forceinline__ void load_factors(const T* x, std::uint32_t from) {
#pragma unroll
    for (unsigned u = 0; u < many; ++u)
#pragma unroll
      for (unsigned t = 0; t < columns; ++t) factors[u][t] = load_shared(x + ids[u] + from + t);
  }
  /// Whether all lanes have entries throughout, as most have. The same in all lanes.
  [[nodiscard]] __device__ __forceinline__ bool full() const {
    bool all = true;
    std::uint32_t common = whole_warp;
#pragma unroll
    for (unsigned u = 0; u < many; ++u) {
      all = all && used[u];
#pragma unroll
      for (unsigned t = 0; t < columns; ++t) common &= entries[u][t];
    }
    return __all_sync(whole_warp, all && common == whole_warp) != 0;
  }
  /// Adds the products of step u < many. checked: skips padding and holes, which full() excludes.
  template <bool checked>
  __device__ __forceinline__ void add(const Decoder<Values>& decoder, unsigned u, T& sum) const {
#pragma unroll
    for (unsigned t = 0; t < columns; ++t) {
      const T next = sum + decoder(codes[u][t]) * factors[u][t];
      if (!checked || (used[u] && (entries[u][t] >> (threadIdx.x % lanes) & 1) != 0)) sum = next;
    }
  }
};

/// The sum of one lane over `steps` steps from `step` on. x: from the base of the chunk on. block: of the matrix, or 0
/// for any.
template <unsigned block, class T, class Values>
__device__ __forceinline__ T sum_steps(const AmbArrays<Values>& a, const Decoder<Values>& decoder, std::uint64_t step,
                                       std::uint32_t steps, const T* x) {
  constexpr unsigned many = batch<block>, columns = block == 0 ? 1 : block;
  const std::uint32_t width = block == 0 ? a.block : block;
  T sum = 0;
  for (std::uint32_t k = 0; k < steps; k += many) {
    const std::uint32_t last = steps - 1 - k;
    Batch<many, columns, T, Values> some;
    some.load_ids(a, step + k, last);
    for (std::uint32_t from = 0; from < width; from += columns) {
      some.load_codes(a, step + k, last, width, from);
      if (from == 0) some.mark_used(a.no_block);
      some.load_factors(x, from);
      if (last + 1 >= many && some.full()) {
#pragma unroll
        for (unsigned u = 0; u < many; ++u) some.template add<false>(decoder, u, sum);
      } else {
#pragma unroll
        for (unsigned u = 0; u < many; ++u)
          if (u <= last) some.template add<true>(decoder, u, sum);
      }
    }
  }
  return sum;
}

/// The sum of one lane over steps [first, last) without filling: where that has met an element of x that is not finite.
template <class T, class Values>
__device__ T sum_without_filling(const AmbArrays<Values>& a, std::uint64_t first, std::uint64_t last, const T* x) {
  const unsigned lane = threadIdx.x % lanes;
  T sum = 0;
  for (std::uint64_t step = first; step < last; ++step) {
    std::uint32_t id = a.wide_col ? a.wide_col[step * lanes + lane] : a.block_col[step * lanes + lane];
    if (id == a.no_block) continue;
    if (a.step_col) id += a.step_col[step];
    for (std::uint64_t t = 0; t < a.block; ++t) {
      const std::uint64_t at = step * a.block + t;
      if ((a.present[at] >> lane & 1) != 0) sum += a.values.decode(a.values.load(at * lanes + lane)) * x[id + t];
    }
  }
  return sum;
}

/// Whether a sum may be NaN because of filling.
template <class T, class Values>
__device__ __forceinline__ bool met_filling(const AmbArrays<Values>& a, T sum) {
  return zero_is_zero<Values> && !(sum == sum) && a.present != nullptr;
}

template <class T>
__device__ __forceinline__ void put_sum(T* y, T sum, bool add) {
  if (add)
    atomicAdd(y, sum);
  else
    *y = sum;
}

/// Each warp takes a chunk, or a piece of one where there are pieces. add: adds to y, for rows in several chunks; else
/// every row is in one chunk.
template <unsigned block, class T, class Values>
__global__ void __launch_bounds__(block_threads, blocks_at_once)
    multiply_chunks(AmbArrays<Values> a, std::uint64_t count, const ChunkPiece* pieces, bool add, const T* x, T* y) {
  const Decoder<Values> decoder(a.values, a.table_size);
  const unsigned lane = threadIdx.x % lanes;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block_threads / lanes);
  for (std::uint64_t w = std::uint64_t{blockIdx.x} * (block_threads / lanes) + threadIdx.x / lanes; w < count;
       w += stride) {
    const std::uint64_t chunk = pieces ? pieces[w].chunk : w;
    const std::uint32_t length = load_shared(a.chunk_length + chunk);
    const std::uint32_t first = pieces ? pieces[w].first : 0, last = pieces ? pieces[w].last : length & 0xFFFFu;
    const std::uint32_t row = load_once(a.perm + chunk * lanes + lane);
    T* window = y + std::uint64_t{load_shared(a.window + chunk)} * a.sigma;
    const std::uint64_t step = a.chunk_start[chunk] / lanes;
    const T* const factors = x + std::uint64_t{length >> 16} * a.segment;
    T sum = sum_steps<block>(a, decoder, step + first, last - first, factors);
    if (met_filling(a, sum)) sum = sum_without_filling(a, step + first, step + last, factors);
    if (row != Amb<>::no_row) put_sum(window + row, sum, add);
  }
}

/// The chunks of a stretch, one in each lane.
struct ChunksOfStretch {
  std::uint32_t end;     ///< of this lane's chunk, in steps from the stretch's first; at most its length
  std::uint32_t window;  ///< first row

  /// Bit u says whether a chunk ends with step k + u.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t ends(std::uint32_t k, unsigned many) const {
    const std::uint32_t u = end - 1 - k;
    return __reduce_or_sync(whole_warp, u < many ? 1u << u : 0u);
  }
  /// The number, within the stretch, of the chunk that holds step k.
  [[nodiscard]] __device__ __forceinline__ unsigned chunk_at(std::uint32_t k) const {
    return static_cast<unsigned>(__popc(__ballot_sync(whole_warp, end <= k)));
  }
};

/// Each warp takes a stretch of short chunks: with one chunk it would mostly wait for its first loads. Batches of steps
/// may reach over several chunks.
template <unsigned block, class T, class Values>
__global__ void __launch_bounds__(block_threads, blocks_at_once)
    multiply_stretches(AmbArrays<Values> a, std::uint64_t chunks, std::uint64_t count, const ChunkStretch* stretches,
                       bool add, const T* x, T* y) {
  constexpr unsigned many = stretch_batch<block, Values>;
  const Decoder<Values> decoder(a.values, a.table_size);
  const unsigned lane = threadIdx.x % lanes;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block_threads / lanes);
  for (std::uint64_t w = std::uint64_t{blockIdx.x} * (block_threads / lanes) + threadIdx.x / lanes; w < count;
       w += stride) {
    const ChunkStretch stretch = stretches[w];
    const std::uint64_t chunk = min(stretch.chunk + lane, chunks - 1);
    const ChunksOfStretch its = {
        static_cast<std::uint32_t>(min(a.chunk_start[chunk + 1] / lanes - stretch.step, std::uint64_t{stretch.steps})),
        load_shared(a.window + chunk) * a.sigma};
    const std::uint16_t* perm = a.perm + stretch.chunk * lanes + lane;
    T sum = 0;
    std::uint32_t again = 0;  // a bit for each chunk whose sum met filling
    for (std::uint32_t k = 0; k < stretch.steps; k += many) {
      const std::uint32_t last = stretch.steps - 1 - k;
      Batch<many, block, T, Values> some;
      some.load_ids(a, stretch.step + k, last);
      some.load_codes(a, stretch.step + k, last, block, 0);
      const std::uint32_t ends = its.ends(k, many);
      unsigned j = its.chunk_at(k);
      std::uint32_t rows[many];
#pragma unroll
      for (unsigned u = 0, next = j; u < many; ++u)
        if ((ends >> u & 1) != 0) rows[u] = load_once(perm + next++ * lanes);
      some.mark_used(a.no_block);
      some.load_factors(x + stretch.column, 0);
      const auto add_steps = [&]<bool checked>() {
#pragma unroll
        for (unsigned u = 0; u < many; ++u) {
          some.template add<checked>(decoder, u, sum);
          if ((ends >> u & 1) == 0) continue;
          const std::uint32_t window = __shfl_sync(whole_warp, its.window, static_cast<int>(j));
          if (met_filling(a, sum))
            again |= 1u << j;
          else if (rows[u] != Amb<>::no_row)
            put_sum(y + window + rows[u], sum, add);
          sum = 0;
          ++j;
        }
      };
      if (some.full())
        add_steps.template operator()<false>();
      else
        add_steps.template operator()<true>();
    }
    for (; again != 0; again &= again - 1) {
      const std::uint64_t its_chunk = stretch.chunk + static_cast<unsigned>(__ffs(static_cast<int>(again)) - 1);
      const std::uint64_t first = max(a.chunk_start[its_chunk] / lanes, stretch.step),
                          last = min(a.chunk_start[its_chunk + 1] / lanes, stretch.step + stretch.steps);
      const std::uint32_t row = a.perm[its_chunk * lanes + lane];
      if (row != Amb<>::no_row)
        put_sum(y + std::uint64_t{a.window[its_chunk]} * a.sigma + row,
                sum_without_filling(a, first, last, x + stretch.column), add);
    }
  }
}

}  // namespace spress::cuda::amb
