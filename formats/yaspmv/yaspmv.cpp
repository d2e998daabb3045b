#include "formats/yaspmv/yaspmv.hpp"

#include <bit>
#include <string>

#include "formats/core/block_checks.hpp"

namespace spress {
namespace {

using F = Yaspmv<Viewed>;

Error damaged_at(std::uint64_t block, const char* complaint) {
  return checks::damaged("block " + std::to_string(block) + " " + complaint);
}

Status check_lengths(const F& a) {
  const std::uint64_t groups = a.groups();
  SPRESS_CHECK(checks::length("first_col", a.first_col.size(), groups));
  SPRESS_CHECK(checks::length("first_row", a.first_row.size(), groups));
  SPRESS_CHECK(checks::length("col_diff", a.col_diff.size(), a.blocks));
  SPRESS_CHECK(checks::length("row_end", a.row_end.size(), (a.blocks + 31) / 32));
  return checks::monotone("far_start", a.far_start, groups + 1, a.far.size());
}

/// Bits and values without a block are empty.
Status check_rests(const F& a) {
  if (a.blocks % 32 != 0 && a.row_end[a.blocks / 32] >> a.blocks % 32 != 0)
    return checks::damaged("row_end has bits behind the last block");
  for (std::uint64_t b = a.blocks; b < (a.blocks + F::lanes - 1) / F::lanes * F::lanes; ++b)
    for (std::uint64_t s = 0; s < a.slots_of_block(); ++s) {
      const std::uint64_t slot = a.first_slot(b) + F::lanes * s;
      if (!checks::holds_nothing(a.values, slot) || (!a.present.empty() && a.has_entry(slot)))
        return checks::damaged("a value slot without a block is not empty");
    }
  return Ok{};
}

/// block_row ascends within the matrix, and has one element for each bit of row_end.
Status check_block_rows(const F& a, std::uint64_t ends) {
  const std::uint64_t block_rows = (a.rows + a.r - 1) / a.r;
  SPRESS_CHECK(checks::length("block_row", a.block_row.size(), ends == block_rows ? 0 : ends));
  for (std::uint64_t h = 0; h < a.block_row.size(); ++h)
    if (a.block_row[h] >= block_rows || (h > 0 && a.block_row[h] <= a.block_row[h - 1]))
      return checks::damaged("block_row does not ascend within the matrix at element " + std::to_string(h));
  return Ok{};
}

/// Walks all blocks. Requires: the lengths are right, block_row has one element for each bit of row_end.
Status check_blocks(const F& a) {
  std::uint64_t h = 0;
  std::uint32_t column = 0;
  bool begins = true;
  for (std::uint64_t g = 0; g < a.groups(); ++g) {
    std::uint64_t far = a.far_start.position(g);
    if (a.first_row[g] != h) return checks::damaged("first_row is wrong at group " + std::to_string(g));
    for (std::uint64_t b = g * F::group; b < std::min(a.blocks, (g + 1) * F::group); ++b) {
      const std::uint32_t before = column;
      const bool first = b == g * F::group, is_far = a.col_diff[b] == F::far_mark;
      if (first && a.col_diff[b] != 0) return damaged_at(b, "begins a group with a difference");
      if (is_far && far == a.far_start.position(g + 1)) return damaged_at(b, "has no element of far");
      if (first) {
        column = a.first_col[g];
      } else {
        column += is_far ? a.far[far++] : static_cast<std::uint32_t>(static_cast<std::int16_t>(a.col_diff[b]));
      }
      if (!begins && column <= before) return damaged_at(b, "does not stand right of the one before");
      const auto slot_of = [&](std::uint64_t s) { return a.first_slot(b) + F::lanes * s; };
      if (const char* complaint =
              checks::complaint_about_block(a, a.block_row_at(h) * a.r, std::uint64_t{column} * a.c, slot_of);
          complaint != nullptr)
        return damaged_at(b, complaint);
      begins = a.ends_row(b);
      if (begins) ++h;
    }
    if (far != a.far_start.position(g + 1))
      return checks::damaged("far has more than the blocks of group " + std::to_string(g) + " ask for");
  }
  return Ok{};
}

}  // namespace

Status validate(const Yaspmv<Viewed>& a) {
  if (a.r < 1 || a.r > F::largest_side || a.c < 1 || a.c > F::largest_side)
    return checks::damaged("r and c must be 1 to 4");
  SPRESS_CHECK(checks::length("col_diff", a.col_diff.size(), a.blocks));
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.slots()));
  SPRESS_CHECK(check_lengths(a));
  SPRESS_CHECK(checks::present(a, a.slots(), a.blocks * a.slots_of_block()));
  SPRESS_CHECK(check_rests(a));
  std::uint64_t ends = 0;
  for (const std::uint32_t word : a.row_end) ends += static_cast<std::uint64_t>(std::popcount(word));
  if (a.blocks > 0 && !a.ends_row(a.blocks - 1)) return checks::damaged("the last block ends no row");
  SPRESS_CHECK(check_block_rows(a, ends));
  return check_blocks(a);
}

}  // namespace spress
