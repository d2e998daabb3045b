#include "encode/choose/valuation.hpp"

#include "encode/shared/rows.hpp"

namespace spress {

Valuation::Valuation(const Csr<Viewed>& a, const RowSample& sample, const analyze::ValueStatistics& values,
                     const ChoiceOptions& options)
    : options_(options), type_(a.values.type), no_values_(type_ == ValueType::none || a.nnz == 0), values_(values) {
  if (options.model != nullptr) take_work(a, sample);
}

void Valuation::take_work(const Csr<Viewed>& a, const RowSample& sample) {
  work_ = matrix_work(sample.csr, 0, options_.threads);
  for (double* count : {&work_.row_sectors, &work_.slice_sectors, &work_.far_sectors}) *count *= sample.entries;
  work_.rows = static_cast<double>(a.rows);
  work_.cols = static_cast<double>(a.cols);
  work_.nnz = static_cast<double>(a.nnz);
  work_.longest_row = static_cast<double>(longest_row(a));
  const CostModel& model = *options_.model;
  near_ = nearness(model.places, likeness(work_, model.cache_bytes));
}

/// A format that codes values in its own way has no store. Times of lut16 were not measured where lut8 holds the
/// values, so that they could not be predicted.
std::optional<std::uint64_t> Valuation::value_bytes(StoreKind kind, const SizeEstimate& size) const {
  const bool other = options_.values && *options_.values != kind;
  if (other || (kind != StoreKind::raw && (no_values_ || size.own_value_bytes))) return std::nullopt;
  const auto bytes = [&](StoreKind k) { return analyze::store_bytes(k, values_, type_, size.value_slots); };
  if (options_.goal != Goal::memory && kind == StoreKind::lut16 && !options_.values && bytes(StoreKind::lut8))
    return std::nullopt;
  return size.own_value_bytes ? size.own_value_bytes : bytes(kind);
}

std::vector<Candidate> Valuation::weigh(const Spec& format, const SizeEstimate& size, bool exact) const {
  const CostModel* model = options_.model;
  const bool is_priced = model != nullptr && type_ != ValueType::c128;  // complex values have no products
  const FormatPrices* prices = is_priced ? model->find(format, enum_name(type_)) : nullptr;
  const auto slots = static_cast<double>(size.value_slots);
  Corrections factors = {};
  if (prices != nullptr) factors = corrections(*prices, near_, padding_of(work_, slots));
  std::vector<Candidate> out;
  for (const StoreKind kind : all_stores) {
    const auto of_values = value_bytes(kind, size);
    if (!of_values) continue;
    Candidate one{format, kind, size.index_bytes + *of_values};
    one.exact = exact;
    const auto bytes = static_cast<double>(one.total_bytes);
    if (model != nullptr && model->link_bytes_per_second > 0)
      one.transfer_seconds = model->link_seconds + bytes / model->link_bytes_per_second;
    if (prices != nullptr)
      one.seconds = priced(prices->prices, cost_counts(work_, {bytes, slots, kind}, model->cache_bytes)) *
                    factors[static_cast<std::size_t>(priced_store(work_, kind))];
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace spress
