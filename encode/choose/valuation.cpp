#include "encode/choose/valuation.hpp"

#include "encode/shared/stretches.hpp"

namespace spress {

Valuation::Valuation(const Csr<Viewed>& a, const RowSample& sample, const analyze::ValueStatistics& values,
                     const ChoiceOptions& options)
    : options_(options), type_(enum_name(a.values.type)) {
  for (const StoreKind kind : all_stores) {
    const bool pattern = a.values.type == ValueType::none || a.nnz == 0;
    if ((options.values && *options.values != kind) || (pattern && kind != StoreKind::raw)) continue;
    const auto none = analyze::store_bytes(kind, values, a.values.type, 0),
               one = analyze::store_bytes(kind, values, a.values.type, 1);
    if (none) costs_[static_cast<std::size_t>(kind)] = {true, *none, *one - *none};
  }
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
  near_ = nearness(model.places, likeness(work_, model.cache_bytes, model.scales), model.scales);
}

/// A format that codes values in its own way has no store. Times of lut16 were not measured where lut8 holds the
/// values, so that they could not be predicted.
bool Valuation::is_allowed(StoreKind kind, const SizeEstimate& size) const {
  const bool unmeasured =
      options_.goal != Goal::size && kind == StoreKind::lut16 && !options_.values && cost_of(StoreKind::lut8).holds;
  return cost_of(kind).holds && !unmeasured && (!size.own_value_bytes || kind == StoreKind::raw);
}

std::vector<Candidate> Valuation::weigh(const Spec& format, const SizeEstimate& size, bool exact) const {
  const CostModel* model = options_.model;
  const FormatPrices* prices = model == nullptr ? nullptr : model->find(format, type_);
  const auto slots = static_cast<double>(size.value_slots);
  Corrections factors = {};
  if (prices != nullptr) factors = corrections(*prices, near_, padding_of(work_, slots, model->scales), model->scales);
  std::vector<Candidate> out;
  for (const StoreKind kind : all_stores) {
    if (!is_allowed(kind, size)) continue;
    const StoreCost& cost = cost_of(kind);
    Candidate one{format, kind,
                  size.index_bytes + size.own_value_bytes.value_or(cost.table + cost.slot * size.value_slots)};
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
