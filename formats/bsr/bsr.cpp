#include "formats/bsr/bsr.hpp"

#include <bit>
#include <string>

#include "formats/core/checks.hpp"

namespace spress {
namespace {

std::uint64_t count_bits(const View<std::uint32_t>& words) {
  std::uint64_t count = 0;
  for (const std::uint32_t word : words) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

/// The complaint about a block of block row i, or null.
const char* complaint_about(const Bsr<Viewed>& a, std::uint64_t i, std::uint64_t b) {
  const std::uint64_t first_row = i * a.r, first_col = std::uint64_t{a.block_col[b]} * a.c;
  std::uint64_t slot = b * a.slots_of_block();
  bool empty = true;
  for (std::uint32_t col = 0; col < a.c; ++col)
    for (std::uint32_t row = 0; row < a.r; ++row, ++slot) {
      if (a.has_entry(slot)) {
        if (first_row + row >= a.rows || first_col + col >= a.cols) return "has an entry outside the matrix";
        empty = false;
      } else if (!checks::holds_nothing(a.values, slot)) {
        return "has a value without an entry";
      }
    }
  return empty ? "has no entry" : nullptr;
}

}  // namespace

Status validate(const Bsr<Viewed>& a) {
  using F = Bsr<Viewed>;
  if (a.r < 1 || a.r > F::largest_side || a.c < 1 || a.c > F::largest_side)
    return checks::damaged("r and c must be 1 to 8");
  SPRESS_CHECK(checks::length("block_col", a.block_col.size(), a.blocks));
  const std::uint64_t slots = a.blocks * a.slots_of_block();
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, slots));
  SPRESS_CHECK(checks::length("present", a.present.size(), a.nnz == slots ? 0 : (slots + 31) / 32));
  SPRESS_CHECK(checks::monotone("block_ptr", a.block_ptr, a.block_rows() + 1, a.blocks));
  if (a.present.empty()) {
    SPRESS_CHECK(checks::length("the values together", slots, a.nnz));
  } else {
    SPRESS_CHECK(checks::length("the bits of present", count_bits(a.present), a.nnz));
    if (slots % 32 != 0 && a.present[slots / 32] >> slots % 32 != 0)
      return checks::damaged("present has bits behind the last value slot");
  }
  return with_positions(a.block_ptr, [&](const auto* ptr) -> Status {
    for (std::uint64_t i = 0; i < a.block_rows(); ++i)
      for (std::uint64_t b = ptr[i]; b < ptr[i + 1]; ++b) {
        if (b > ptr[i] && a.block_col[b] <= a.block_col[b - 1])
          return checks::damaged("block_col does not ascend at block " + std::to_string(b));
        if (const char* complaint = complaint_about(a, i, b); complaint != nullptr)
          return checks::damaged("block " + std::to_string(b) + " " + complaint);
      }
    return Ok{};
  });
}

}  // namespace spress
