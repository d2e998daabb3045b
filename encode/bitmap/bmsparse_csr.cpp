#include "formats/bitmap/bmsparse_csr.hpp"

#include "encode/bitmap/bitmap_blocks.hpp"
#include "encode/bitmap/bitmap_sizes.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/size_stream.hpp"

namespace spress {

template <>
Result<BmSparseCsr<Owned>> encode<BmSparseCsr>(const Csr<Viewed>& a, const NoParams&) {
  const auto start = block_row_starts(a);
  BmSparseCsr<Owned> out;
  out.block_row_ptr = make_positions(start.size(), start.back());
  fill_positions(out.block_row_ptr, [&]<class Position>(Position* ptr) {
    std::transform(start.begin(), start.end(), ptr, [](std::uint64_t b) { return static_cast<Position>(b); });
  });
  out.block_col = HostArray<std::uint32_t>(start.back());
  fill_blocks(out, a, start,
              [&](std::uint64_t b, std::uint64_t, std::uint32_t block_col) { out.block_col[b] = block_col; });
  return out;
}

template <>
Csr<Owned> decode<BmSparseCsr>(const BmSparseCsr<Viewed>& f) {
  std::vector<std::uint64_t> start(f.block_row_ptr.size());
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = f.block_row_ptr.position(i);
  return decode_blocks(f, start, [&](std::uint64_t b) { return f.block_col[b]; });
}

template <>
Result<SizeEstimate> estimate<BmSparseCsr>(const Csr<Viewed>& a, const NoParams&) {
  return bmsparse_csr_size(a.rows, analyze::blocks_8x8(a).count, a.nnz);
}

template <>
std::unique_ptr<SizeStream> size_stream<BmSparseCsr>(const NoParams&) {
  return make_size_stream(std::uint64_t{0}, count_blocks_of_panel,
                          [](std::uint64_t blocks, const WholeMatrix& whole) -> Result<SizeEstimate> {
                            return bmsparse_csr_size(whole.rows, blocks, whole.nnz);
                          });
}

}  // namespace spress
