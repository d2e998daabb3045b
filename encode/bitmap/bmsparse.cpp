#include "formats/bitmap/bmsparse.hpp"

#include "analyze/models.hpp"
#include "encode/bitmap/bitmap_blocks.hpp"
#include "encode/shared/codec.hpp"

namespace spress {

template <>
Result<BmSparse<Owned>> encode<BmSparse>(const Csr<Viewed>& a, const NoParams&) {
  const auto start = block_row_starts(a);
  BmSparse<Owned> out;
  out.keys = HostArray<std::uint64_t>(start.back());
  fill_blocks(out, a, start, [&](std::uint64_t b, std::uint64_t block_row, std::uint32_t block_col) {
    out.keys[b] = block_row << 32 | block_col;
  });
  return out;
}

template <>
Csr<Owned> decode<BmSparse>(const BmSparse<Viewed>& f) {
  std::vector<std::uint64_t> start(block_rows_of(f.rows) + 1, 0);
  for (std::uint64_t b = 0; b < f.blocks; ++b) ++start[(f.keys[b] >> 32) + 1];
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  return decode_blocks(f, start, [&](std::uint64_t b) { return static_cast<std::uint32_t>(f.keys[b]); });
}

template <>
Result<SizeEstimate> estimate<BmSparse>(const Csr<Viewed>& a, const NoParams&) {
  const std::uint64_t blocks = analyze::blocks_8x8(a).count;
  return SizeEstimate{16 * blocks + position_bytes(blocks + 1, a.nnz), analyze::bmsparse_model(blocks), a.nnz};
}

}  // namespace spress
