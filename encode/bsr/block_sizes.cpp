#include "encode/bsr/block_sizes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "formats/core/threads.hpp"

namespace spress::bsr {
namespace {

constexpr std::uint32_t largest = Bsr<Owned>::largest_side;
constexpr std::uint64_t sample_entries = 16 << 10, sample_pieces = 64;

/// What a sample shows of one number of rows per block.
struct Counts {
  std::uint64_t entries = 0, block_rows = 0;
  std::array<std::uint64_t, largest + 1> blocks = {};  // by columns per block
};

/// Adds the blocks of the block row that begins at row `first`. columns: room.
void add_block_row(const Csr<Viewed>& a, std::uint64_t first, std::uint32_t r, std::vector<std::uint32_t>& columns,
                   Counts& counts) {
  const std::uint64_t begin = a.row_ptr.position(first), end = a.row_ptr.position(std::min(a.rows, first + r));
  columns.assign(a.col_idx.data() + begin, a.col_idx.data() + end);
  std::sort(columns.begin(), columns.end());
  counts.entries += end - begin;
  ++counts.block_rows;
  for (std::uint32_t c = 1; c <= largest; ++c) {
    std::uint64_t next = 0;  // the first column behind the last block
    for (const std::uint32_t col : columns)
      if (col >= next) {
        next = (std::uint64_t{col} / c + 1) * c;
        ++counts.blocks[c];
      }
  }
}

/// Counts blocks of r rows in stretches of the matrix that lie at equal distances; in all of a small one.
Counts sample(const Csr<Viewed>& a, std::uint32_t r) {
  Counts counts;
  std::vector<std::uint32_t> columns;
  const std::uint64_t pieces = a.nnz <= sample_entries ? 1 : sample_pieces, wanted = sample_entries / pieces;
  const std::uint64_t block_rows = (a.rows + r - 1) / r;
  std::uint64_t next = 0;
  for (std::uint64_t p = 0; p < pieces; ++p) {
    next = std::max(next, block_rows / pieces * p);
    for (const std::uint64_t before = counts.entries; next < block_rows && counts.entries - before < wanted; ++next)
      add_block_row(a, next * r, r, columns, counts);
  }
  return counts;
}

/// Bytes of a block row on the average of the sample, for each of its rows.
double bytes_of_a_row(const Counts& counts, BlockSize size, std::size_t value_bytes) {
  const auto slots = static_cast<double>(counts.blocks[size.c] * size.r * size.c);
  const double bits = slots == static_cast<double>(counts.entries) ? 0 : slots / 8;
  const double bytes = 4 * static_cast<double>(counts.block_rows + counts.blocks[size.c]) +
                       slots * static_cast<double>(value_bytes) + bits;
  return bytes / static_cast<double>(std::max<std::uint64_t>(1, counts.block_rows * size.r));
}

Status check_side(const char* key, const AutoNumber& side) {
  if (!side || (*side >= 1 && *side <= largest)) return Ok{};
  return Error{
      ErrorCode::usage, std::string("bsr: ") + key + "=" + std::to_string(*side) + " must be 1 to 8, or auto", {}, 0};
}

}  // namespace

void find_block_columns(const Csr<Viewed>& a, BlockSize size, std::uint64_t i, std::vector<std::uint32_t>& columns) {
  columns.clear();
  const std::uint64_t first = i * size.r, last = std::min(a.rows, first + size.r);
  for (std::uint64_t row = first; row < last; ++row) {
    const std::size_t before = columns.size();
    for (std::uint64_t k = a.row_ptr.position(row); k < a.row_ptr.position(row + 1); ++k) {
      const std::uint32_t column = a.col_idx[k] / size.c;
      if (columns.size() == before || columns.back() != column) columns.push_back(column);
    }
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

std::uint64_t count_blocks(const Csr<Viewed>& a, BlockSize size, std::uint32_t* lengths) {
  const std::uint64_t block_rows = (a.rows + size.r - 1) / size.r;
  parallel_all_of(block_rows, thread_count(0), [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> columns;
    for (std::uint64_t i = first; i < last; ++i) {
      find_block_columns(a, size, i, columns);
      lengths[i] = static_cast<std::uint32_t>(columns.size());
    }
    return true;
  });
  return std::accumulate(lengths, lengths + block_rows, std::uint64_t{0});
}

Result<BlockSize> choose_block_size(const Csr<Viewed>& a, const Bsr<Owned>::Params& params) {
  SPRESS_CHECK(check_side("r", params.r));
  SPRESS_CHECK(check_side("c", params.c));
  if (params.r && params.c) return BlockSize{*params.r, *params.c};
  constexpr std::uint32_t smallest = 2;
  BlockSize best = {params.r.value_or(smallest), params.c.value_or(smallest)};
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t r = params.r.value_or(smallest); r <= params.r.value_or(largest); ++r) {
    const Counts counts = sample(a, r);
    for (std::uint32_t c = params.c.value_or(smallest); c <= params.c.value_or(largest); ++c)
      if (const double bytes = bytes_of_a_row(counts, {r, c}, size_of(a.values.type)); bytes < least)
        least = bytes, best = {r, c};
  }
  return best;
}

}  // namespace spress::bsr
