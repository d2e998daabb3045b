#include "formats/bmsparse.hpp"

#include <bit>

#include "formats/checks.hpp"

namespace spress {

Status validate(const BmSparse<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.nnz));
  SPRESS_CHECK(checks::length("keys", a.keys.size(), a.blocks));
  SPRESS_CHECK(checks::length("bitmaps", a.bitmaps.size(), a.blocks));
  SPRESS_CHECK(checks::monotone("offsets", a.offsets, a.blocks + 1, a.nnz));
  for (std::uint64_t b = 0; b < a.blocks; ++b) {
    const std::uint64_t first_row = (a.keys[b] >> 32) * 8, first_col = (a.keys[b] & 0xFFFFFFFFu) * 8;
    if (b > 0 && a.keys[b] <= a.keys[b - 1]) return checks::damaged("keys do not ascend at block " + std::to_string(b));
    const auto held = static_cast<std::uint64_t>(std::popcount(a.bitmaps[b]));
    if (held == 0 || a.offsets.position(b + 1) - a.offsets.position(b) != held)
      return checks::damaged("bitmap and offsets disagree at block " + std::to_string(b));
    for (std::uint64_t bits = a.bitmaps[b]; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::uint64_t>(std::countr_zero(bits));
      if (first_row + bit / 8 >= a.rows || first_col + bit % 8 >= a.cols)
        return checks::damaged("block " + std::to_string(b) + " reaches outside the matrix");
    }
  }
  return Ok{};
}

}  // namespace spress
