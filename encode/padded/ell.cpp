#include "formats/padded/ell.hpp"

#include "encode/shared/codec.hpp"
#include "encode/shared/stretches.hpp"

namespace spress {

template <>
Result<Ell<Owned>> encode<Ell>(const Csr<Viewed>& a, const NoParams&) {
  Ell<Owned> out;
  copy_shape(out, a);
  out.width = longest_row(a);
  const std::uint64_t slots = out.rows * out.width;
  SPRESS_CHECK(check_slots(out.name, slots, a.nnz));
  out.col_idx = HostArray<std::uint32_t>(slots);
  out.values = empty_like(a.values, slots);
  fill_stretches(out, a, a.rows, [&](std::uint64_t i) { return stretch(out, i); });
  return out;
}

template <>
Csr<Owned> decode<Ell>(const Ell<Viewed>& f) {
  return decode_stretches(f, f.rows, [&](std::uint64_t i) { return stretch(f, i); });
}

template <>
Result<SizeEstimate> estimate<Ell>(const Csr<Viewed>& a, const NoParams&) {
  const std::uint64_t slots = a.rows * longest_row(a);
  SPRESS_CHECK(check_slots(Ell<Owned>::name, slots, a.nnz));
  return SizeEstimate{4 * slots, 4 * slots, slots, std::nullopt, {}, true};  // no paper has another formula for it
}

}  // namespace spress
