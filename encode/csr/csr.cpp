#include "formats/csr/csr.hpp"

#include "analyze/models.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/size_stream.hpp"

namespace spress {
namespace {

using Params = Csr<Owned>::Params;

Csr<Owned> copy(const Csr<Viewed>& a) {
  Csr<Owned> out = copy_pattern(a);
  out.values = copy_store(a.values);
  return out;
}

SizeEstimate size_of(std::uint64_t rows, std::uint64_t nnz) {
  return {4 * nnz + position_bytes(rows + 1, nnz), analyze::csr_model(nnz, rows), nnz, std::nullopt, {}, true};
}

}  // namespace

template <>
Result<Csr<Owned>> encode<Csr>(const Csr<Viewed>& a, const Params&) {
  return copy(a);
}

template <>
Csr<Owned> decode<Csr>(const Csr<Viewed>& f) {
  return copy(f);
}

template <>
Result<SizeEstimate> estimate<Csr>(const Csr<Viewed>& a, const Params&) {
  return size_of(a.rows, a.nnz);
}

template <>
std::unique_ptr<SizeStream> size_stream<Csr>(const Params&) {
  return size_of_shape([](const WholeMatrix& whole) { return size_of(whole.rows, whole.nnz); });
}

}  // namespace spress
