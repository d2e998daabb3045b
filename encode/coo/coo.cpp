#include "formats/coo/coo.hpp"

#include <algorithm>

#include "analyze/models.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/size_stream.hpp"

namespace spress {
namespace {

SizeEstimate size_of(std::uint64_t nnz) { return {8 * nnz, analyze::coo_model(nnz), nnz, std::nullopt, {}, true}; }

}  // namespace

template <>
Result<Coo<Owned>> encode<Coo>(const Csr<Viewed>& a, const NoParams&) {
  Coo<Owned> out;
  copy_shape(out, a);
  out.row_idx = HostArray<std::uint32_t>(a.nnz);
  out.col_idx = copy_array(a.col_idx);
  out.values = copy_store(a.values);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r < a.rows; ++r)
      std::fill(out.row_idx.data() + row_ptr[r], out.row_idx.data() + row_ptr[r + 1], static_cast<std::uint32_t>(r));
  });
  return out;
}

template <>
Csr<Owned> decode<Coo>(const Coo<Viewed>& f) {
  Csr<Owned> out;
  copy_shape(out, f);
  out.row_ptr = make_positions(f.rows + 1, f.nnz);
  out.col_idx = copy_array(f.col_idx);
  out.values = copy_store(f.values);
  fill_positions(out.row_ptr, [&]<class Position>(Position* row_ptr) {
    std::uint64_t row = 0;
    for (std::uint64_t k = 0; k < f.nnz; ++k)
      for (; row <= f.row_idx[k]; ++row) row_ptr[row] = static_cast<Position>(k);
    for (; row <= f.rows; ++row) row_ptr[row] = static_cast<Position>(f.nnz);
  });
  return out;
}

template <>
Result<SizeEstimate> estimate<Coo>(const Csr<Viewed>& a, const NoParams&) {
  return size_of(a.nnz);
}

template <>
std::unique_ptr<SizeStream> size_stream<Coo>(const NoParams&) {
  return size_of_shape([](const WholeMatrix& whole) { return size_of(whole.nnz); });
}

}  // namespace spress
