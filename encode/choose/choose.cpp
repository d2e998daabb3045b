#include "encode/choose/choose.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "analyze/store_statistics.hpp"
#include "encode/choose/row_sample.hpp"
#include "encode/choose/valuation.hpp"
#include "encode/shared/any.hpp"
#include "formats/core/names.hpp"
#include "formats/core/threads.hpp"

namespace spress {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr double close = 1.1;  // an estimate within this factor of the best one is looked at more closely

/// Entries of a sample: one in `part`, at least `least`, and at most 2^22 / `part` and one in 8 * `part` of all.
std::uint64_t sample_entries(std::uint64_t nnz, std::uint64_t part, std::uint64_t least) {
  constexpr std::uint64_t many = 1 << 22;
  return std::max(least, std::min(nnz / part, many / part + nnz / (8 * part)));
}
std::uint64_t first_entries(std::uint64_t nnz) { return sample_entries(nnz, 32, 1 << 15); }
std::uint64_t closer_entries(std::uint64_t nnz) { return sample_entries(nnz, 8, 1 << 17); }

enum class Known { sample, closer, exact };

/// A format, and what is known of it.
struct Sized {
  Spec spec;
  Known known = Known::sample;
  bool by_row_lengths = false;
  std::vector<Candidate> candidates = {};  // with each store that holds the values; none if the format is unfit
  double least = unknown;                  // value of the best one
};

/// Scales an estimate of a sample to the matrix.
SizeEstimate scaled(SizeEstimate size, const RowSample& from) {
  if (from.whole) return size;
  const auto times = [](std::uint64_t count, double factor) {
    return static_cast<std::uint64_t>(static_cast<double>(count) * factor + 0.5);
  };
  size.index_bytes = times(size.index_bytes, from.index_bytes);
  size.value_slots = times(size.value_slots, from.entries);
  if (size.own_value_bytes) size.own_value_bytes = times(*size.own_value_bytes, from.entries);
  if (size.pads_long_rows && from.long_row_padding > 0) {
    const double slots = static_cast<double>(size.value_slots);
    const double of_slot = slots > 0 ? static_cast<double>(size.index_bytes) / slots : sizeof(std::uint32_t);
    size.index_bytes += static_cast<std::uint64_t>(from.long_row_padding * of_slot);
    size.value_slots += static_cast<std::uint64_t>(from.long_row_padding);
  }
  return size;
}

class Chooser {
 public:
  Chooser(const Csr<Viewed>& a, const ChoiceOptions& options)
      : a_(a),
        options_(options),
        sample_(options.all_exact ? whole_sample(a) : sample_rows(a, first_entries(a.nnz), options.threads)),
        valuation_(a, sample_, values_of(a, options), options) {}

  Result<Choice> run() {
    SPRESS_CHECK(list_formats());
    SPRESS_CHECK(estimate_all());
    while (true) {
      Sized* const best = best_format();
      if (best == nullptr) return nothing_left();
      const auto open = undecided(*best);
      if (open.empty()) break;
      for (Sized* const format : open) SPRESS_CHECK(look_closer(*format));
    }
    note_undecided(*best_format());
    list_candidates();
    return std::move(choice_);
  }

 private:
  static analyze::ValueStatistics values_of(const Csr<Viewed>& a, const ChoiceOptions& options) {
    if (options.statistics != nullptr) return *options.statistics;
    return options.values == StoreKind::raw ? analyze::ValueStatistics{}
                                            : analyze::store_statistics(a.values, options.threads);
  }

  Status list_formats() {
    for (const Spec& spec : options_.formats) SPRESS_CHECK(check_format(spec));
    auto specs = options_.formats.empty() ? candidate_formats(options_.goal, options_.model) : options_.formats;
    for (Spec& spec : specs) formats_.push_back({std::move(spec)});
    if (formats_.empty())
      return Error{ErrorCode::not_applicable,
                   "there are no formats to choose from: the calibration holds prices of none"};
    return Ok{};
  }

  // --- Sizes ---

  /// The threads for estimates from so many entries.
  [[nodiscard]] int threads_for(const RowSample& from) const {
    constexpr std::uint64_t work = 8;  // of an estimate, in passes over the entries
    return threads_worth(options_.threads, work * from.csr.nnz);
  }

  /// Estimates all formats from the sample. A sample is small, so threads share out formats and not rows.
  Status estimate_all() {
    if (options_.all_exact) {
      for (Sized& format : formats_) SPRESS_CHECK(estimate(format, sample_, Known::exact));
      return Ok{};
    }
    std::vector<std::optional<Result<SizeEstimate>>> sizes(formats_.size());
    parallel_for_dynamic(formats_.size(), threads_for(sample_), [&](std::uint64_t i, std::size_t) {
      const DefaultThreads scope(1);
      sizes[i] = estimate_any(sample_.csr, formats_[i].spec);
    });
    for (std::size_t i = 0; i < formats_.size(); ++i)
      SPRESS_CHECK(note(formats_[i], *sizes[i], sample_, Known::sample));
    return Ok{};
  }

  Status estimate(Sized& format, const RowSample& from, Known known) {
    const DefaultThreads scope(threads_for(from));
    return note(format, estimate_any(from.csr, format.spec), from, known);
  }

  Status note(Sized& format, const Result<SizeEstimate>& size, const RowSample& from, Known known) {
    if (!size.ok() && !from.whole) return estimate(format, whole_sample(a_), Known::exact);  // a sample may not refuse
    if (!size.ok()) return drop(format, size.error());
    take(format, *size, from, known);
    return Ok{};
  }

  void take(Sized& format, const SizeEstimate& size, const RowSample& from, Known known) const {
    format.known = from.whole ? Known::exact : known;
    format.by_row_lengths = size.by_row_lengths;
    format.candidates = valuation_.weigh(format.spec, scaled(size, from), format.known == Known::exact);
    format.least = unknown;
    for (const Candidate& each : format.candidates) format.least = std::min(format.least, goal_value(each, options_));
  }

  /// A format that cannot hold the matrix leaves the choice. Any other error ends it.
  Status drop(Sized& format, const Error& error) {
    if (error.code != ErrorCode::not_applicable) return error;
    choice_.unfit.emplace_back(format.spec, error.message);
    format = {std::move(format.spec), Known::exact};
    return Ok{};
  }

  /// Replaces an estimate by the next better one.
  Status look_closer(Sized& format) {
    if (format.known == Known::sample && !format.by_row_lengths) {
      if (!closer_) closer_ = sample_rows(a_, closer_entries(a_.nnz), options_.threads);
      return estimate(format, *closer_, Known::closer);
    }
    if (const Footprint* const known = known_size(format.spec); known != nullptr && !known->unfit) {
      take(format, known->size, RowSample{}, Known::exact);
      return Ok{};
    }
    return estimate(format, whole_sample(a_), Known::exact);
  }

  [[nodiscard]] const Footprint* known_size(const Spec& wanted) const {
    if (options_.sizes == nullptr) return nullptr;
    const auto is_wanted = [&](const Footprint& each) {
      return each.format == wanted.name && each.parameters == wanted.parameters();
    };
    const auto found = std::find_if(options_.sizes->begin(), options_.sizes->end(), is_wanted);
    return found == options_.sizes->end() ? nullptr : &*found;
  }

  // --- Policy ---

  /// The format of the least value, the first of equals; null if none holds the matrix.
  Sized* best_format() {
    const auto best = std::min_element(formats_.begin(), formats_.end(), [](const Sized& x, const Sized& y) {
      return std::pair(x.candidates.empty(), x.least) < std::pair(y.candidates.empty(), y.least);
    });
    return best == formats_.end() || best->candidates.empty() ? nullptr : &*best;
  }

  /// The formats whose estimates are too rough to decide among them.
  std::vector<Sized*> undecided(Sized& best) {
    std::vector<Sized*> open;
    // Predicted times are less certain than samples, but no sample tells of padding.
    const bool by_bytes = options_.goal == Goal::memory;
    for (Sized& format : formats_)
      if (format.known == Known::sample && (by_bytes || format.by_row_lengths) && format.least <= close * best.least)
        open.push_back(&format);
    const bool decided = open.empty() || (open.size() == 1 && open[0] == &best && !best.by_row_lengths);
    if (!decided) return open;
    if (options_.exact_best && best.known != Known::exact) return {&best};
    return {};
  }

  // --- Results ---

  void list_candidates() {
    auto& listed = choice_.candidates;
    for (Sized& format : formats_)
      std::move(format.candidates.begin(), format.candidates.end(), std::back_inserter(listed));
    std::stable_sort(listed.begin(), listed.end(), [&](const Candidate& x, const Candidate& y) {
      return goal_value(x, options_) < goal_value(y, options_);
    });
  }

  void note_undecided(const Sized& best) {
    std::string rivals;
    for (const Sized& format : formats_) {
      const bool guessed = best.known != Known::exact || format.known != Known::exact;
      if (&format != &best && guessed && format.least < close * best.least)
        rivals += (rivals.empty() ? "" : ", ") + format.spec.text();
    }
    if (!rivals.empty())
      choice_.notes.push_back(rivals + ": within a tenth of " + best.spec.text() +
                              " by estimates from a sample of rows; spress encode --exact decides");
  }

  [[nodiscard]] Error nothing_left() const {
    std::string what = "no format holds this matrix";
    if (options_.formats.size() == 1) what = options_.formats[0].text() + " does not hold this matrix";
    if (options_.values) what += " with values as " + std::string(enum_name(*options_.values));
    if (!choice_.unfit.empty()) what += ": " + choice_.unfit.back().second;
    return {ErrorCode::not_applicable, what};
  }

  Csr<Viewed> a_;
  const ChoiceOptions& options_;
  RowSample sample_;
  std::optional<RowSample> closer_;
  Valuation valuation_;
  std::vector<Sized> formats_;
  Choice choice_;
};

}  // namespace

Result<Goal> parse_goal(const std::string& name) {
  if (name == "memory") return Goal::memory;
  if (const auto goal = enum_named<Goal>(name)) return *goal;
  return unknown_name("goal", name, goal_names);
}

double goal_value(const Candidate& candidate, const ChoiceOptions& options) {
  switch (options.goal) {
    case Goal::memory: return static_cast<double>(candidate.total_bytes);
    case Goal::spmv: return candidate.seconds.value_or(unknown);
    case Goal::transfer: return candidate.transfer_seconds.value_or(0) + candidate.seconds.value_or(unknown);
  }
  return unknown;
}

std::vector<Spec> candidate_formats(Goal goal, const CostModel* model) {
  if (goal == Goal::memory || model == nullptr) return pacing_formats();
  std::vector<Spec> specs;
  for (const FormatPrices& each : model->formats) {
    auto spec = parse_spec(each.format);
    const auto is_same = [&](const Spec& other) { return other.text() == each.format; };
    if (!spec.ok() || !check_format(*spec).ok() || std::any_of(specs.begin(), specs.end(), is_same)) continue;
    specs.push_back(std::move(spec).value());
  }
  return specs;
}

Result<Choice> choose(const Csr<Viewed>& a, const ChoiceOptions& options) {
  if (options.goal != Goal::memory && a.values.type == ValueType::c128)
    return Error{ErrorCode::not_applicable,
                 "there is no product for complex values, and so no time to choose by; choose by bytes (--for memory)"};
  return Chooser(a, options).run();
}

}  // namespace spress
