#include "formats/coo/bcoo.hpp"

#include <utility>

#include "encode/shared/codec.hpp"
#include "encode/shared/size_stream.hpp"

namespace spress {

template <>
Result<Bcoo<Owned>> encode<Bcoo>(const Csr<Viewed>& a, const ChunkParams& params) {
  SPRESS_CHECK(check(Bcoo<Owned>::name, params));
  SPRESS_TRY(auto coo, encode<Coo>(a, {}));
  Bcoo<Owned> out;
  out.rows = coo.rows;
  out.cols = coo.cols;
  out.nnz = coo.nnz;
  out.chunk = params.b;
  out.row_idx = std::move(coo.row_idx);
  out.col_idx = std::move(coo.col_idx);
  out.values = std::move(coo.values);
  return out;
}

template <>
Csr<Owned> decode<Bcoo>(const Bcoo<Viewed>& f) {
  return decode<Coo>(as_coo(f));
}

template <>
Result<SizeEstimate> estimate<Bcoo>(const Csr<Viewed>& a, const ChunkParams& params) {
  SPRESS_CHECK(check(Bcoo<Owned>::name, params));
  return estimate<Coo>(a, {});
}

template <>
std::unique_ptr<SizeStream> size_stream<Bcoo>(const ChunkParams& params) {
  return make_size_stream(
      size_stream<Coo>({}), [](const auto& coo, const RowPanel& panel) { coo->add(panel); },
      [params](const auto& coo, const WholeMatrix& whole,
               const analyze::ValueStatistics& values) -> Result<SizeEstimate> {
        SPRESS_CHECK(check(Bcoo<Owned>::name, params));
        return coo->size(whole, values);
      });
}

}  // namespace spress
