#include <bit>

#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

constexpr std::uint32_t lanes = Amb<>::lanes;

/// Adds one column of blocks, the value slots from `v` on, to the sums of the first `active` lanes.
template <class T, class Values>
void add_column(std::uint32_t active, const std::uint16_t* ids, std::uint64_t v, Values values, const T* x, T* sums) {
#pragma omp simd
  for (std::uint32_t j = 0; j < active; ++j) sums[j] += values[v + j] * x[ids[j]];
}

/// Adds the products of chunk c to y. `by_bits`: value slots without an entry are left out, not multiplied.
template <bool by_bits, class T, class Values>
void add_chunk(const Amb<Viewed>& a, std::uint64_t c, std::uint64_t slot, Values values, const T* x, T* y) {
  T sums[lanes] = {};
  const T* segment = x + a.first_col(c);
  std::uint32_t active = lanes;
  for (std::uint32_t k = 0; k < a.steps(c); ++k, slot += lanes) {
    const std::uint16_t* ids = a.block_col.data() + slot;
    while (ids[active - 1] == Amb<>::no_block) --active;  // rows are sorted, so padding is last; no step is empty
    for (std::uint32_t t = 0; t < a.block; ++t) {
      const std::uint64_t v = slot * a.block + std::uint64_t{lanes} * t;
      if constexpr (by_bits) {
        for (std::uint32_t bits = a.present[v / lanes]; bits != 0; bits &= bits - 1) {
          const auto j = static_cast<std::uint32_t>(std::countr_zero(bits));
          sums[j] += values[v + j] * segment[ids[j] + t];
        }
      } else if (active == lanes) {
        add_column(lanes, ids, v, values, segment + t, sums);
      } else {
        add_column(active, ids, v, values, segment + t, sums);
      }
    }
  }
  T* rows = y + a.first_row(c);
  for (std::uint32_t j = 0; j < lanes && a.perm[lanes * c + j] != Amb<>::no_row; ++j)
    rows[a.perm[lanes * c + j]] += sums[j];
}

/// The rows of a segment's chunks are all different, so its chunks are shared among the threads without atomics; the
/// threads meet before the next segment. Each row is summed in the order of its segments, whatever their number.
template <bool by_bits, class T, class Position, class Values>
void multiply_segments(const Amb<Viewed>& a, const Position* chunk_start, Values values, const T* x, T* y,
                       int threads) {
#pragma omp parallel num_threads(thread_count(threads))
  {
    const int part = omp_get_thread_num(), parts = omp_get_num_threads();
    const auto row = [&](int p) { return a.rows * static_cast<std::uint64_t>(p) / static_cast<std::uint64_t>(parts); };
    std::fill(y + row(part), y + row(part + 1), T(0));
#pragma omp barrier
    for_each_segment(a, [&](std::uint64_t first, std::uint64_t last) {
      const Position* cost = chunk_start + first;
      const std::uint64_t end = first + balanced_cut(cost, last - first, part + 1, parts);
      for (std::uint64_t c = first + balanced_cut(cost, last - first, part, parts); c < end; ++c)
        add_chunk<by_bits>(a, c, chunk_start[c], values, x, y);
#pragma omp barrier
    });
  }
}

template <class T>
void multiply(const Amb<Viewed>& a, const T* x, T* y, int threads) {
  const bool zero_is_zero =
      a.values.type != ValueType::none && (a.values.kind == StoreKind::raw || a.values.kind == StoreKind::narrow);
  with_positions(a.chunk_start, [&](const auto* chunk_start) {
    with_accessor<T>(a.values, [&](auto values) {
      if (zero_is_zero || a.present.empty())
        multiply_segments<false>(a, chunk_start, values, x, y, threads);
      else
        multiply_segments<true>(a, chunk_start, values, x, y, threads);
    });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Amb)
