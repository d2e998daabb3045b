#include "formats/padded/ell.hpp"

#include "encode/shared/codec.hpp"
#include "encode/shared/size_stream.hpp"
#include "encode/shared/stretches.hpp"

namespace spress {
namespace {

Result<SizeEstimate> size_of(std::uint64_t rows, std::uint64_t longest, std::uint64_t nnz) {
  const std::uint64_t slots = rows * longest;
  SPRESS_CHECK(check_slots(Ell<Owned>::name, slots, nnz));
  // No paper has another formula for it.
  return SizeEstimate{4 * slots, 4 * slots, slots, std::nullopt, {}, true, true};
}

}  // namespace

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
  return size_of(a.rows, longest_row(a), a.nnz);
}

template <>
std::unique_ptr<SizeStream> size_stream<Ell>(const NoParams&) {
  return make_size_stream(
      std::uint64_t{0},
      [](std::uint64_t& longest, const RowPanel& panel) { longest = std::max(longest, longest_row(panel.csr)); },
      [](std::uint64_t longest, const WholeMatrix& whole) { return size_of(whole.rows, longest, whole.nnz); });
}

}  // namespace spress
