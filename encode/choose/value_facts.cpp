#include "encode/choose/value_facts.hpp"

#include <algorithm>
#include <cmath>

#include "analyze/store_check.hpp"

namespace spress {
namespace {

constexpr std::uint64_t few = 256, most_in_table = 65536;
constexpr std::uint64_t least_sampled = 512, most_sampled = 2048, all_looked_at = 2048;

/// Values from all over the store, each drawn by chance from all: of equal ones that stand together as many as of
/// others. The same ones in every call. Requires: values.
ValueStore<Owned> random_sample(const ValueStore<Viewed>& raw) {
  const std::uint64_t sampled = std::clamp(raw.count / 8, least_sampled, most_sampled);
  const double scale = 0x1p-52 * static_cast<double>(raw.count);
  ValueStore<Owned> out = empty_like(raw, sampled);
  permute_codes(out, raw, [&](auto* to, const auto* from) {
    std::uint64_t chance = 0;  // Knuth's linear congruential generator: quicker than a hash of each number
    for (std::uint64_t i = 0; i < sampled; ++i) {
      chance = chance * 6364136223846793005u + 1442695040888963407u;
      to[i] = from[static_cast<std::uint64_t>(scale * static_cast<double>(chance >> 12))];
    }
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

/// At most so many values are distinct of `all`, but for bad luck, where a sample of n of them meets so many: each
/// value that it meets once stands for as many as it leaves out, since others would be met again.
double most_distinct_of_all(const analyze::Met& met, double n, double all) {
  const double part = n / all, once = static_cast<double>(met.once);
  const double stands_for = (once + 3 * std::sqrt(once) + 7) / part;  // 7: of so rare ones, none may be met
  const double twice = 1 - part * std::exp(-part);  // draws that take an entry once more seem to meet its value again
  return std::min(all, (static_cast<double>(met.distinct - met.once) + stands_for) / twice);
}

}  // namespace

ValueFacts::ValueFacts(const ValueStore<Viewed>& raw, std::optional<StoreKind> only, int threads)
    : raw_(raw), threads_(threads) {
  set_stores(only);
  if (is_pattern() || only == StoreKind::raw) return;
  const bool is_small = raw.count <= all_looked_at;
  if (!is_small) sample_ = random_sample(raw);
  if (only)
    make_exact(*only);
  else if (!is_small)
    guess();
  else
    for (const StoreKind kind : {StoreKind::narrow, StoreKind::lut16}) make_exact(kind);
}

ValueFacts::ValueFacts(const ValueStore<Viewed>& raw, const analyze::ValueStatistics& known)
    : raw_(raw), threads_(1), statistics_(known) {
  set_stores(std::nullopt);
  for (Store& store : stores_) store.exact = true;
}

void ValueFacts::set_stores(std::optional<StoreKind> only) {
  for (const StoreKind kind : all_stores)
    stores_[place(kind)].counts = (!only || *only == kind) && (!is_pattern() || kind == StoreKind::raw);
  stores_[place(StoreKind::raw)].exact = true;
}

void ValueFacts::guess() {
  const auto sample = view_of(sample_);
  const analyze::Met met = analyze::met_values(sample);
  statistics_.narrow = analyze::narrow_type(sample, threads_);
  statistics_.distinct = met.distinct;
  const auto n = static_cast<double>(sample.count), shown = static_cast<double>(met.distinct);
  most_distinct_ = static_cast<std::uint64_t>(most_distinct_of_all(met, n, static_cast<double>(raw_.count)));
  if (met.distinct == 1) return;
  rough_ = met.distinct > few;
  // As few as are likely where they decide: they are counted if that makes a table of them the best store.
  const double least = rough_ ? shown - 2 - 2 * std::sqrt(n - shown) : shown;
  statistics_.distinct = std::min(static_cast<std::uint64_t>(distinct_of_all(least, n)), raw_.count);
  if (rough_ || statistics_.distinct > few) statistics_.distinct = std::max(few + 1, statistics_.distinct);
  rough_ = statistics_.distinct > few;
}

void ValueFacts::count_hashes() {
  rough_ = false;
  statistics_.distinct = std::max(few + 1, analyze::likely_distinct(raw_, most_in_table, threads_));
  most_distinct_ = statistics_.distinct + statistics_.distinct / 8;
}

std::optional<std::uint64_t> ValueFacts::bytes(StoreKind kind, std::uint64_t slots) const {
  if (!stores_[place(kind)].counts) return std::nullopt;
  return analyze::store_bytes(kind, statistics_, raw_.type, slots);
}

std::optional<std::uint64_t> ValueFacts::most_bytes(StoreKind kind, std::uint64_t slots) const {
  if (!stores_[place(kind)].counts) return std::nullopt;
  analyze::ValueStatistics most = statistics_;
  if (rough_) most.distinct = std::max(most.distinct, most_distinct_);
  return analyze::store_bytes(kind, most, raw_.type, slots);
}

void ValueFacts::settle_for_guess() {
  if (!rough_) return;
  rough_ = false;
  const double least = static_cast<double>(statistics_.distinct), most = static_cast<double>(most_distinct_);
  if (least < most) statistics_.distinct = static_cast<std::uint64_t>(std::sqrt(least * most));
}

void ValueFacts::make_sure(StoreKind kind) {
  if (kind != StoreKind::lut16) return make_exact(kind);
  Store& store = stores_[place(kind)];
  if (is_sure(kind) || !store.counts) return;
  if (rough_) return count_hashes();
  store.sure = true;
  store.counts = analyze::at_most_distinct(raw_, most_in_table, most_distinct_, threads_);
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
    statistics_.distinct = few + 1;
    rough_ = true;
  }
}

}  // namespace spress
