#include "pipeline/choose.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/cpu/spmv.hpp"
#include "pipeline/byte_cost.hpp"
#include "pipeline/timing.hpp"

namespace spress::pipeline {
namespace {

/// The choice in one ordering.
struct Tried {
  std::string ordering;
  reorder::Reordering to;
  Csr<Owned> reordered;
  Choice choice;
  double seconds = 0;
};

/// What an ordering that searches shall lower: the bytes of the smallest candidate. The statistics of the values are
/// made when it asks first: most orderings do not.
reorder::Cost bytes_aimed_at(const Csr<Viewed>& a, const ChoiceOptions& options) {
  auto cost = std::make_shared<reorder::Cost>();
  return [cost, a, options](const Csr<Viewed>& b) {
    if (!*cost) {
      const auto formats = options.formats.empty() ? candidate_formats(options.goal, options.model) : options.formats;
      *cost = byte_cost(formats, analyze::value_statistics(a.values, options.threads), options.values);
    }
    return (*cost)(b);
  };
}

Result<Tried> try_ordering(const Csr<Viewed>& a, const std::string& ordering, const ChoiceOptions& options) {
  Tried out;
  out.ordering = ordering;
  SPRESS_TRY(out.to, reorder::compute_ordering(ordering, a, {.cost = bytes_aimed_at(a, options)}));
  if (!out.to.identity()) out.reordered = reorder::permute(a, out.to);
  const auto start = Clock::now();
  SPRESS_TRY(out.choice, choose(out.to.identity() ? a : view_of(out.reordered), options));
  out.seconds = seconds_since(start);
  return out;
}

void append(AutoChoice& to, const Tried& tried) {
  for (const Candidate& each : tried.choice.candidates) to.candidates.emplace_back(tried.ordering, each);
  to.seconds += tried.seconds;
}

std::string too_large(const Tried& tried, const Candidate& limit) {
  return tried.ordering + " would take " + std::to_string(tried.choice.candidates[0].total_bytes) + " bytes as " +
         tried.choice.candidates[0].format.text() + ", more than the " + std::to_string(limit.total_bytes) + " without";
}

}  // namespace

std::vector<std::string> auto_orderings(const Csr<Viewed>& a) {
  if (a.rows != a.cols) return {"none"};
  return {"none", "rcm"};
}

Result<AutoChoice> choose_auto(const Csr<Viewed>& a, const AutoOptions& options) {
  SPRESS_TRY(auto best, try_ordering(a, options.orderings.front(), options.choice));
  const Candidate limit = best.choice.candidates.front();
  AutoChoice out;
  append(out, best);
  for (std::size_t i = 1; i < options.orderings.size(); ++i) {
    auto tried = try_ordering(a, options.orderings[i], options.choice);
    if (!tried.ok()) {
      if (tried.error().code != ErrorCode::not_applicable && tried.error().code != ErrorCode::unsupported)
        return std::move(tried).error();
      continue;
    }
    append(out, *tried);
    const Candidate& candidate = tried->choice.candidates.front();
    if (goal_value(candidate, options.choice) >= goal_value(best.choice.candidates.front(), options.choice)) continue;
    if (candidate.total_bytes > limit.total_bytes)
      out.declined = too_large(*tried, limit);
    else
      best = std::move(*tried);
  }
  const auto value = [&](const auto& candidate) { return goal_value(candidate.second, options.choice); };
  std::stable_sort(out.candidates.begin(), out.candidates.end(),
                   [&](const auto& x, const auto& y) { return value(x) < value(y); });
  const auto is_chosen = [&](const auto& c) {
    const Candidate& chosen = best.choice.candidates.front();
    return c.first == best.ordering && c.second.values == chosen.values &&
           c.second.format.text() == chosen.format.text();
  };
  const auto chosen = std::find_if(out.candidates.begin(), out.candidates.end(), is_chosen);
  std::rotate(out.candidates.begin(), chosen, chosen + 1);
  out.ordering = std::move(best.ordering);
  out.to = std::move(best.to);
  out.reordered = std::move(best.reordered);
  return out;
}

template <class T>
double csr_product_seconds(const Csr<Viewed>& a, int threads) {
  std::vector<T> x(a.cols, T(1)), y(a.rows);
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 5; ++run) {
    const auto start = Clock::now();
    cpu::spmv<T>(a, x.data(), y.data(), threads);
    least = std::min(least, seconds_since(start));
  }
  return least;
}
template double csr_product_seconds<float>(const Csr<Viewed>&, int);
template double csr_product_seconds<double>(const Csr<Viewed>&, int);

reports::ChoiceRecord choice_record(const AutoChoice& choice, Goal goal, const Calibration* calibration) {
  reports::ChoiceRecord record;
  record.goal = enum_name(goal);
  if (calibration != nullptr) {
    record.device = calibration->device;
    record.calibration = calibration->source;
  }
  record.seconds = choice.seconds;
  record.declined = choice.declined;
  for (const auto& [ordering, c] : choice.candidates) {
    reports::CandidateRecord row{ordering,      c.format.name, c.format.parameters(), std::string(enum_name(c.values)),
                                 c.total_bytes, c.exact};
    row.predicted_seconds = c.seconds.value_or(reports::not_measured);
    row.transfer_seconds = c.transfer_seconds.value_or(reports::not_measured);
    record.candidates.push_back(std::move(row));
  }
  return record;
}

}  // namespace spress::pipeline
