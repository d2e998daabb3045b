#include "encode/choose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyze/store_check.hpp"
#include "analyze/value_statistics.hpp"
#include "encode/any.hpp"
#include "encode/few_threads.hpp"
#include "encode/row_sample.hpp"
#include "encode/stretches.hpp"

namespace spress {
namespace {

/// A format with its size; scaled from a sample where it is not exact.
struct Sized {
  Spec spec;
  double index_bytes = 0, slots = 0;
  std::optional<double> own_value_bytes = std::nullopt;
  bool exact = false, by_row_lengths = false;
};

Sized sized(const Spec& spec, const SizeEstimate& size, const RowSample& scale, bool exact) {
  Sized out{spec, static_cast<double>(size.index_bytes), static_cast<double>(size.value_slots)};
  out.exact = exact;
  out.by_row_lengths = size.by_row_lengths;
  if (size.own_value_bytes) out.own_value_bytes = static_cast<double>(*size.own_value_bytes);
  if (exact) return out;
  out.index_bytes *= scale.index_bytes;
  out.slots *= scale.entries;
  if (out.own_value_bytes) *out.own_value_bytes *= scale.entries;
  return out;
}

/// What a format left to itself found best, as parameters: those of `auto` that its details name.
Spec with_found_parameters(Spec spec, const SizeEstimate& size) {
  with_format(spec.name, [&]<template <class> class F>(Tag<F>) {
    const auto params = parse_params<ParamsOf<F>>(spec);
    if (!params.ok()) return;
    for (const OptionText& option : list_params(*params))
      for (const SizeDetail& found : size.details)
        if (found.name == option.key && option.value == "auto" && option.choices.empty()) {
          std::erase_if(spec.options, [&](const auto& given) { return given.first == found.name; });
          spec.options.emplace_back(found.name, std::to_string(found.count));
        }
  });
  return spec;
}

RowSample whole_of(const Csr<Viewed>& a) {
  RowSample out;
  out.csr = a;
  return out;
}

/// How many values must be equally frequent for `n` of them to show so many distinct ones.
double distinct_of_all(double shown, double n) {
  double low = shown, high = 1e15;
  for (int step = 0; step < 100; ++step) {
    const double middle = std::sqrt(low * high);
    (middle * -std::expm1(-n / middle) < shown ? low : high) = middle;
  }
  return high;
}

class Chooser {
 public:
  Chooser(const Csr<Viewed>& a, const ChoiceOptions& options)
      : a_(a), options_(options), sample_(options.all_exact ? whole_of(a) : sample_rows(a, options.threads)) {}

  Result<Choice> run() {
    take_statistics();
    SPRESS_CHECK(size_formats());
    while (true) {
      rank();
      if (choice_.candidates.empty()) return nothing_left();
      SPRESS_TRY(const bool settled, settle_best());
      if (settled) break;
    }
    return std::move(choice_);
  }

 private:
  [[nodiscard]] int sample_threads() const { return threads_worth(options_.threads, sample_.csr.nnz); }

  void take_statistics() {
    statistics_ = analyze::value_statistics(sample_.csr.values, sample_threads());
    if (!sample_.whole && statistics_.distinct > 1)
      statistics_.distinct = static_cast<std::uint64_t>(
          distinct_of_all(static_cast<double>(statistics_.distinct), static_cast<double>(statistics_.count)));
    choice_.sampled_nnz = sample_.csr.nnz;
    checked_.fill(sample_.whole);
    checked_[static_cast<std::size_t>(StoreKind::raw)] = true;
    const bool pattern = a_.values.type == ValueType::none;
    for (std::size_t s = 0; s < all_stores.size(); ++s) {
      const StoreKind kind = all_stores[s];
      stores_[s] = (!options_.values || *options_.values == kind) && (!pattern || kind == StoreKind::raw);
      if (options_.values && stores_[s] && !checked_[s]) check_store(kind);  // never refused on a guess
    }
    if (options_.model == nullptr) return;
    work_ = matrix_work(sample_.csr, sample_threads());
    if (sample_.whole) return;
    for (double* count : {&work_.row_sectors, &work_.slice_sectors, &work_.far_sectors}) *count *= sample_.entries;
    work_.rows = static_cast<double>(a_.rows);
    work_.cols = static_cast<double>(a_.cols);
    work_.nnz = static_cast<double>(a_.nnz);
    work_.longest_row = static_cast<double>(longest_row(a_));
  }

  Status size_formats() {
    const auto specs = options_.formats.empty() ? candidate_formats(options_.goal, options_.model) : options_.formats;
    const FewThreads scope(options_.threads, sample_.csr.nnz);
    for (const Spec& spec : specs) {
      const auto size = estimate_any(sample_.csr, spec);
      if (size.ok()) {
        const Spec found = sample_.whole ? spec : with_found_parameters(spec, *size);
        formats_.push_back(sized(found, *size, sample_, sample_.whole));
      } else {
        SPRESS_CHECK(drop(spec, size.error()));
      }
    }
    return Ok{};
  }

  /// Only what does not fit drops out of the choice.
  Status drop(const Spec& spec, const Error& error) {
    if (error.code != ErrorCode::not_applicable) return error;
    choice_.unfit.emplace_back(spec, error.message);
    return Ok{};
  }

  /// All candidates from the sizes as far as they are known.
  void rank() {
    choice_.candidates.clear();
    for (const Sized& format : formats_)
      for (std::size_t s = 0; s < all_stores.size(); ++s)
        if (stores_[s]) add_candidate(format, all_stores[s]);
    std::stable_sort(choice_.candidates.begin(), choice_.candidates.end(), [&](const Candidate& x, const Candidate& y) {
      return goal_value(x, options_) < goal_value(y, options_);
    });
  }

  void add_candidate(const Sized& format, StoreKind kind) {
    const auto values = value_bytes(format, kind);
    if (!values) return;
    Candidate out{format.spec, kind, static_cast<std::uint64_t>(std::llround(format.index_bytes + *values))};
    out.exact = format.exact && checked_[static_cast<std::size_t>(kind)];
    if (options_.model != nullptr) predict_times(out, format);
    choice_.candidates.push_back(std::move(out));
  }

  [[nodiscard]] std::optional<double> value_bytes(const Sized& format, StoreKind kind) const {
    if (format.own_value_bytes) return kind == StoreKind::raw ? format.own_value_bytes : std::nullopt;
    const auto bytes =
        analyze::store_bytes(kind, statistics_, a_.values.type, static_cast<std::uint64_t>(std::llround(format.slots)));
    return bytes ? std::optional<double>(static_cast<double>(*bytes)) : std::nullopt;
  }

  void predict_times(Candidate& out, const Sized& format) const {
    const CostModel& model = *options_.model;
    const auto bytes = static_cast<double>(out.total_bytes);
    if (model.link_bytes_per_second > 0)
      out.transfer_seconds = model.link_seconds + bytes / model.link_bytes_per_second;
    const FormatPrices* prices = model.find(format.spec, enum_name(a_.values.type));
    if (prices == nullptr) return;
    out.seconds = predict(*prices, cost_counts(work_, bytes, format.slots, out.values, model.cache_bytes),
                          likeness(work_, format.slots, model.cache_bytes), priced_store(work_, out.values));
  }

  /// False where more is known of the best candidate than before, so that another one may be the best.
  Result<bool> settle_best() {
    const Candidate& best = choice_.candidates.front();
    const auto format = std::find_if(formats_.begin(), formats_.end(),
                                     [&](const Sized& f) { return f.spec.text() == best.format.text(); });
    if (!format->exact && !leads(*format)) {
      SPRESS_CHECK(make_exact(format));
      return false;
    }
    if (checked_[static_cast<std::size_t>(best.values)]) return true;
    check_store(best.values);
    return false;
  }

  /// Replaces by the truth what the sample says of a store: whether it holds all values, and what it takes.
  void check_store(StoreKind kind) {
    const auto store = static_cast<std::size_t>(kind);
    checked_[store] = true;
    if (kind == StoreKind::narrow) {
      statistics_.narrow = analyze::narrow_type(a_.values, options_.threads);
      stores_[store] = statistics_.narrow.has_value();
      return;
    }
    const auto table = analyze::table_length(kind, a_.values, sample_.csr.values, options_.threads);
    stores_[store] = table.has_value();
    if (table && *table != 0) statistics_.distinct = *table;
  }

  /// Whether the best candidate is beyond doubt although its size is not exact.
  [[nodiscard]] bool leads(const Sized& format) const {
    constexpr double doubt = 1.05;
    if (options_.exact_best || format.by_row_lengths) return false;
    const auto& all = choice_.candidates;
    const auto next =
        std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.format.text() != format.spec.text(); });
    return next != all.end() && doubt * goal_value(all.front(), options_) < goal_value(*next, options_);
  }

  Status make_exact(std::vector<Sized>::iterator format) {
    const FewThreads scope(options_.threads, a_.nnz);
    const auto size = estimate_any(a_, format->spec);
    if (size.ok()) {
      *format = sized(format->spec, *size, sample_, true);
      return Ok{};
    }
    SPRESS_CHECK(drop(format->spec, size.error()));
    formats_.erase(format);
    return Ok{};
  }

  Error nothing_left() const {
    std::string what = "no format holds this matrix";
    if (options_.formats.size() == 1) what = options_.formats[0].text() + " does not hold this matrix";
    if (options_.values) what += " with values as " + std::string(enum_name(*options_.values));
    if (!choice_.unfit.empty()) what += ": " + choice_.unfit.back().second;
    return {ErrorCode::not_applicable, what, {}, 0};
  }

  Csr<Viewed> a_;
  const ChoiceOptions& options_;
  RowSample sample_;
  analyze::ValueStatistics statistics_;               // of the sample, but for stores that were checked
  std::array<bool, all_stores.size()> stores_ = {};   // to choose among
  std::array<bool, all_stores.size()> checked_ = {};  // their bytes are known, not guessed from a sample
  MatrixWork work_;
  std::vector<Sized> formats_;
  Choice choice_;
};

}  // namespace

double goal_value(const Candidate& candidate, const ChoiceOptions& options) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  switch (options.goal) {
    case Goal::size: return static_cast<double>(candidate.total_bytes);
    case Goal::spmv: return candidate.seconds.value_or(unknown);
    case Goal::transfer:
      return candidate.transfer_seconds.value_or(0) + options.products * candidate.seconds.value_or(unknown);
  }
  return unknown;
}

std::vector<Spec> candidate_formats(Goal goal, const CostModel* model) {
  if (goal == Goal::size || model == nullptr) return pacing_formats();
  std::vector<Spec> specs = all_formats();
  for (const FormatPrices& each : model->formats) {
    auto spec = parse_spec(each.format);  // the empty name of any format is none
    const auto known = [&](const Spec& s) { return spec.ok() && s.text() == spec->text(); };
    if (spec.ok() && check_format(*spec).ok() && std::none_of(specs.begin(), specs.end(), known))
      specs.push_back(std::move(spec).value());
  }
  return specs;
}

Result<Choice> choose(const Csr<Viewed>& a, const ChoiceOptions& options) { return Chooser(a, options).run(); }

}  // namespace spress
