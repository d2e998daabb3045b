#include "pipeline/choose.hpp"

#include <algorithm>
#include <vector>

#include "analyze/store_statistics.hpp"
#include "formats/core/clock.hpp"
#include "pipeline/byte_cost.hpp"

namespace spress::pipeline {
namespace {

/// The best candidate in an ordering that takes no more than `bytes`: those after the best of all count only where
/// their bytes are exact. Null where there is none.
const Candidate* first_within(const OrderingChoice& tried, std::uint64_t bytes) {
  const auto& all = tried.choice.candidates;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Candidate& c) {
    return c.total_bytes <= bytes && (c.exact || &c == &all.front());
  });
  return found == all.end() ? nullptr : &*found;
}

std::string too_large(const OrderingChoice& tried, const Candidate& limit) {
  const Candidate& best = tried.choice.candidates.front();
  return tried.ordering + " would take " + std::to_string(best.total_bytes) + " bytes as " + best.format.text() +
         ", more than the " + std::to_string(limit.total_bytes) + " without";
}

reports::CandidateRecord candidate_record(const std::string& ordering, const Candidate& c) {
  reports::CandidateRecord row;
  row.ordering = ordering;
  row.format = c.format.name;
  row.parameters = c.format.parameters();
  row.values = enum_name(c.values);
  row.total_bytes = c.total_bytes;
  row.exact = c.exact;
  row.predicted_seconds = c.seconds.value_or(reports::not_measured);
  row.transfer_seconds = c.transfer_seconds.value_or(reports::not_measured);
  return row;
}

}  // namespace

bool passed_over(const Error& error) {
  return error.code == ErrorCode::not_applicable || error.code == ErrorCode::unsupported;
}

std::vector<std::string> auto_orderings(const Csr<Viewed>& a, Goal goal) {
  std::vector<std::string> out = {"none"};
  for (const reorder::Ordering& each : reorder::orderings()) {
    const bool fits = each.symmetric() ? a.rows == a.cols : goal == Goal::memory || a.rows != a.cols;
    if (each.tried_by.auto_choice && fits) out.emplace_back(each.name);
  }
  return out;
}

Decision decide(const std::vector<OrderingChoice>& tried, const ChoiceOptions& options) {
  const Candidate& limit = tried.front().choice.candidates.front();
  const Candidate* best = &limit;
  const Candidate* declined = nullptr;
  Decision out;
  const auto better = [&](const Candidate& x, const Candidate& y) {
    return goal_value(x, options) < goal_value(y, options);
  };
  for (std::size_t i = 1; i < tried.size(); ++i) {
    if (!tried[i].proven) continue;
    const Candidate& front = tried[i].choice.candidates.front();
    const Candidate* within = first_within(tried[i], limit.total_bytes);
    if (within != &front && better(front, declined != nullptr ? *declined : *best)) {
      declined = &front;
      out.declined = too_large(tried[i], limit);
    }
    if (within == nullptr || !better(*within, *best)) continue;
    best = within;
    out.taken = i;
  }
  if (declined != nullptr && !better(*declined, *best)) out.declined.clear();
  out.notes = tried[out.taken].choice.notes;
  for (const OrderingChoice& each : tried) {
    out.seconds += each.seconds;
    for (const Candidate& c : each.choice.candidates) out.candidates.emplace_back(each.ordering, c);
  }
  std::stable_sort(out.candidates.begin(), out.candidates.end(), [&](const auto& x, const auto& y) {
    return goal_value(x.second, options) < goal_value(y.second, options);
  });
  const auto is_taken = [&](const auto& c) {
    return c.first == tried[out.taken].ordering && c.second.values == best->values &&
           c.second.format.text() == best->format.text();
  };
  const auto taken = std::find_if(out.candidates.begin(), out.candidates.end(), is_taken);
  std::rotate(out.candidates.begin(), taken, taken + 1);
  return out;
}

namespace {

/// One ordering after the other, the best one so far being kept.
class AutoChooser {
 public:
  AutoChooser(const Csr<Viewed>& a, const AutoOptions& options) : a_(a), options_(options), how_(options.choice) {}

  Result<AutoChoice> run() {
    if (how_.values != StoreKind::raw) {
      timed(values_seconds_, [&] { statistics_ = analyze::store_statistics(a_.values, how_.threads); });
      how_.statistics = &statistics_;
    }
    for (const std::string& ordering : options_.orderings) {
      const Status tried = try_ordering(ordering);
      if (!tried.ok() && (choices_.empty() || !passed_over(tried.error()))) return tried.error();
    }
    AutoChoice out{decide(choices_, how_), {}};
    static_cast<Reordered&>(out) = std::move(choices_[out.taken].order);
    out.seconds += values_seconds_;
    out.exact_seconds = exact_seconds_;
    return out;
  }

 private:
  template <class Work>
  static void timed(double& seconds, const Work& work) {
    const auto start = Clock::now();
    work();
    seconds += seconds_since(start);
  }

  Status try_ordering(const std::string& ordering) {
    Reordered order;
    auto formats = how_.formats.empty() ? candidate_formats(how_.goal, how_.model) : how_.formats;
    SPRESS_TRY(order.to, reorder::compute_ordering(ordering, a_,
                                                   {.cost = byte_cost(std::move(formats), statistics_, how_.values)}));
    if (!order.to.identity()) order.reordered = reorder::permute(a_, order.to);
    const auto start = Clock::now();
    SPRESS_TRY(auto choice, choose(order.matrix(a_), how_));
    OrderingChoice last{ordering, std::move(choice), seconds_since(start), true, std::move(order)};
    if (!choices_.empty())
      last.proven = goal_value(last.choice.candidates.front(), how_) < least_ && prove(choices_[0]) && prove(last);
    choices_.push_back(std::move(last));
    keep_taken();
    return Ok{};
  }

  /// Makes the bytes of the best candidate exact. False where it turns out not to hold the matrix.
  bool prove(OrderingChoice& in) {
    Candidate& best = in.choice.candidates.front();
    if (best.exact) return true;
    ChoiceOptions how = how_;
    how.formats = {best.format};
    how.exact_best = true;
    bool proven = false;
    timed(exact_seconds_, [&] {
      auto exact = choose(in.order.matrix(a_), how);
      proven = exact.ok();
      if (proven) best = std::move(exact->candidates.front());
    });
    return proven;
  }

  /// One copy of the matrix is held besides that in work.
  void keep_taken() {
    const Decision decision = decide(choices_, how_);
    least_ = goal_value(decision.best(), how_);
    for (std::size_t i = 1; i < choices_.size(); ++i)
      if (i != decision.taken) choices_[i].order.reordered = {};
  }

  Csr<Viewed> a_;
  const AutoOptions& options_;
  ChoiceOptions how_;
  analyze::ValueStatistics statistics_;  // the same in every ordering; empty where values stay raw
  std::vector<OrderingChoice> choices_;
  double least_ = 0;  // what the best one so far is worth
  double values_seconds_ = 0, exact_seconds_ = 0;
};

}  // namespace

Result<AutoChoice> choose_auto(const Csr<Viewed>& a, const AutoOptions& options) {
  return AutoChooser(a, options).run();
}

reports::ChoiceRecord choice_record(const Decision& decision, Goal goal, const Calibration* calibration) {
  reports::ChoiceRecord record;
  record.goal = enum_name(goal);
  if (calibration != nullptr) {
    record.device = calibration->device;
    record.calibration = calibration->source;
  }
  for (const auto& [ordering, candidate] : decision.candidates)
    record.candidates.push_back(candidate_record(ordering, candidate));
  record.seconds = decision.seconds;
  record.exact_seconds = decision.exact_seconds;
  record.declined = decision.declined;
  record.notes = decision.notes;
  return record;
}

}  // namespace spress::pipeline
