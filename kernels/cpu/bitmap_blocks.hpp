// What the kernels of 8x8 bitmap blocks share: a block row is summed by one thread, block by block.
#pragma once

#include <bit>
#include <cstdint>

#include "formats/bitmap_blocks.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

/// Adds one block's product to the eight sums of its block row. `v` is the block's first value, `x` its first column.
template <class T, class Values>
void add_block(std::uint64_t bitmap, std::uint64_t v, Values values, const T* x, T* sums) {
  for (std::uint64_t i = 0; i < bitmap_side; ++i)
    for (auto bits = static_cast<unsigned>(bitmap >> (bitmap_side * i) & 0xFF); bits != 0; bits &= bits - 1)
      sums[i] += values[v++] * x[std::countr_zero(bits)];
}

/// Sums the blocks from b on while in_row(b) holds, which stand in columns col_of(b), and calls write(sums) with the
/// eight sums of their block row. Returns the block behind.
template <class Format, class Position, class T, class Values, class InRow, class ColOf, class Write>
std::uint64_t sum_block_row(const Format& a, std::uint64_t b, const Position* offsets, Values values, const T* x,
                            InRow&& in_row, ColOf&& col_of, Write&& write) {
  T sums[bitmap_side] = {};
  for (; in_row(b); ++b) add_block(a.bitmaps[b], offsets[b], values, x + col_of(b) * bitmap_side, sums);
  write(sums);
  return b;
}

SPRESS_KERNELS_END
