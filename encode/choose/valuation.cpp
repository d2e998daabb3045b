#include "encode/choose/valuation.hpp"

#include "encode/shared/stretches.hpp"

namespace spress {

double goal_value(double bytes, const std::optional<double>& seconds, const std::optional<double>& transfer_seconds,
                  const ChoiceOptions& options) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  switch (options.goal) {
    case Goal::size: return bytes;
    case Goal::spmv: return seconds.value_or(unknown);
    case Goal::transfer: return transfer_seconds.value_or(0) + options.products * seconds.value_or(unknown);
  }
  return unknown;
}

double goal_value(const Candidate& candidate, const ChoiceOptions& options) {
  return goal_value(static_cast<double>(candidate.total_bytes), candidate.seconds, candidate.transfer_seconds, options);
}

Valuation::Valuation(const Csr<Viewed>& a, const RowSample& sample, const analyze::ValueStatistics& values,
                     const ChoiceOptions& options)
    : options_(options), type_(enum_name(a.values.type)) {
  for (const StoreKind kind : all_stores) {
    const bool pattern = a.values.type == ValueType::none || a.nnz == 0;
    if ((options.values && *options.values != kind) || (pattern && kind != StoreKind::raw)) continue;
    const auto none = analyze::store_bytes(kind, values, a.values.type, 0),
               one = analyze::store_bytes(kind, values, a.values.type, 1);
    if (none)
      costs_[static_cast<std::size_t>(kind)] = {true, static_cast<double>(*none), static_cast<double>(*one - *none)};
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
bool Valuation::is_allowed(StoreKind kind, const FormatSize& size) const {
  const bool unmeasured =
      options_.goal != Goal::size && kind == StoreKind::lut16 && !options_.values && cost_of(StoreKind::lut8).holds;
  return cost_of(kind).holds && !unmeasured && (!size.own_value_bytes || kind == StoreKind::raw);
}

WorthByStore Valuation::weigh(const Spec& format, const FormatSize& size) const {
  const CostModel* model = options_.model;
  const FormatPrices* prices = model == nullptr ? nullptr : model->find(format, type_);
  Corrections factors = {};
  if (prices != nullptr)
    factors = corrections(*prices, near_, padding_of(work_, size.slots, model->scales), model->scales);
  WorthByStore out;
  for (const StoreKind kind : all_stores) {
    if (!is_allowed(kind, size)) continue;
    const StoreCost& cost = cost_of(kind);
    Worth worth{size.index_bytes + size.own_value_bytes.value_or(cost.table + cost.slot * size.slots)};
    if (model != nullptr && model->link_bytes_per_second > 0)
      worth.transfer_seconds = model->link_seconds + worth.bytes / model->link_bytes_per_second;
    if (prices != nullptr)
      worth.seconds = priced(prices->prices, cost_counts(work_, {worth.bytes, size.slots, kind}, model->cache_bytes)) *
                      factors[static_cast<std::size_t>(priced_store(work_, kind))];
    worth.value = goal_value(worth.bytes, worth.seconds, worth.transfer_seconds, options_);
    out[static_cast<std::size_t>(kind)] = worth;
  }
  return out;
}

}  // namespace spress
