#include "formats/csr/csr.hpp"

#include "analyze/models.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"

namespace spress {
namespace {

Csr<Owned> copy(const Csr<Viewed>& a) {
  Csr<Owned> out = copy_pattern(a);
  out.values = copy_store(a.values);
  return out;
}

}  // namespace

template <>
Result<Csr<Owned>> encode<Csr>(const Csr<Viewed>& a, const NoParams&) {
  return copy(a);
}

template <>
Csr<Owned> decode<Csr>(const Csr<Viewed>& f) {
  return copy(f);
}

template <>
Result<SizeEstimate> estimate<Csr>(const Csr<Viewed>& a, const NoParams&) {
  return SizeEstimate{
      4 * a.nnz + position_bytes(a.rows + 1, a.nnz), analyze::csr_model(a.nnz, a.rows), a.nnz, std::nullopt, {}, true};
}

}  // namespace spress
