#include "pipeline/choose.hpp"

#include <algorithm>
#include <vector>

#include "analyze/store_statistics.hpp"
#include "formats/core/clock.hpp"
#include "pipeline/byte_cost.hpp"

namespace spress::pipeline {
namespace {

/// A matrix in one ordering, and the choice there.
struct Tried {
  reorder::Reordering to;
  Csr<Owned> reordered;
  OrderingChoice choice;
};

/// What an ordering that searches shall lower.
reorder::Cost bytes_aimed_at(const Csr<Viewed>& a, const ChoiceOptions& options) {
  auto formats = options.formats.empty() ? candidate_formats(options.goal, options.model) : options.formats;
  return byte_cost(a, std::move(formats), options.values, options.threads);
}

Result<Tried> try_ordering(const Csr<Viewed>& a, const std::string& ordering, const ChoiceOptions& options) {
  Tried out;
  out.choice.ordering = ordering;
  SPRESS_TRY(out.to, reorder::compute_ordering(ordering, a, {.cost = bytes_aimed_at(a, options)}));
  if (!out.to.identity()) out.reordered = reorder::permute(a, out.to);
  const auto start = Clock::now();
  SPRESS_TRY(out.choice.choice, choose(out.to.identity() ? a : view_of(out.reordered), options));
  out.choice.seconds = seconds_since(start);
  return out;
}

bool passed_over(const Error& error) {
  return error.code == ErrorCode::not_applicable || error.code == ErrorCode::unsupported;
}

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

std::vector<std::string> auto_orderings(const Csr<Viewed>& a, Goal goal) {
  std::vector<std::string> out = {"none"};
  for (const reorder::Ordering& each : reorder::orderings()) {
    const bool fits = each.symmetric() ? a.rows == a.cols : goal == Goal::size || a.rows != a.cols;
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
  for (const OrderingChoice& each : tried)
    for (const Candidate& c : each.choice.candidates) out.candidates.emplace_back(each.ordering, c);
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
      timed(out_.seconds, [&] { statistics_ = analyze::store_statistics(a_.values, how_.threads); });
      how_.statistics = &statistics_;
    }
    for (const std::string& ordering : options_.orderings) {
      auto one = try_ordering(a_, ordering, how_);
      if (!one.ok() && !tried_.empty() && passed_over(one.error())) continue;
      if (!one.ok()) return std::move(one).error();
      out_.seconds += one->choice.seconds;
      choices_.push_back(std::move(one->choice));
      tried_.push_back(std::move(one).value());
      if (tried_.size() > 1)
        choices_.back().proven = looks_better(choices_.back()) && prove(0) && prove(tried_.size() - 1);
      keep_taken();
    }
    return taken();
  }

 private:
  template <class Work>
  static void timed(double& seconds, const Work& work) {
    const auto start = Clock::now();
    work();
    seconds += seconds_since(start);
  }

  [[nodiscard]] Csr<Viewed> matrix(std::size_t i) const {
    return tried_[i].to.identity() ? a_ : view_of(tried_[i].reordered);
  }

  [[nodiscard]] bool looks_better(const OrderingChoice& last) const {
    return goal_value(last.choice.candidates.front(), how_) < standing_;
  }

  /// Makes the bytes of the best candidate of an ordering exact. False where it turns out not to hold the matrix.
  bool prove(std::size_t i) {
    Candidate& best = choices_[i].choice.candidates.front();
    if (best.exact) return true;
    ChoiceOptions how = how_;
    how.formats = {best.format};
    how.exact_best = true;
    bool proven = false;
    timed(out_.exact_seconds, [&] {
      auto exact = choose(matrix(i), how);
      proven = exact.ok();
      if (proven) best = std::move(exact->candidates.front());
    });
    return proven;
  }

  /// One copy of the matrix is held besides that in work.
  void keep_taken() {
    const Decision decision = decide(choices_, how_);
    standing_ = goal_value(decision.candidates.front().second, how_);
    for (std::size_t i = 1; i < tried_.size(); ++i)
      if (i != decision.taken) tried_[i].reordered = {};
  }

  AutoChoice taken() {
    Decision decision = decide(choices_, how_);
    out_.ordering = choices_[decision.taken].ordering;
    out_.to = std::move(tried_[decision.taken].to);
    out_.reordered = std::move(tried_[decision.taken].reordered);
    out_.candidates = std::move(decision.candidates);
    out_.declined = std::move(decision.declined);
    out_.notes = std::move(choices_[decision.taken].choice.notes);
    return std::move(out_);
  }

  Csr<Viewed> a_;
  const AutoOptions& options_;
  ChoiceOptions how_;
  analyze::ValueStatistics statistics_;  // the same in every ordering
  std::vector<Tried> tried_;
  std::vector<OrderingChoice> choices_;
  double standing_ = 0;  // what the best one so far is worth
  AutoChoice out_;
};

}  // namespace

Result<AutoChoice> choose_auto(const Csr<Viewed>& a, const AutoOptions& options) {
  return AutoChooser(a, options).run();
}

namespace {

reports::ChoiceRecord record_of(const std::vector<std::pair<std::string, Candidate>>& candidates, Goal goal,
                                const Calibration* calibration) {
  reports::ChoiceRecord record;
  record.goal = enum_name(goal);
  if (calibration != nullptr) {
    record.device = calibration->device;
    record.calibration = calibration->source;
  }
  for (const auto& [ordering, candidate] : candidates)
    record.candidates.push_back(candidate_record(ordering, candidate));
  return record;
}

}  // namespace

reports::ChoiceRecord choice_record(const AutoChoice& choice, Goal goal, const Calibration* calibration) {
  reports::ChoiceRecord record = record_of(choice.candidates, goal, calibration);
  record.seconds = choice.seconds;
  record.exact_seconds = choice.exact_seconds;
  record.declined = choice.declined;
  record.notes = choice.notes;
  return record;
}

reports::ChoiceRecord choice_record(const std::vector<OrderingChoice>& tried, const ChoiceOptions& options,
                                    const Calibration* calibration) {
  const Decision decision = decide(tried, options);
  reports::ChoiceRecord record = record_of(decision.candidates, options.goal, calibration);
  for (const OrderingChoice& each : tried) record.seconds += each.seconds;
  record.declined = decision.declined;
  record.notes = tried[decision.taken].choice.notes;
  return record;
}

}  // namespace spress::pipeline
