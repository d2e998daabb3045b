// The blocks of r x c entries, on a grid over the matrix, that hold its entries; and the size of blocks with the fewest
// bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "formats/core/params.hpp"
#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"

namespace spress::grid {

struct BlockSize {
  std::uint32_t r, c;
};

/// The block columns of block row i, ascending, into `columns`.
void find_block_columns(const Csr<Viewed>& a, BlockSize size, std::uint64_t i, std::vector<std::uint32_t>& columns);

/// Calls use with ranges that make up all block rows, on several threads where so many entries are worth it. What a
/// call throws is thrown again here.
void for_block_row_ranges(std::uint64_t block_rows, std::uint64_t nnz,
                          const std::function<void(std::uint64_t first, std::uint64_t last)>& use);

/// The number of the first block of each block row; behind the last, the number of all blocks. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::uint64_t> block_row_starts(const Csr<Viewed>& a, BlockSize size);

/// Calls use(s, k) for each entry k of block row i, with the number of its block there and its place in the block: that
/// of row q and column p of it is r * p + q. columns: the block columns of the block row.
template <class Use>
void for_each_entry_of(const Csr<Viewed>& a, BlockSize size, std::uint64_t i, const std::vector<std::uint32_t>& columns,
                       Use&& use) {
  const std::uint64_t first = i * size.r, last = std::min(a.rows, first + size.r);
  for (std::uint64_t row = first; row < last; ++row) {
    std::uint64_t b = 0;
    for (std::uint64_t k = a.row_ptr.position(row); k < a.row_ptr.position(row + 1); ++k) {
      const std::uint32_t col = a.col_idx[k];
      while (columns[b] != col / size.c) ++b;
      use(b, col % size.c * size.r + (row - first), k);
    }
  }
}

/// Calls use(row, column, slot) for each entry of the block of f with its first entry in that row and column.
/// slot_of(s): where value s of the block stands, that of row s % r and column s / r.
template <class Format, class SlotOf, class Use>
void for_each_entry_of_block(const Format& f, std::uint64_t first_row, std::uint32_t first_col, const SlotOf& slot_of,
                             Use&& use) {
  for (std::uint32_t s = 0; s < f.slots_of_block(); ++s)
    if (const std::uint64_t slot = slot_of(s); f.has_entry(slot)) use(first_row + s % f.r, first_col + s / f.r, slot);
}

/// Sets a bit (i % 32 of word i / 32). shared: other threads may set bits of that word.
void set_bit(std::uint32_t* words, std::uint64_t bit, bool shared);

/// A format's demands on its blocks.
struct BlockChoice {
  std::string_view format;
  AutoNumber r, c;                  ///< as its parameters say
  std::uint32_t smallest, largest;  ///< sides to choose among; any from 1 to the largest may be asked for
  double bytes_of_block;            ///< of indices
  double bytes_of_block_row;
};

/// The block size of the parameters. What they leave open is chosen by bytes with raw values, as 512 entries all over
/// the matrix show; of the sizes between those within a fifth of the best, by 4096; exactly where the matrix has no
/// more. The smallest of sizes with the same bytes is taken. Errors: usage for sides that are too small or large.
[[nodiscard]] Result<BlockSize> choose_block_size(const Csr<Viewed>& a, const BlockChoice& choice);

}  // namespace spress::grid
