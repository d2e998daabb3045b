#include <limits>
#include <type_traits>

#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/shared/zero_filling.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

constexpr std::uint32_t lanes = Amb<>::lanes;
constexpr std::uint32_t all_lanes = ~0u;
constexpr std::uint64_t slots_ahead = 512;  // of values and of ids: what prefetchers of the processor leave to wish for

/// The id of a slot without a block.
template <class Id>
constexpr Id no_block = std::numeric_limits<Id>::max();
static_assert(no_block<std::uint16_t> == Amb<>::no_block && no_block<std::uint32_t> == Amb<>::no_wide_block);

/// A step of a chunk: a block for each lane.
template <class T, class Id, class Values>
struct Step {
  const Id* ids;                 ///< lanes: first columns of the blocks
  const std::uint32_t* present;  ///< block: bits of the lanes that have an entry in a column of their block
  std::uint64_t first_value;     ///< value slot of the first lane's first column
  std::uint32_t block;
  std::uint32_t near_end;  ///< ids below it may be looked at through Near
  Values values;
  const T* x;  ///< from the column on from which the ids count
};

/// The sums of the vector of lanes from lane j on, with a step's products added. partial: only those of entries that
/// are present. Columns are taken by as many as a window shows, a number that the compiler knows for small blocks.
template <int block, bool partial, class T, class Id, class Values>
[[gnu::always_inline]] inline auto add_blocks(const Step<T, Id, Values>& step, std::uint32_t j,
                                              typename Simd<T>::Vector sums) {
  using S = Simd<T>;
  const std::uint32_t width = block == 0 ? step.block : block;
  const auto ids = S::ids(step.ids + j);
  const Near<T> near(ids, step.ids[j]);
  const auto add = [&](std::uint32_t t, auto factors) {
    const auto values = load_values(step.values, step.first_value + std::uint64_t{lanes} * t + j);
    if constexpr (partial)
      sums = fma_chosen<T>(values, factors, sums, choose<T>(step.present[t] >> j));
    else
      sums = S::fma(values, factors, sums);
  };
  if (near.first < step.near_end && near.holds()) {
    for (std::uint32_t t = 0; t < width; t += near.columns) {
      const auto window = near.window(step.x + t);
      for (std::uint32_t i = 0; i < std::min(near.columns, width - t); ++i) add(t + i, window.at(i));
    }
  } else if constexpr (partial) {
    for (std::uint32_t t = 0; t < width; ++t) add(t, gather_chosen(step.x + t, ids, choose<T>(step.present[t] >> j)));
  } else {
    for (std::uint32_t t = 0; t < width; ++t) add(t, S::gather(step.x + t, ids));
  }
  return sums;
}

/// Which ids from column `base` on may be looked at through Near: neither may x end before the window does, nor may the
/// id of padding be taken for a column.
template <class T, class Id>
std::uint32_t near_end(const Amb<Viewed>& a, std::uint64_t base) {
  const std::uint64_t cols = std::min<std::uint64_t>(a.cols - base, no_block<Id>);
  const std::uint64_t behind = a.block + Near<T>::span;
  return cols < behind ? 0 : static_cast<std::uint32_t>(cols - behind);
}

/// The lanes of a step that have a block, if padding stands anywhere.
inline std::uint32_t lanes_with_blocks(const std::uint16_t* ids) {
  bool all = true;
  for (std::uint32_t j = 0; j < lanes; ++j) all &= ids[j] != Amb<>::no_block;
  if (all) return all_lanes;
  std::uint32_t used = 0;
  for (std::uint32_t j = 0; j < lanes; ++j) used |= std::uint32_t{ids[j] != Amb<>::no_block} << j;
  return used;
}

/// Notes which lanes have entries in the columns of a step's blocks, which the lanes in `blocks` have; false if all
/// have. by_bits: filling does not count as entries.
template <bool by_bits>
bool find_present(const Amb<Viewed>& a, std::uint64_t first_value, std::uint32_t blocks, std::uint32_t* present) {
  std::uint32_t common = blocks;
  const bool bits = by_bits && !a.present.empty();
  if (!bits && blocks == all_lanes) return false;
  for (std::uint32_t t = 0; t < a.block; ++t) {
    present[t] = bits ? a.present[first_value / lanes + t] : blocks;
    common &= present[t];
  }
  return common != all_lanes;
}

/// The lanes that have a block in the step of block slot `slot`, whose ids `step` has. Moves the step to its base if it
/// has one. active: the lanes up to the last one that had a block in the step before.
template <class T, class Id, class Values>
std::uint32_t find_lanes(const Amb<Viewed>& a, std::uint64_t slot, const T* x, Step<T, Id, Values>& step,
                         std::uint32_t& active) {
  if constexpr (std::is_same_v<Id, std::uint16_t>)
    if (!a.step_col.empty()) {
      const std::uint32_t base = a.step_col[slot / lanes];
      step.x = x + base;
      step.near_end = near_end<T, Id>(a, base);
      return lanes_with_blocks(step.ids);
    }
  while (step.ids[active - 1] == no_block<Id>) --active;  // rows are sorted: padding is last; no step is empty
  return all_lanes >> (lanes - active);
}

/// The ids of all block slots.
template <class Id>
const Id* ids_of(const Amb<Viewed>& a) {
  if constexpr (std::is_same_v<Id, std::uint16_t>)
    return a.block_col.data();
  else
    return a.wide_col.data();
}

/// The sums of chunk c. Returns their sum: NaN where one of them is. ids: of all block slots.
template <int block, bool by_bits, class T, class Id, class Values>
T sum_chunk(const Amb<Viewed>& a, std::uint64_t c, const Id* ids, Values values, const T* x, T* each) {
  using S = Simd<T>;
  constexpr std::uint32_t vectors = lanes / S::lanes;
  typename S::Vector sums[vectors];
  for (auto& sum : sums) sum = S::zero();
  std::uint32_t present[Amb<>::largest_block];
  const std::uint64_t base = a.first_col(c);
  Step<T, Id, Values> step = {nullptr, present, 0, a.block, near_end<T, Id>(a, base), values, x + base};
  std::uint32_t active = lanes;
  std::uint64_t slot = a.chunk_start.position(c);
  for (const std::uint64_t end = slot + std::uint64_t{lanes} * a.steps(c); slot < end; slot += lanes) {
    step.ids = ids + slot;
    step.first_value = slot * a.block;
    prefetch_values(values, step.first_value + slots_ahead, lanes * (block == 0 ? a.block : block));
    prefetch(step.ids, slots_ahead, lanes);
    const std::uint32_t used = find_lanes(a, slot, x, step, active);
    if (find_present<by_bits>(a, step.first_value, used, present))
      for (std::uint32_t i = 0; i < vectors; ++i) sums[i] = add_blocks<block, true>(step, i * S::lanes, sums[i]);
    else
      for (std::uint32_t i = 0; i < vectors; ++i) sums[i] = add_blocks<block, false>(step, i * S::lanes, sums[i]);
  }
  auto all = S::zero();
  for (std::uint32_t i = 0; i < vectors; ++i) {
    S::store(each + i * S::lanes, sums[i]);
    all = S::fma(sums[i], S::splat(T(1)), all);
  }
  return S::sum(all);
}

/// Adds the sums of chunk c to its rows.
template <class T>
void add_to_rows(const Amb<Viewed>& a, std::uint64_t c, const T* each, T* y) {
  const std::uint16_t* perm = a.perm.data() + lanes * c;
  T* rows = y + a.first_row(c);
  bool in_a_row = true;  // and none missing: no_row is no number between others
  for (std::uint32_t j = 1; j < lanes; ++j) in_a_row &= perm[j] == perm[0] + j;
  if (in_a_row && perm[lanes - 1] != Amb<>::no_row) {
    for (std::uint32_t j = 0; j < lanes; ++j) rows[perm[0] + j] += each[j];
  } else {
    for (std::uint32_t j = 0; j < lanes && perm[j] != Amb<>::no_row; ++j) rows[perm[j]] += each[j];
  }
}

/// Adds the products of chunk c, without its filling, to y. Apart, so that what is rare makes nothing else slower.
template <class T, class Id, class Values>
[[gnu::noinline, gnu::cold]] void add_without_filling(const Amb<Viewed>& a, std::uint64_t c, const Id* ids,
                                                      Values values, const T* x, T* y) {
  T each[lanes];
  sum_chunk<0, true>(a, c, ids, values, x, each);
  add_to_rows(a, c, each, y);
}

/// Adds the products of chunks [first, last) to y.
template <int block, class T, class Id, class Values>
void add_chunks(const Amb<Viewed>& a, std::uint64_t first, std::uint64_t last, Values values, const T* x, T* y) {
  const Id* const ids = ids_of<Id>(a);
  for (std::uint64_t c = first; c < last; ++c) {
    T each[lanes];
    const T all = sum_chunk<block, !zero_is_zero<Values>>(a, c, ids, values, x, each);
    if constexpr (zero_is_zero<Values>)  // filling times an infinite element of x is NaN
      if (!(all == all) && !a.present.empty()) {
        add_without_filling(a, c, ids, values, x, y);
        continue;
      }
    add_to_rows(a, c, each, y);
  }
}
template <class T, class Values>
using AddChunks = void (*)(const Amb<Viewed>& a, std::uint64_t first, std::uint64_t last, Values values, const T* x,
                           T* y);

/// add_chunks for the ids and blocks that the matrix has.
template <class T, class Values>
AddChunks<T, Values> add_chunks_for(const Amb<Viewed>& a) {
  if (!a.wide_col.empty()) return add_chunks<0, T, std::uint32_t, Values>;
  switch (a.block) {
    case 1: return add_chunks<1, T, std::uint16_t, Values>;
    case 2: return add_chunks<2, T, std::uint16_t, Values>;
    case 3: return add_chunks<3, T, std::uint16_t, Values>;
    default: return add_chunks<0, T, std::uint16_t, Values>;
  }
}

/// The chunk behind the segment that begins with chunk `first`.
inline std::uint64_t segment_end(const Amb<Viewed>& a, std::uint64_t first) {
  const std::uint32_t* lengths = a.chunk_length.data();
  const std::uint32_t segment = lengths[first] >> 16;
  const auto* end = std::partition_point(lengths + first, lengths + a.chunks,
                                         [&](std::uint32_t length) { return length >> 16 == segment; });
  return static_cast<std::uint64_t>(end - lengths);
}

/// The rows up to the last window of the segment that begins with chunk `first`; all rows behind the last segment.
inline std::uint64_t rows_needed(const Amb<Viewed>& a, std::uint64_t first) {
  if (first == a.chunks) return a.rows;
  return std::min(a.rows, a.first_row(segment_end(a, first) - 1) + a.sigma);
}

/// Sets this thread's share of rows [first, last) to 0.
template <class T>
void zero_rows(std::uint64_t first, std::uint64_t last, T* y) {
  const auto parts = static_cast<std::uint64_t>(omp_get_num_threads());
  const auto part = static_cast<std::uint64_t>(omp_get_thread_num());
  const std::uint64_t n = last - first;
  std::fill(y + first + n / parts * part, part + 1 == parts ? y + last : y + first + n / parts * (part + 1), T(0));
}

/// The rows of a segment's chunks are all different, so its chunks are shared among the threads without atomics; the
/// threads meet before the next segment. Each row is summed in the order of its segments, whatever their number. Rows
/// are set to 0 shortly before a segment needs them, so that they are still in the caches.
template <class T, class Values>
void multiply_segments(const Amb<Viewed>& a, AddChunks<T, Values> add, Values values, const T* x, T* y, int threads) {
#pragma omp parallel num_threads(thread_count(threads))
  {
    const int part = omp_get_thread_num(), parts = omp_get_num_threads();
    std::uint64_t ready = rows_needed(a, 0);
    zero_rows(0, ready, y);
    for (std::uint64_t first = 0; first < a.chunks;) {
#pragma omp barrier
      const std::uint64_t last = segment_end(a, first);
      add(a, balanced_cut(a.chunk_start, first, last, part, parts),
          balanced_cut(a.chunk_start, first, last, part + 1, parts), values, x, y);
      const std::uint64_t needed = std::max(ready, rows_needed(a, last));
      zero_rows(ready, needed, y);
      ready = needed;
      first = last;
    }
  }
}

template <class T>
void multiply(const Amb<Viewed>& a, const T* x, T* y, int threads) {
  with_accessor<T>(a.values, [&]<class Values>(Values values) {
    multiply_segments(a, add_chunks_for<T, Values>(a), values, x, y, threads);
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Amb)
