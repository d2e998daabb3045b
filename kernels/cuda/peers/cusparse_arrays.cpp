#include "kernels/cuda/peers/cusparse_arrays.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "formats/core/threads.hpp"

namespace spress::cuda::cusparse {
namespace {

std::uint64_t row_length(const Csr<Viewed>& a, std::uint64_t r) {
  return a.row_ptr.position(r + 1) - a.row_ptr.position(r);
}

template <class T>
T value_of(const Csr<Viewed>& a, std::uint64_t k) {
  return a.values.type == ValueType::none ? T(1) : a.values.codes.template as<T>()[k];
}

std::uint64_t slices_of(const Csr<Viewed>& a) { return (a.rows + slice_rows - 1) / slice_rows; }

std::uint64_t slice_slots(const Csr<Viewed>& a, std::uint64_t slice) {
  std::uint64_t longest = 0;
  for (std::uint64_t r = slice * slice_rows; r < std::min(a.rows, (slice + 1) * slice_rows); ++r)
    longest = std::max(longest, row_length(a, r));
  return longest * slice_rows;
}

template <class T, class Index>
void fill_slice(const Csr<Viewed>& a, std::uint64_t slice, SlicedEll<T, Index>& out) {
  const auto first = static_cast<std::uint64_t>(out.slice_start[slice]);
  const auto last = static_cast<std::uint64_t>(out.slice_start[slice + 1]);
  std::fill(out.col_idx.data() + first, out.col_idx.data() + last, Index(-1));
  std::fill(out.values.data() + first, out.values.data() + last, T(0));
  for (std::uint64_t r = slice * slice_rows; r < std::min(a.rows, (slice + 1) * slice_rows); ++r) {
    const std::uint64_t begin = a.row_ptr.position(r), end = a.row_ptr.position(r + 1);
    for (std::uint64_t k = begin, slot = first + r % slice_rows; k < end; ++k, slot += slice_rows) {
      out.col_idx[slot] = static_cast<Index>(a.col_idx[k]);
      out.values[slot] = value_of<T>(a, k);
    }
  }
}

/// Walks through the blocks of a block row: calls use(column of the block, n-th block of the row).
class BlockRow {
 public:
  BlockRow(const Csr<Viewed>& a, std::uint64_t size, std::uint64_t row) : a_(a), size_(size) {
    for (std::uint64_t i = 0; i < size; ++i) {
      next_[i] = a.row_ptr.position(row * size + i);
      end_[i] = a.row_ptr.position(row * size + i + 1);
    }
  }

  /// Calls use(i, k) for every entry k of the next block, which stands in its row i. False where there is no block.
  template <class Use>
  bool take(std::uint64_t& block_column, const Use& use) {
    block_column = none;
    for (std::uint64_t i = 0; i < size_; ++i)
      if (next_[i] < end_[i]) block_column = std::min<std::uint64_t>(block_column, a_.col_idx[next_[i]] / size_);
    if (block_column == none) return false;
    const std::uint64_t last = (block_column + 1) * size_;
    for (std::uint64_t i = 0; i < size_; ++i)
      for (; next_[i] < end_[i] && a_.col_idx[next_[i]] < last; ++next_[i]) use(i, next_[i]);
    return true;
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  const Csr<Viewed>& a_;
  std::uint64_t size_;
  std::array<std::uint64_t, most_block_size> next_{}, end_{};
};

std::uint64_t blocks_of_row(const Csr<Viewed>& a, std::uint64_t size, std::uint64_t row) {
  BlockRow blocks(a, size, row);
  std::uint64_t count = 0, column = 0;
  while (blocks.take(column, [](std::uint64_t, std::uint64_t) {})) ++count;
  return count;
}

template <class T, class Index>
void fill_block_row(const Csr<Viewed>& a, std::uint64_t size, std::uint64_t row, Bsr<T, Index>& out) {
  BlockRow blocks(a, size, row);
  const auto first = static_cast<std::uint64_t>(out.row_ptr[row]),
             last = static_cast<std::uint64_t>(out.row_ptr[row + 1]);
  for (std::uint64_t block = first; block < last; ++block) {
    T* const values = out.values.data() + block * size * size;
    std::fill_n(values, size * size, T(0));
    std::uint64_t column = 0;
    blocks.take(column,
                [&](std::uint64_t i, std::uint64_t k) { values[a.col_idx[k] % size * size + i] = value_of<T>(a, k); });
    out.col_idx[block] = static_cast<Index>(column);
  }
}

/// Turns counts in elements 1..n into the positions where they begin and end.
template <class Index>
void add_up(HostArray<Index>& counts) {
  counts[0] = 0;
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
}

}  // namespace

template <class Index>
HostArray<Index> converted(const Positions<Viewed>& positions, int threads) {
  HostArray<Index> out(positions.size());
#pragma omp parallel for schedule(static) num_threads(threads_worth(threads, out.size()))
  for (std::uint64_t i = 0; i < out.size(); ++i) out[i] = static_cast<Index>(positions.position(i));
  return out;
}

template <class Index>
HostArray<Index> converted(const View<std::uint32_t>& ids, int threads) {
  HostArray<Index> out(ids.size());
#pragma omp parallel for schedule(static) num_threads(threads_worth(threads, out.size()))
  for (std::uint64_t i = 0; i < out.size(); ++i) out[i] = static_cast<Index>(ids[i]);
  return out;
}

template <class Index>
HostArray<Index> row_of_each_entry(const Csr<Viewed>& a, int threads) {
  HostArray<Index> out(a.nnz);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads_worth(threads, a.nnz + a.rows))
  for (std::uint64_t r = 0; r < a.rows; ++r)
    std::fill(out.data() + a.row_ptr.position(r), out.data() + a.row_ptr.position(r + 1), static_cast<Index>(r));
  return out;
}

std::uint64_t sliced_ell_slots(const Csr<Viewed>& a, int threads) {
  const std::uint64_t slices = slices_of(a);
  std::uint64_t slots = 0;
#pragma omp parallel for schedule(static) reduction(+ : slots) num_threads(threads_worth(threads, a.rows))
  for (std::uint64_t s = 0; s < slices; ++s) slots += slice_slots(a, s);
  return slots;
}

template <class T, class Index>
SlicedEll<T, Index> sliced_ell(const Csr<Viewed>& a, int threads) {
  const std::uint64_t slices = slices_of(a);
  SlicedEll<T, Index> out;
  out.slice_start = HostArray<Index>(slices + 1);
#pragma omp parallel for schedule(static) num_threads(threads_worth(threads, a.rows))
  for (std::uint64_t s = 0; s < slices; ++s) out.slice_start[s + 1] = static_cast<Index>(slice_slots(a, s));
  add_up(out.slice_start);
  const auto slots = static_cast<std::uint64_t>(out.slice_start[slices]);
  out.col_idx = HostArray<Index>(slots);
  out.values = HostArray<T>(slots);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads_worth(threads, slots + a.rows))
  for (std::uint64_t s = 0; s < slices; ++s) fill_slice(a, s, out);
  return out;
}

std::uint64_t bsr_blocks(const Csr<Viewed>& a, std::uint64_t size, int threads) {
  const std::uint64_t block_rows = a.rows / size;
  std::uint64_t blocks = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : blocks) num_threads(threads_worth(threads, a.nnz + a.rows))
  for (std::uint64_t row = 0; row < block_rows; ++row) blocks += blocks_of_row(a, size, row);
  return blocks;
}

template <class T, class Index>
Bsr<T, Index> bsr(const Csr<Viewed>& a, std::uint64_t size, int threads) {
  const std::uint64_t block_rows = a.rows / size;
  const int team = threads_worth(threads, a.nnz + a.rows);
  Bsr<T, Index> out;
  out.row_ptr = HostArray<Index>(block_rows + 1);
#pragma omp parallel for schedule(dynamic, 256) num_threads(team)
  for (std::uint64_t row = 0; row < block_rows; ++row)
    out.row_ptr[row + 1] = static_cast<Index>(blocks_of_row(a, size, row));
  add_up(out.row_ptr);
  const auto blocks = static_cast<std::uint64_t>(out.row_ptr[block_rows]);
  out.col_idx = HostArray<Index>(blocks);
  out.values = HostArray<T>(blocks * size * size);
#pragma omp parallel for schedule(dynamic, 256) num_threads(team)
  for (std::uint64_t row = 0; row < block_rows; ++row) fill_block_row(a, size, row, out);
  return out;
}

#define SPRESS_INDEX(Index)                                                                  \
  template HostArray<Index> converted<Index>(const Positions<Viewed>&, int);                 \
  template HostArray<Index> converted<Index>(const View<std::uint32_t>&, int);               \
  template HostArray<Index> row_of_each_entry<Index>(const Csr<Viewed>&, int);               \
  template SlicedEll<float, Index> sliced_ell<float, Index>(const Csr<Viewed>&, int);        \
  template SlicedEll<double, Index> sliced_ell<double, Index>(const Csr<Viewed>&, int);      \
  template Bsr<float, Index> bsr<float, Index>(const Csr<Viewed>&, std::uint64_t size, int); \
  template Bsr<double, Index> bsr<double, Index>(const Csr<Viewed>&, std::uint64_t size, int);
SPRESS_INDEX(std::int32_t)
SPRESS_INDEX(std::int64_t)
#undef SPRESS_INDEX

}  // namespace spress::cuda::cusparse
