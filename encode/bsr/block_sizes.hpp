// The blocks that a matrix takes, and the block size with the fewest bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "formats/bsr/bsr.hpp"
#include "formats/csr/csr.hpp"

namespace spress::bsr {

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

/// The block size of the parameters. What they leave open is chosen by bytes with raw values, as 4096 entries all over
/// the matrix show; exactly where it has no more. Of sizes with the same bytes the smallest is taken.
/// Errors: usage for sides that are not 1 to 8.
[[nodiscard]] Result<BlockSize> choose_block_size(const Csr<Viewed>& a, const Bsr<Owned>::Params& params);

}  // namespace spress::bsr
