#include "encode/value_facts.hpp"

#include <algorithm>
#include <cmath>

#include "analyze/store_check.hpp"
#include "formats/distinct.hpp"

namespace spress {
namespace {

constexpr std::uint64_t few = 256, most_in_table = 65536;
constexpr std::uint64_t least_sampled = 512, most_sampled = 2048, all_looked_at = 2048;

/// Values from all over the store, each drawn by its number from all: of equal ones that stand together as many as of
/// others. Requires: values.
ValueStore<Owned> random_sample(const ValueStore<Viewed>& raw) {
  const std::uint64_t sampled = std::clamp(raw.count / 8, least_sampled, most_sampled);
  const double scale = 0x1p-52 * static_cast<double>(raw.count);
  ValueStore<Owned> out = empty_like(raw, sampled);
  permute_codes(out, raw, [&](auto* to, const auto* from) {
    for (std::uint64_t i = 0; i < sampled; ++i)
      to[i] = from[static_cast<std::uint64_t>(scale * static_cast<double>(hash_bits(i) >> 12))];
  });
  return out;
}

/// How many values must be equally frequent for `n` of them to show so many distinct ones: no fewer show as many.
double distinct_of_all(double shown, double n) {
  double low = shown, high = 1e15;
  for (int step = 0; step < 32; ++step) {
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
  const bool is_small = raw.count <= all_looked_at;
  if (!is_small) sample_ = random_sample(raw);
  if (only)
    make_exact(*only);
  else if (!is_small)
    guess();
  else
    for (const StoreKind kind : {StoreKind::narrow, StoreKind::lut16}) make_exact(kind);
}

void ValueFacts::guess() {
  const auto sample = view_of(sample_);
  statistics_.narrow = analyze::narrow_type(sample, threads_);
  statistics_.distinct = *analyze::table_length(StoreKind::lut16, sample, sample, threads_);
  if (statistics_.distinct == 1) return;
  const auto all = static_cast<double>(sample.count), shown = static_cast<double>(statistics_.distinct);
  rough_ = statistics_.distinct > few;
  // As few as are likely where they decide: they are counted if that makes a table of them the best store.
  const double least = rough_ ? shown - 2 - 2 * std::sqrt(all - shown) : shown;
  statistics_.distinct = std::min(static_cast<std::uint64_t>(distinct_of_all(least, all)), raw_.count);
  if (rough_ || statistics_.distinct > few) statistics_.distinct = std::max(few + 1, statistics_.distinct);
  rough_ = statistics_.distinct > few;
}

void ValueFacts::count_hashes() {
  rough_ = false;
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
  if (rough_) return count_hashes();
  store.sure = true;
  store.counts = analyze::at_most_distinct(raw_, most_in_table, statistics_.distinct, threads_);
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
  const auto length = analyze::table_length(kind, raw_, sample_.count != 0 ? view_of(sample_) : raw_, threads_);
  store.counts = length.has_value();
  if (length && *length != 0) {  // then it is known of the other tables, too
    statistics_.distinct = *length;
    for (const StoreKind table : {StoreKind::lut8, StoreKind::lut16, StoreKind::iso})
      stores_[place(table)].exact = true;
    rough_ = false;
  } else if (kind == StoreKind::lut8 && statistics_.distinct <= few) {
    count_hashes();
  }
}

}  // namespace spress
