// Checks of formats that store whole blocks of r x c entries on a grid over the matrix.
#pragma once

#include <bit>
#include <cstdint>

#include "formats/core/checks.hpp"

namespace spress::checks {

/// The complaint about the block of f with its first entry in that row and column, or null. slot_of(s): where value s
/// stands, that of row s % r and column s / r of the block.
template <class Format, class SlotOf>
[[nodiscard]] const char* complaint_about_block(const Format& f, std::uint64_t first_row, std::uint64_t first_col,
                                                SlotOf&& slot_of) {
  bool empty = true;
  for (std::uint64_t s = 0; s < f.slots_of_block(); ++s) {
    const std::uint64_t slot = slot_of(s);
    if (f.has_entry(slot)) {
      if (first_row + s % f.r >= f.rows || first_col + s / f.r >= f.cols) return "has an entry outside the matrix";
      empty = false;
    } else if (!holds_nothing(f.values, slot)) {
      return "has a value without an entry";
    }
  }
  return empty ? "has no entry" : nullptr;
}

/// `present` has a bit for each of `slots` value slots, nnz of them set; it is left out where blocks of `full` values
/// are all full.
template <class Format>
[[nodiscard]] Status present(const Format& f, std::uint64_t slots, std::uint64_t full) {
  SPRESS_CHECK(length("present", f.present.size(), f.nnz == full ? 0 : (slots + 31) / 32));
  if (f.present.empty()) return length("the values together", full, f.nnz);
  std::uint64_t bits = 0;
  for (const std::uint32_t word : f.present) bits += static_cast<std::uint64_t>(std::popcount(word));
  SPRESS_CHECK(length("the bits of present", bits, f.nnz));
  if (slots % 32 != 0 && f.present[slots / 32] >> slots % 32 != 0)
    return damaged("present has bits behind the last value slot");
  return Ok{};
}

}  // namespace spress::checks
