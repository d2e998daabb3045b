#include "encode/shared/footprint.hpp"

namespace spress {
namespace {

std::uint64_t csr_total(const Csr<Viewed>& a) {
  const std::uint64_t value_width = size_of(a.values.type);
  return a.row_ptr.bytes() + (4 + value_width) * a.nnz;
}

Result<Footprint> footprint(const Csr<Viewed>& a, const Spec& spec, const analyze::ValueStatistics& statistics) {
  Footprint out;
  out.format = spec.name;
  out.parameters = spec.parameters();
  auto size = estimate_any(a, spec);
  if (!size.ok()) {
    if (size.error().code != ErrorCode::not_applicable) return std::move(size).error();
    out.unfit = size.error().message;
    return out;
  }
  out.size = *size;
  const ValueType type = a.values.type;
  if (out.size.own_value_bytes)
    out.store_bytes[0] = out.size.own_value_bytes;  // raw
  else
    for (std::size_t s = 0; s < all_stores.size(); ++s)
      out.store_bytes[s] = analyze::store_bytes(all_stores[s], statistics, type, out.size.value_slots);
  out.total_bytes = out.size.index_bytes + *out.store_bytes[0];
  if (const auto csr = csr_total(a); csr != 0)
    out.ratio_to_csr = static_cast<double>(out.total_bytes) / static_cast<double>(csr);
  if (a.nnz != 0)
    out.index_bytes_per_nnz =
        static_cast<double>(out.total_bytes) / static_cast<double>(a.nnz) - static_cast<double>(size_of(type));
  return out;
}

}  // namespace

Result<std::vector<Footprint>> footprints(const Csr<Viewed>& a, const std::vector<Spec>& formats,
                                          const analyze::ValueStatistics& statistics) {
  std::vector<Footprint> out;
  for (const Spec& spec : formats) {
    SPRESS_TRY(auto one, footprint(a, spec, statistics));
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace spress
