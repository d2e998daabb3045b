#include "reports/records/order_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "reports/records/means.hpp"
#include "reports/records/summary.hpp"

namespace spress::reports {
namespace {

using Bytes = std::optional<std::uint64_t>;

/// What `auto` lowers, as far as the record tells; infinite where it was not predicted.
double goal_value(const CandidateRecord& c, std::string_view goal) {
  const auto known = [](double seconds, double otherwise) { return std::isfinite(seconds) ? seconds : otherwise; };
  if (goal == "size") return static_cast<double>(c.total_bytes);
  const double product = known(c.predicted_seconds, std::numeric_limits<double>::infinity());
  return goal == "spmv" ? product : product + known(c.transfer_seconds, 0);
}

/// The candidate that `auto` takes, or would take were this the only order, or null.
const CandidateRecord* candidate(const AnalyzeRecord& record, std::string_view ordering) {
  if (!record.choice || record.choice->candidates.empty()) return nullptr;
  const auto& all = record.choice->candidates;
  if (ordering == auto_ordering) return &all.front();
  const CandidateRecord* best = nullptr;
  for (const CandidateRecord& c : all) {
    if (c.ordering != ordering) continue;
    if (best == nullptr || goal_value(c, record.choice->goal) < goal_value(*best, record.choice->goal)) best = &c;
  }
  return best;
}

Bytes smallest_of_all(const AnalyzeRecord& record, std::string_view ordering) {
  const OrderingRecord* o = applied(record, ordering);
  const auto smallest = o == nullptr ? std::nullopt : smallest_format(*o);
  return smallest ? Bytes(smallest->store.total_bytes) : std::nullopt;
}

template <class BytesOf>
ByteChanges compare(const std::vector<const AnalyzeRecord*>& records, std::string_view ordering,
                    const BytesOf& bytes_of) {
  ByteChanges result;
  std::vector<double> ratios;
  for (const AnalyzeRecord* record : records) {
    const Bytes before = bytes_of(*record, "none"), after = bytes_of(*record, ordering);
    if (!before || !after) continue;
    ++result.matrices;
    result.before_bytes += *before;
    result.after_bytes += *after;
    ++(*after < *before ? result.smaller : *after > *before ? result.larger : result.same);
    if (*before == 0 || *after == 0) continue;
    const double ratio = static_cast<double>(*after) / static_cast<double>(*before);
    ratios.push_back(ratio);
    const std::string& name = record->matrix.name;
    if (ratios.size() > 1 && (ratio < result.worst_ratio || (ratio == result.worst_ratio && name >= result.worst_name)))
      continue;
    result.worst_ratio = ratio;
    result.worst_name = name;
  }
  result.mean_ratio = geometric_mean(std::move(ratios));
  return result;
}

}  // namespace

std::string_view taken_ordering(const AnalyzeRecord& record) {
  const CandidateRecord* taken = candidate(record, auto_ordering);
  return taken == nullptr ? std::string_view() : std::string_view(taken->ordering);
}

std::optional<std::uint64_t> chosen_bytes(const AnalyzeRecord& record, std::string_view ordering) {
  const CandidateRecord* c = candidate(record, ordering);
  return c != nullptr && c->exact ? Bytes(c->total_bytes) : std::nullopt;
}

SmallestStore smallest_store(const FootprintRecord& format) {
  SmallestStore least{"raw", format.total_bytes};
  for (const auto& [name, bytes] : format.values)
    if (bytes && format.index_bytes + *bytes < least.total_bytes) least = {name, format.index_bytes + *bytes};
  return least;
}

std::optional<SmallestFormat> smallest_format(const OrderingRecord& ordering) {
  std::optional<SmallestFormat> least;
  for (const auto& [name, format] : ordering.footprint) {
    if (!format.reason.empty()) continue;
    const SmallestStore store = smallest_store(format);
    if (!least || store.total_bytes < least->store.total_bytes) least = {name, &format, store};
  }
  return least;
}

OrderBytes compare_order_bytes(const std::vector<const AnalyzeRecord*>& records, const std::string& ordering) {
  return {ordering, compare(records, ordering, chosen_bytes), compare(records, ordering, smallest_of_all)};
}

}  // namespace spress::reports
