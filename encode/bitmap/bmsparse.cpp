#include "formats/bitmap/bmsparse.hpp"

#include "analyze/models.hpp"
#include "encode/bitmap/bitmap_blocks.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/size_stream.hpp"

namespace spress {
namespace {

SizeEstimate size_of(std::uint64_t blocks, std::uint64_t nnz) {
  return {16 * blocks + position_bytes(blocks + 1, nnz), analyze::bmsparse_model(blocks), nnz};
}

}  // namespace

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
  return size_of(analyze::blocks_8x8(a).count, a.nnz);
}

template <>
std::unique_ptr<SizeStream> size_stream<BmSparse>(const NoParams&) {
  return make_size_stream(std::uint64_t{0}, count_blocks_of_panel,
                          [](std::uint64_t blocks, const WholeMatrix& whole) -> Result<SizeEstimate> {
                            return size_of(blocks, whole.nnz);
                          });
}

}  // namespace spress
