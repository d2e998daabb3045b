// What bitmap blocks by pointers take, from counts alone.
#pragma once

#include "analyze/models.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "formats/bitmap/bitmap_blocks.hpp"

namespace spress {

[[nodiscard]] constexpr SizeEstimate bmsparse_csr_size(std::uint64_t rows, std::uint64_t blocks, std::uint64_t nnz) {
  const std::uint64_t block_rows = block_rows_of(rows);
  return {12 * blocks + position_bytes(block_rows + 1, blocks) + position_bytes(blocks + 1, nnz),
          analyze::bmsparse_csr_model(blocks, block_rows), nnz};
}

}  // namespace spress
