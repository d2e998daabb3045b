#include "formats/coo/bcoo.hpp"

#include <utility>

#include "encode/shared/codec.hpp"

namespace spress {

template <>
Result<Bcoo<Owned>> encode<Bcoo>(const Csr<Viewed>& a, const ChunkParams& params) {
  SPRESS_CHECK(check(params));
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
  SPRESS_CHECK(check(params));
  return estimate<Coo>(a, {});
}

}  // namespace spress
