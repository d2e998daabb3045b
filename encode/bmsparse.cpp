#include "formats/bmsparse.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "analyze/blocks.hpp"
#include "analyze/models.hpp"
#include "encode/codec.hpp"
#include "encode/common.hpp"

namespace spress {
namespace {

constexpr std::uint64_t side = 8;

std::uint64_t block_rows(std::uint64_t rows) { return (rows + side - 1) / side; }

/// Where each block row's blocks begin: block_rows + 1 positions, the last is the number of blocks.
std::vector<std::uint64_t> block_row_starts(const Csr<Viewed>& a) {
  const std::uint64_t n = block_rows(a.rows);
  std::vector<std::uint64_t> start(n + 1, 0);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::uint64_t i = 0; i < n; ++i)
    analyze::for_each_block(a, i, [&](std::uint32_t, std::uint64_t) { ++start[i + 1]; });
  for (std::uint64_t i = 0; i < n; ++i) start[i + 1] += start[i];
  return start;
}

/// Calls use(row, col, position) for every entry of a bitmap in row-major order, positions counting up from `first`.
template <class Use>
void for_each_entry(std::uint64_t key, std::uint64_t bitmap, std::uint64_t first, Use&& use) {
  const std::uint64_t row = (key >> 32) * side, col = (key & 0xFFFFFFFFu) * side;
  for (; bitmap != 0; bitmap &= bitmap - 1) {
    const auto bit = static_cast<std::uint64_t>(std::countr_zero(bitmap));
    use(row + bit / side, static_cast<std::uint32_t>(col + bit % side), first++);
  }
}

/// Calls use(column, position in CSR, position in blocks) for every entry of the matrix, block rows in parallel.
/// Each row's entries come in ascending order, so a cursor per row finds their places in the CSR.
template <class Format, class Storage, class Use>
void for_each_pair(const Format& f, const std::vector<std::uint64_t>& start, const Positions<Storage>& row_ptr,
                   Use&& use) {
#pragma omp parallel for schedule(dynamic, 64)
  for (std::uint64_t i = 0; i < block_rows(f.rows); ++i) {
    std::uint64_t cursor[side];
    for (std::uint64_t r = 0; r < side && i * side + r < f.rows; ++r) cursor[r] = row_ptr.position(i * side + r);
    for (std::uint64_t b = start[i]; b < start[i + 1]; ++b)
      for_each_entry(f.keys[b], f.bitmaps[b], f.offsets.position(b),
                     [&](std::uint64_t row, std::uint32_t col, std::uint64_t position) {
                       use(col, cursor[row % side]++, position);
                     });
  }
}

}  // namespace

template <>
Result<BmSparse<Owned>> encode<BmSparse>(const Csr<Viewed>& a, const NoParams&) {
  const auto start = block_row_starts(a);
  BmSparse<Owned> out;
  copy_shape(out, a);
  out.blocks = start.back();
  out.keys = HostArray<std::uint64_t>(out.blocks);
  out.bitmaps = HostArray<std::uint64_t>(out.blocks);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::uint64_t i = 0; i < block_rows(a.rows); ++i) {
    std::uint64_t b = start[i];
    analyze::for_each_block(a, i, [&](std::uint32_t block_col, std::uint64_t bitmap) {
      out.keys[b] = i << 32 | block_col;
      out.bitmaps[b++] = bitmap;
    });
  }
  out.offsets = make_positions(out.blocks + 1, a.nnz);
  fill_positions(out.offsets, [&]<class Position>(Position* offsets) {
    offsets[0] = 0;
    for (std::uint64_t b = 0; b < out.blocks; ++b)
      offsets[b + 1] = static_cast<Position>(offsets[b] + static_cast<Position>(std::popcount(out.bitmaps[b])));
  });
  out.values = empty_like(a.values, a.nnz);
  permute_codes(out.values, a.values, [&](auto* to, const auto* from) {
    for_each_pair(out, start, a.row_ptr,
                  [&](std::uint32_t, std::uint64_t k, std::uint64_t position) { to[position] = from[k]; });
  });
  return out;
}

template <>
Csr<Owned> decode<BmSparse>(const BmSparse<Viewed>& f) {
  Csr<Owned> out;
  copy_shape(out, f);
  std::vector<std::uint64_t> start(block_rows(f.rows) + 1, 0);
  for (std::uint64_t b = 0; b < f.blocks; ++b) ++start[(f.keys[b] >> 32) + 1];
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];

  out.row_ptr = make_positions(f.rows + 1, f.nnz);
  fill_positions(out.row_ptr, [&](auto* row_ptr) {
    std::fill_n(row_ptr, f.rows + 1, 0);
    for (std::uint64_t b = 0; b < f.blocks; ++b)
      for (std::uint64_t r = 0; r < side; ++r)
        if (const auto bits = static_cast<std::uint8_t>(f.bitmaps[b] >> (r * side)); bits != 0)
          row_ptr[(f.keys[b] >> 32) * side + r + 1] += static_cast<unsigned>(std::popcount(bits));
    for (std::uint64_t r = 0; r < f.rows; ++r) row_ptr[r + 1] += row_ptr[r];
  });
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  for_each_pair(f, start, out.row_ptr,
                [&](std::uint32_t col, std::uint64_t k, std::uint64_t) { out.col_idx[k] = col; });
  out.values = empty_like(f.values, f.nnz);
  permute_codes(out.values, f.values, [&](auto* to, const auto* from) {
    for_each_pair(f, start, out.row_ptr,
                  [&](std::uint32_t, std::uint64_t k, std::uint64_t position) { to[k] = from[position]; });
  });
  return out;
}

template <>
Result<SizeEstimate> estimate<BmSparse>(const Csr<Viewed>& a, const NoParams&) {
  const std::uint64_t blocks = analyze::blocks_8x8(a).count;
  return SizeEstimate{16 * blocks + position_bytes(blocks + 1, a.nnz), analyze::bmsparse_model(blocks), a.nnz};
}

}  // namespace spress
