// Layouts that cuSPARSE takes and we have not as it wants them, made on the host.
#pragma once

#include <cstdint>

#include "formats/core/array.hpp"
#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"

namespace spress::cuda::cusparse {

/// Index: std::int32_t or std::int64_t; it must hold rows, columns, positions and slots. T: what the values are read
/// as; they are raw or a pattern (readable_as<T>).
inline constexpr std::uint64_t slice_rows = 32;

/// The numbers as Index. n elements.
template <class Index>
[[nodiscard]] HostArray<Index> converted(const Positions<Viewed>& positions, int threads);
template <class Index>
[[nodiscard]] HostArray<Index> converted(const View<std::uint32_t>& ids, int threads);

/// The row of every entry: nnz.
template <class Index>
[[nodiscard]] HostArray<Index> row_of_each_entry(const Csr<Viewed>& a, int threads);

/// Sliced ELL: entry k of row r in slot slice_start[s] + k * slice_rows + r % slice_rows of slice s = r / slice_rows.
/// Padding has the column -1 and the value 0; the last slice is whole.
template <class T, class Index>
struct SlicedEll {
  HostArray<Index> slice_start;  ///< slices + 1
  HostArray<Index> col_idx;      ///< slots
  HostArray<T> values;           ///< slots
};
/// The slots that it takes.
[[nodiscard]] std::uint64_t sliced_ell_slots(const Csr<Viewed>& a, int threads);
template <class T, class Index>
[[nodiscard]] SlicedEll<T, Index> sliced_ell(const Csr<Viewed>& a, int threads);

/// Blocks of size x size, column by column within a block, ascending in their block row; no block is without an entry.
/// Blocks of 3x3 row by row take cuSPARSE 12.6 twice as long on an H200.
template <class T, class Index>
struct Bsr {
  HostArray<Index> row_ptr;  ///< rows / size + 1
  HostArray<Index> col_idx;  ///< blocks
  HostArray<T> values;       ///< blocks * size * size
};
/// The blocks that it takes. Requires: 1 <= size <= most_block_size, which divides rows.
inline constexpr std::uint64_t most_block_size = 6;
[[nodiscard]] std::uint64_t bsr_blocks(const Csr<Viewed>& a, std::uint64_t size, int threads);
/// Requires: size divides columns too.
template <class T, class Index>
[[nodiscard]] Bsr<T, Index> bsr(const Csr<Viewed>& a, std::uint64_t size, int threads);

}  // namespace spress::cuda::cusparse
