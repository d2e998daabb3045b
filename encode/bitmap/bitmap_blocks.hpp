// What the encoders of 8x8 bitmap blocks share: they differ only in how a block is found.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "analyze/blocks.hpp"
#include "encode/shared/common.hpp"
#include "formats/bitmap/bitmap_blocks.hpp"
#include "formats/csr/row_panel.hpp"

namespace spress {

/// Where each block row's blocks begin: block rows + 1 positions, the last is the number of blocks.
[[nodiscard]] inline std::vector<std::uint64_t> block_row_starts(const Csr<Viewed>& a) {
  const std::uint64_t n = block_rows_of(a.rows);
  std::vector<std::uint64_t> start(n + 1, 0);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::uint64_t i = 0; i < n; ++i)
    analyze::for_each_block(a, i, [&](std::uint32_t, std::uint64_t) { ++start[i + 1]; });
  for (std::uint64_t i = 0; i < n; ++i) start[i + 1] += start[i];
  return start;
}

/// Adds the blocks of a panel, none of which reaches into another one.
inline void count_blocks_of_panel(std::uint64_t& blocks, const RowPanel& panel) {
  blocks += analyze::blocks_8x8(panel.csr).count;
}

/// The entries of each row of a block: byte i counts those of row i. Plain arithmetic: without the processor's own
/// instruction, which not every x86-64 has, std::popcount is a call.
[[nodiscard]] constexpr std::uint64_t entries_by_row(std::uint64_t bitmap) {
  bitmap -= bitmap >> 1 & 0x5555555555555555u;
  bitmap = (bitmap & 0x3333333333333333u) + (bitmap >> 2 & 0x3333333333333333u);
  return (bitmap + (bitmap >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
}
/// The sum of the bytes of entries_by_row.
[[nodiscard]] constexpr std::uint64_t entries_of_block(std::uint64_t by_row) {
  return by_row * 0x0101010101010101u >> 56;
}

namespace detail {

/// Calls use(block, row, position in CSR, column in the block, position in blocks) for every entry, block rows in
/// parallel. Each row's entries come in ascending order, so a cursor per row finds their places in the CSR.
template <class Format, class Storage, class Use>
void for_each_block_entry(const Format& f, const std::vector<std::uint64_t>& start, const Positions<Storage>& row_ptr,
                          Use&& use) {
#pragma omp parallel for schedule(dynamic, 64)
  for (std::uint64_t i = 0; i < block_rows_of(f.rows); ++i) {
    std::uint64_t cursor[bitmap_side];
    for (std::uint64_t r = 0; r < bitmap_side && i * bitmap_side + r < f.rows; ++r)
      cursor[r] = row_ptr.position(i * bitmap_side + r);
    for (std::uint64_t b = start[i]; b < start[i + 1]; ++b) {
      std::uint64_t position = f.offsets.position(b);
      for (std::uint64_t bits = f.bitmaps[b]; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<std::uint64_t>(std::countr_zero(bits));
        use(b, cursor[bit / bitmap_side]++, static_cast<std::uint32_t>(bit % bitmap_side), position++);
      }
    }
  }
}

/// Where the values of each block begin: those of a block row begin where its first row does.
template <class Format>
[[nodiscard]] Positions<Owned> block_offsets(const Format& f, const std::vector<std::uint64_t>& start,
                                             const Positions<Viewed>& row_ptr) {
  auto positions = make_positions(f.blocks + 1, f.nnz);
  fill_positions(positions, [&]<class Position>(Position* offsets) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < block_rows_of(f.rows); ++i) {
      std::uint64_t offset = row_ptr.position(i * bitmap_side);
      for (std::uint64_t b = start[i]; b < start[i + 1]; ++b) {
        offsets[b] = static_cast<Position>(offset);
        offset += entries_of_block(entries_by_row(f.bitmaps[b]));
      }
    }
    offsets[f.blocks] = static_cast<Position>(f.nnz);
  });
  return positions;
}

/// The row pointers of a matrix of blocks: each block row counts its own rows.
template <class Format>
[[nodiscard]] Positions<Owned> row_ptr_of_blocks(const Format& f, const std::vector<std::uint64_t>& start) {
  auto positions = make_positions(f.rows + 1, f.nnz);
  fill_positions(positions, [&]<class Position>(Position* row_ptr) {
    std::fill_n(row_ptr, f.rows + 1, Position{0});
#pragma omp parallel for schedule(dynamic, 64)
    for (std::uint64_t i = 0; i < block_rows_of(f.rows); ++i)
      for (std::uint64_t b = start[i]; b < start[i + 1]; ++b)
        for (std::uint64_t r = 0, counts = entries_by_row(f.bitmaps[b]); counts != 0; ++r, counts >>= bitmap_side)
          row_ptr[i * bitmap_side + r + 1] += static_cast<unsigned>(counts & 0xFF);
    for (std::uint64_t r = 0; r < f.rows; ++r) row_ptr[r + 1] += row_ptr[r];
  });
  return positions;
}

}  // namespace detail

/// Fills shape, bitmaps, offsets and values of `out`; put(b, block_row, block_col) is called for each block and notes
/// where it stands. Requires: the format's own arrays have room for start.back() blocks.
template <class Format, class Put>
void fill_blocks(Format& out, const Csr<Viewed>& a, const std::vector<std::uint64_t>& start, Put&& put) {
  copy_shape(out, a);
  out.blocks = start.back();
  out.bitmaps = HostArray<std::uint64_t>(out.blocks);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::uint64_t i = 0; i < block_rows_of(a.rows); ++i) {
    std::uint64_t b = start[i];
    analyze::for_each_block(a, i, [&](std::uint32_t block_col, std::uint64_t bitmap) {
      put(b, i, block_col);
      out.bitmaps[b++] = bitmap;
    });
  }
  out.offsets = detail::block_offsets(out, start, a.row_ptr);
  out.values = empty_like(a.values, a.nnz);
  permute_codes(out.values, a.values, [&](auto* to, const auto* from) {
    detail::for_each_block_entry(
        out, start, a.row_ptr,
        [&](std::uint64_t, std::uint64_t k, std::uint32_t, std::uint64_t position) { to[position] = from[k]; });
  });
}

/// Undoes fill_blocks: col_of(b) is the block column of block b.
template <class Format, class ColOf>
[[nodiscard]] Csr<Owned> decode_blocks(const Format& f, const std::vector<std::uint64_t>& start, ColOf&& col_of) {
  Csr<Owned> out;
  copy_shape(out, f);
  out.row_ptr = detail::row_ptr_of_blocks(f, start);
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  detail::for_each_block_entry(f, start, out.row_ptr,
                               [&](std::uint64_t b, std::uint64_t k, std::uint32_t col, std::uint64_t) {
                                 out.col_idx[k] = col_of(b) * static_cast<std::uint32_t>(bitmap_side) + col;
                               });
  out.values = empty_like(f.values, f.nnz);
  permute_codes(out.values, f.values, [&](auto* to, const auto* from) {
    detail::for_each_block_entry(
        f, start, out.row_ptr,
        [&](std::uint64_t, std::uint64_t k, std::uint32_t, std::uint64_t position) { to[k] = from[position]; });
  });
  return out;
}

}  // namespace spress
