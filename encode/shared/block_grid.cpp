#include "encode/shared/block_grid.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "encode/shared/rows.hpp"
#include "formats/core/threads.hpp"

namespace spress::grid {
namespace {

constexpr std::uint32_t largest = 8;  // side of a block

/// The block sizes that are weighed.
struct BlockRange {
  std::uint32_t first_r, last_r, first_c, last_c;
};

/// Entries that show how full blocks are: all, or so many at about equal distances. first_look of them may leave open
/// which of the sizes is best that take no more than close_enough of the least bytes.
constexpr std::uint64_t first_look = 512, sample_entries = 4096;
constexpr double close_enough = 1.2;

/// Numbers of bits set in a byte: std::popcount is a call for processors that may lack the instruction.
constexpr auto bits_set = [] {
  std::array<std::uint8_t, 256> counts = {};
  for (std::size_t byte = 1; byte < counts.size(); ++byte)
    counts[byte] = static_cast<std::uint8_t>(counts[byte / 2] + byte % 2);
  return counts;
}();

/// The entries around one of the matrix, as far as blocks of the largest size reach: bit 7 + d of row 7 + e stands for
/// the place d columns right and e rows below.
class Neighbourhood {
 public:
  Neighbourhood(const Csr<Viewed>& a, const BlockRange& sizes, std::uint64_t row, std::uint32_t col)
      : sizes_(sizes), row_(row), col_(col) {
    const std::uint32_t rows = sizes.last_r - 1, columns = sizes.last_c - 1, left = col < columns ? 0 : col - columns;
    for (std::uint64_t r = row < rows ? 0 : row - rows; r < std::min(a.rows, row + sizes.last_r); ++r) {
      const std::uint32_t* const end = a.col_idx.data() + a.row_ptr.position(r + 1);
      const std::uint32_t* c = std::lower_bound(a.col_idx.data() + a.row_ptr.position(r), end, left);
      for (; c != end && *c - left <= col - left + columns; ++c) rows_[r + reach - row] |= 1u << (*c + reach - col);
    }
  }

  /// Calls use(size, entries in the block of the entry in the middle) for each size.
  template <class Use>
  void for_each_size(Use&& use) const {
    for (std::uint32_t c = sizes_.first_c; c <= sizes_.last_c; ++c) {
      const std::uint32_t left = reach - col_ % c, columns = (1u << c) - 1;
      std::array<int, 2 * reach + 2> above = {};  // entries in these columns above each row
      for (std::size_t e = largest - sizes_.last_r; e < reach + sizes_.last_r; ++e)
        above[e + 1] = above[e] + bits_set[rows_[e] >> left & columns];
      for (std::uint32_t r = sizes_.first_r; r <= sizes_.last_r; ++r) {
        const std::uint64_t first = reach - row_ % r;
        use(BlockSize{r, c}, above[first + r] - above[first]);
      }
    }
  }

 private:
  static constexpr std::uint32_t reach = largest - 1;
  BlockRange sizes_;
  std::uint64_t row_;
  std::uint32_t col_;
  std::array<std::uint32_t, 2 * reach + 1> rows_ = {};
};

/// A block size as the sample shows it.
struct Fill {
  double blocks = 0;  ///< for each entry
  bool full = true;   ///< all blocks
};
using Fills = std::array<std::array<Fill, largest + 1>, largest + 1>;  // by r, then c

/// What `entries` of the matrix show, at most all. An entry in a block of n stands for 1/n of a block, so rows of any
/// length have their weight.
Fills sample(const Csr<Viewed>& a, const BlockRange& sizes, std::uint64_t entries) {
  Fills fills;
  std::uint64_t random = 0, row = 0;
  for (std::uint64_t s = 0; s < entries; ++s) {
    const std::uint64_t begin = a.nnz * s / entries, width = a.nnz * (s + 1) / entries - begin;
    random = random * 6364136223846793005u + 1442695040888963407u;  // equal distances might meet a pattern's own
    const std::uint64_t k = begin + (random >> 33) % width;
    with_positions(a.row_ptr, [&](const auto* row_ptr) { row += row_of_entry(row_ptr + row, a.rows - row, k); });
    const Neighbourhood around(a, sizes, row, a.col_idx[k]);
    around.for_each_size([&](BlockSize size, int n) {
      Fill& fill = fills[size.r][size.c];
      fill.blocks += 1.0 / n;
      fill.full &= n == static_cast<int>(size.r * size.c);
    });
  }
  for (auto& of_r : fills)
    for (Fill& fill : of_r) fill.blocks /= static_cast<double>(std::max<std::uint64_t>(entries, 1));
  return fills;
}

/// Bytes with raw values.
double bytes_with(const Csr<Viewed>& a, const BlockChoice& choice, BlockSize size, const Fill& fill) {
  const double blocks = fill.blocks * static_cast<double>(a.nnz), slots = blocks * size.r * size.c;
  return choice.bytes_of_block_row * static_cast<double>(a.rows) / size.r + choice.bytes_of_block * blocks +
         slots * (static_cast<double>(size_of(a.values.type)) + (fill.full ? 0 : 0.125));
}

/// The size of the fewest bytes, the first of equals.
struct BestSize {
  BlockSize size;
  BlockRange close;  ///< this size and those that take no more than close_enough of its bytes
};

BestSize best_size(const Csr<Viewed>& a, const BlockChoice& choice, const BlockRange& sizes, std::uint64_t entries) {
  const Fills fills = sample(a, sizes, std::min(a.nnz, entries));
  const auto bytes = [&](std::uint32_t r, std::uint32_t c) { return bytes_with(a, choice, {r, c}, fills[r][c]); };
  const auto for_each = [&](auto&& use) {
    for (std::uint32_t r = sizes.first_r; r <= sizes.last_r; ++r)
      for (std::uint32_t c = sizes.first_c; c <= sizes.last_c; ++c) use(r, c);
  };
  BlockSize best = {sizes.first_r, sizes.first_c};
  auto least = bytes(best.r, best.c);
  for_each([&](std::uint32_t r, std::uint32_t c) {
    const auto here = bytes(r, c);
    if (here >= least) return;
    least = here;
    best = {r, c};
  });
  BlockRange close = {best.r, best.r, best.c, best.c};
  for_each([&](std::uint32_t r, std::uint32_t c) {
    if (bytes(r, c) > close_enough * least) return;
    close = {std::min(close.first_r, r), std::max(close.last_r, r), std::min(close.first_c, c),
             std::max(close.last_c, c)};
  });
  return {best, close};
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

void for_block_row_ranges(std::uint64_t block_rows, std::uint64_t nnz,
                          const std::function<void(std::uint64_t first, std::uint64_t last)>& use) {
  const int threads = threads_for_walk(nnz);
  const std::uint64_t ranges = std::min<std::uint64_t>(block_rows, 16 * static_cast<std::uint64_t>(threads));
  parallel_for_dynamic(ranges, threads, [&](std::uint64_t k, std::size_t) {
    use(block_rows * k / ranges, block_rows * (k + 1) / ranges);
  });
}

std::vector<std::uint64_t> block_row_starts(const Csr<Viewed>& a, BlockSize size) {
  const std::uint64_t block_rows = (a.rows + size.r - 1) / size.r;
  std::vector<std::uint64_t> starts(block_rows + 1, 0);
  for_block_row_ranges(block_rows, a.nnz, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> columns;
    for (std::uint64_t i = first; i < last; ++i) {
      find_block_columns(a, size, i, columns);
      starts[i + 1] = columns.size();
    }
  });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return starts;
}

void set_bit(std::uint32_t* words, std::uint64_t bit, bool shared) {
  std::uint32_t& word = words[bit / 32];
  if (!shared) {
    word |= 1u << bit % 32;
    return;
  }
#pragma omp atomic
  word |= 1u << bit % 32;
}

Result<BlockSize> choose_block_size(const Csr<Viewed>& a, const BlockChoice& choice) {
  SPRESS_CHECK(check_range(choice.format, "r", choice.r, 1, choice.largest));
  SPRESS_CHECK(check_range(choice.format, "c", choice.c, 1, choice.largest));
  if (choice.r && choice.c) return BlockSize{*choice.r, *choice.c};
  BlockRange sizes = {choice.r.value_or(choice.smallest), choice.r.value_or(choice.largest),
                      choice.c.value_or(choice.smallest), choice.c.value_or(choice.largest)};
  if (a.nnz > sample_entries) sizes = best_size(a, choice, sizes, first_look).close;
  if (sizes.first_r == sizes.last_r && sizes.first_c == sizes.last_c) return BlockSize{sizes.first_r, sizes.first_c};
  return best_size(a, choice, sizes, sample_entries).size;
}

}  // namespace spress::grid
