#include "encode/shared/footprint.hpp"

#include "encode/shared/common.hpp"

namespace spress {

std::optional<StoreKind> smallest_store(const StoreBytes& bytes, std::optional<StoreKind> only) {
  std::optional<std::size_t> least;
  for (std::size_t s = 0; s < all_stores.size(); ++s)
    if (bytes[s] && (!only || *only == all_stores[s]) && (!least || *bytes[s] < *bytes[*least])) least = s;
  return least ? std::optional(all_stores[*least]) : std::nullopt;
}

std::optional<Footprint::Smallest> Footprint::smallest(std::optional<StoreKind> only) const {
  const auto store = unfit ? std::nullopt : smallest_store(store_bytes, only);
  if (!store) return std::nullopt;
  return Smallest{*store, size.index_bytes + *store_bytes[static_cast<std::size_t>(*store)]};
}

std::uint64_t csr_bytes(const WholeMatrix& whole) {
  return position_bytes(whole.rows + 1, whole.nnz) + (4 + size_of(whole.type)) * whole.nnz;
}

namespace {

/// Errors: those of the size but not_applicable.
Result<Footprint> footprint(const Spec& spec, const Result<SizeEstimate>& size, const WholeMatrix& whole,
                            const analyze::ValueStatistics& statistics) {
  Footprint out;
  out.format = spec.name;
  out.parameters = spec.parameters();
  if (!size.ok()) {
    if (size.error().code != ErrorCode::not_applicable) return size.error();
    out.unfit = size.error().message;
    return out;
  }
  out.size = *size;
  if (out.size.own_value_bytes)
    out.store_bytes[0] = out.size.own_value_bytes;  // raw
  else
    for (std::size_t s = 0; s < all_stores.size(); ++s)
      out.store_bytes[s] = analyze::store_bytes(all_stores[s], statistics, whole.type, out.size.value_slots);
  out.total_bytes = out.size.index_bytes + *out.store_bytes[0];
  if (const auto csr = csr_bytes(whole); csr != 0)
    out.ratio_to_csr = static_cast<double>(out.total_bytes) / static_cast<double>(csr);
  if (whole.nnz != 0)
    out.index_bytes_per_nnz = static_cast<double>(out.total_bytes) / static_cast<double>(whole.nnz) -
                              static_cast<double>(size_of(whole.type));
  return out;
}

}  // namespace

Result<std::vector<Footprint>> footprints(const Csr<Viewed>& a, const std::vector<Spec>& formats,
                                          const analyze::ValueStatistics& statistics) {
  std::vector<Footprint> out;
  for (const Spec& spec : formats) {
    SPRESS_TRY(auto one, footprint(spec, estimate_any(a, spec), {a.rows, a.cols, a.nnz, a.values.type}, statistics));
    out.push_back(std::move(one));
  }
  return out;
}

Result<FootprintStream> FootprintStream::of(const std::vector<Spec>& formats) {
  FootprintStream out;
  for (const Spec& spec : formats) {
    SPRESS_TRY(auto stream, size_stream_any(spec));
    out.formats_.emplace_back(spec, std::move(stream));
  }
  return out;
}

void FootprintStream::add(const RowPanel& panel) {
  for (auto& [spec, stream] : formats_)
    if (stream != nullptr) stream->add(panel);
}

Result<std::vector<Footprint>> FootprintStream::footprints(const WholeMatrix& whole,
                                                           const analyze::ValueStatistics& statistics,
                                                           const std::string& not_sized) {
  std::vector<Footprint> out;
  for (auto& [spec, stream] : formats_) {
    const auto size = stream != nullptr ? stream->size(whole, statistics)
                                        : Result<SizeEstimate>(Error{ErrorCode::not_applicable, not_sized});
    SPRESS_TRY(auto one, footprint(spec, size, whole, statistics));
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace spress
