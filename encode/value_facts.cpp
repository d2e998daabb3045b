#include "encode/value_facts.hpp"

#include <algorithm>
#include <cmath>

#include "analyze/store_check.hpp"
#include "formats/distinct.hpp"

namespace spress {
namespace {

constexpr std::uint64_t sampled = 2048, few = 256, most_in_table = 65536;

/// Values from all over the store; all of them where they are few. Where in its share one is taken is drawn by its
/// number: equal steps might meet one value only.
ValueStore<Owned> spread_sample(const ValueStore<Viewed>& raw) {
  const std::uint64_t n = std::min(raw.count, sampled), share = n == 0 ? 0 : raw.count / n;
  ValueStore<Owned> out = empty_like(raw, n);
  permute_codes(out, raw, [&](auto* to, const auto* from) {
    for (std::uint64_t i = 0; i < n; ++i) to[i] = from[i * share + hash_bits(i) % share];
  });
  return out;
}

/// How many values must be equally frequent for `n` of them to show so many distinct ones.
double distinct_of_all(double shown, double n) {
  double low = shown, high = 1e15;
  for (int step = 0; step < 60; ++step) {
    const double middle = std::sqrt(low * high);
    (middle * -std::expm1(-n / middle) < shown ? low : high) = middle;
  }
  return high;
}

}  // namespace

ValueFacts::ValueFacts(const ValueStore<Viewed>& raw, std::optional<StoreKind> only, int threads)
    : raw_(raw), threads_(threads) {
  const bool pattern = raw.type == ValueType::none || raw.count == 0;
  for (const StoreKind kind : all_stores)
    stores_[place(kind)].counts = (!only || *only == kind) && (!pattern || kind == StoreKind::raw);
  stores_[place(StoreKind::raw)].exact = true;
  if (pattern || only == StoreKind::raw) return;
  sample_ = spread_sample(raw);
  if (only)
    make_exact(*only);
  else if (raw.count > sampled)
    guess();
  else
    for (const StoreKind kind : {StoreKind::narrow, StoreKind::lut16}) make_exact(kind);
}

void ValueFacts::guess() {
  const auto sample = view_of(sample_);
  statistics_.narrow = analyze::narrow_type(sample, threads_);
  if (const auto shown = analyze::table_length(StoreKind::lut8, sample, sample, threads_)) {
    statistics_.distinct = *shown;
    if (*shown > 1)
      statistics_.distinct =
          static_cast<std::uint64_t>(distinct_of_all(static_cast<double>(*shown), static_cast<double>(sample.count)));
    if (statistics_.distinct <= few) return;
  }
  statistics_.distinct = std::max(few + 1, analyze::likely_distinct(raw_, most_in_table, threads_));
}

std::optional<std::uint64_t> ValueFacts::bytes(StoreKind kind, std::uint64_t slots) const {
  if (!stores_[place(kind)].counts) return std::nullopt;
  return analyze::store_bytes(kind, statistics_, raw_.type, slots);
}

void ValueFacts::make_sure(StoreKind kind) {
  if (kind != StoreKind::lut16) return make_exact(kind);
  Store& store = stores_[place(kind)];
  if (is_sure(kind) || !store.counts) return;
  store.sure = true;
  store.counts = analyze::at_most_distinct(raw_, most_in_table, threads_);
}

void ValueFacts::make_exact(StoreKind kind) {
  Store& store = stores_[place(kind)];
  if (store.exact || !store.counts) return;
  store.exact = true;
  if (kind == StoreKind::narrow) {
    statistics_.narrow = analyze::narrow_type(raw_, threads_);
    store.counts = statistics_.narrow.has_value();
    return;
  }
  const auto length = analyze::table_length(kind, raw_, view_of(sample_), threads_);
  store.counts = length.has_value();
  if (length && *length != 0) {  // then it is known of the other tables, too
    statistics_.distinct = *length;
    for (const StoreKind table : {StoreKind::lut8, StoreKind::lut16, StoreKind::iso})
      stores_[place(table)].exact = true;
  } else if (kind == StoreKind::lut8 && statistics_.distinct <= few) {
    statistics_.distinct = std::max(few + 1, analyze::likely_distinct(raw_, most_in_table, threads_));
  }
}

}  // namespace spress
