#include "formats/bitmap/bmsparse.hpp"

#include "formats/bitmap/bitmap_blocks.hpp"

namespace spress {

Status validate(const BmSparse<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.nnz));
  SPRESS_CHECK(checks::length("keys", a.keys.size(), a.blocks));
  SPRESS_CHECK(checks::length("bitmaps", a.bitmaps.size(), a.blocks));
  SPRESS_CHECK(checks::monotone("offsets", a.offsets, a.blocks + 1, a.nnz));
  for (std::uint64_t b = 0; b < a.blocks; ++b) {
    if (b > 0 && a.keys[b] <= a.keys[b - 1]) return checks::damaged("keys do not ascend at block " + std::to_string(b));
    SPRESS_CHECK(checks::bitmap_block(a, b, a.keys[b] >> 32, a.keys[b] & 0xFFFFFFFFu));
  }
  return Ok{};
}

}  // namespace spress
