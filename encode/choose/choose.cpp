#include "encode/choose/choose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "encode/choose/few_threads.hpp"
#include "encode/choose/least_bytes.hpp"
#include "encode/choose/row_sample.hpp"
#include "encode/shared/any.hpp"
#include "encode/shared/stretches.hpp"

namespace spress {
namespace {

/// A product of fewer rows, columns and entries is over before most formats are looked at.
constexpr std::uint64_t few = 8192;
constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr double usual_surplus = 1.2;  // of bytes beyond the least that a format can take, where it could be the best

double goal_value(double bytes, const std::optional<double>& seconds, const std::optional<double>& transfer_seconds,
                  const ChoiceOptions& options) {
  switch (options.goal) {
    case Goal::size: return bytes;
    case Goal::spmv: return seconds.value_or(unknown);
    case Goal::transfer: return transfer_seconds.value_or(0) + options.products * seconds.value_or(unknown);
  }
  return unknown;
}

/// Of a number from 0 to 2^52; the library's is a call.
std::uint64_t rounded(double number) { return static_cast<std::uint64_t>(number + 0.5); }

/// What a format with one store is worth.
struct Worth {
  double bytes = 0;
  std::optional<double> seconds = std::nullopt, transfer_seconds = std::nullopt;
  double value = unknown;  // of the goal
};

/// The bytes of a store: those of its table, and those of each slot.
struct StoreLine {
  bool holds = false;  // the values
  double table = 0, slot = 0;
};

/// What is known of a format's size.
enum class Known { bound, sample, larger_sample, exact, unfit };

/// A format with its size, scaled from a sample where it is not exact; as a bound, the least it can take.
struct Sized {
  Spec spec;
  Known known = Known::bound;
  double index_bytes = 0, slots = 0;
  std::optional<double> own_value_bytes = std::nullopt;
  bool by_row_lengths = false, pads = false;
  const FormatPrices* prices = nullptr;
  Corrections corrections = {};  // for this padding
  double padding = std::numeric_limits<double>::quiet_NaN();
  std::array<std::optional<Worth>, all_stores.size()> worth = {};
  double least = -unknown;  // of their values
  double surplus = 1;       // as a bound: so many times the least is expected

  [[nodiscard]] double expected() const { return surplus * least; }
};

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

/// The model knows the format with these very parameters, but tells that it is not needed.
bool is_needless(const Sized& format) {
  return format.prices != nullptr && !format.prices->needed && format.prices->format == format.spec.text();
}

RowSample whole_of(const Csr<Viewed>& a) {
  RowSample out;
  out.csr = a;
  return out;
}

class Chooser {
 public:
  Chooser(const Csr<Viewed>& a, const ChoiceOptions& options)
      : a_(a), options_(options), sample_(options.all_exact ? whole_of(a) : sample_rows(a, options.threads)) {
    if (options.facts == nullptr) own_facts_.emplace(a.values, options.values, options.threads);
    facts_ = own_facts_ ? &*own_facts_ : options.facts;
  }

  Result<Choice> run() {
    SPRESS_CHECK(begin());
    while (true) {
      Sized* const next = most_promising();
      const auto best = best_one();
      if (next != nullptr && (!best || next->expected() < best->format->least)) {
        SPRESS_CHECK(take_size(*next, sample_, sample_.whole ? Known::exact : Known::sample));
        continue;
      }
      if (!best) return nothing_left();
      SPRESS_TRY(const bool settled, settle(*best));
      if (settled) break;
    }
    finish();
    return std::move(choice_);
  }

 private:
  struct One {
    Sized* format;
    StoreKind store;
  };

  Status begin() {
    if (options_.all_exact)
      for (const StoreKind kind : all_stores) facts_->make_exact(kind);
    note_facts();
    if (options_.model != nullptr) take_work();
    for (const Spec& spec : options_.formats) SPRESS_CHECK(check_format(spec));
    auto specs = !options_.formats.empty() ? options_.formats
                 : looks_at_few()          ? formats_for_few_entries()
                                           : candidate_formats(options_.goal, options_.model);
    const bool passes_over = passes_over_needless();
    formats_.reserve(specs.size());
    for (Spec& spec : specs) {
      Sized format{std::move(spec)};
      format.prices = prices_of(format.spec);
      if (passes_over && is_needless(format))
        needless_.push_back(std::move(format.spec));
      else
        formats_.push_back(std::move(format));
    }
    if (!options_.all_exact)
      for (Sized& format : formats_) take_least(format);
    choice_.sampled_nnz = sample_.csr.nnz;
    return Ok{};
  }

  [[nodiscard]] bool looks_at_few() const {
    const bool is_small = a_.nnz < few && a_.rows < few && a_.cols < few;
    return is_small && options_.goal != Goal::size && options_.formats.empty() && !options_.exact_best &&
           !options_.all_exact;
  }

  /// Only where another one can be predicted that holds any matrix.
  [[nodiscard]] bool passes_over_needless() const {
    if (options_.goal != Goal::spmv || !options_.formats.empty() || options_.exact_best || options_.all_exact)
      return false;
    const FormatPrices* csr = prices_of({"csr", {}});
    return csr != nullptr && csr->needed;
  }

  /// Null: not known.
  [[nodiscard]] const FormatPrices* prices_of(const Spec& spec) const {
    return options_.model == nullptr ? nullptr : options_.model->find(spec, enum_name(a_.values.type));
  }

  void take_work() {
    work_ = matrix_work(sample_.csr, options_.threads);
    if (!sample_.whole) scale_work();
    const CostModel& model = *options_.model;
    near_ = nearness(model.places, likeness(work_, model.cache_bytes, model.scales), model.scales);
  }

  void scale_work() {
    for (double* count : {&work_.row_sectors, &work_.slice_sectors, &work_.far_sectors}) *count *= sample_.entries;
    work_.rows = static_cast<double>(a_.rows);
    work_.cols = static_cast<double>(a_.cols);
    work_.nnz = static_cast<double>(a_.nnz);
    work_.longest_row = static_cast<double>(longest_row(a_));
  }

  // --- What formats are worth ---

  /// Anew, where the size has changed.
  void weigh(Sized& format) const {
    if (format.prices != nullptr) correct(format);
    weigh_stores(format);
  }

  void correct(Sized& format) const {
    const LikenessScales& scales = options_.model->scales;
    const double padding = padding_of(work_, format.slots, scales);
    if (padding == format.padding) return;
    format.padding = padding;
    format.corrections = corrections(*format.prices, near_, padding, scales);
  }

  /// Anew, where only more is known of the values.
  void weigh_stores(Sized& format) const {
    format.least = unknown;
    const auto slots = static_cast<double>(rounded(format.slots));
    for (const StoreKind kind : all_stores) {
      auto& worth = format.worth[static_cast<std::size_t>(kind)];
      worth.reset();
      if (!counts(format, kind)) continue;
      const StoreLine& line = line_of(kind);
      worth = worth_of(format, kind, format.own_value_bytes.value_or(line.table + line.slot * slots));
      format.least = std::min(format.least, worth->value);
    }
  }

  [[nodiscard]] Worth worth_of(const Sized& format, StoreKind kind, double value_bytes) const {
    Worth out{format.index_bytes + value_bytes};
    if (options_.model != nullptr) {
      const CostModel& model = *options_.model;
      if (model.link_bytes_per_second > 0)
        out.transfer_seconds = model.link_seconds + out.bytes / model.link_bytes_per_second;
      if (format.prices != nullptr)
        out.seconds =
            priced(format.prices->prices,
                   cost_counts(work_, {out.bytes, format.slots, kind, line_of(kind).table / work_.value_bytes},
                               model.cache_bytes)) *
            format.corrections[static_cast<std::size_t>(priced_store(work_, kind))];
    }
    out.value = goal_value(out.bytes, out.seconds, out.transfer_seconds, options_);
    return out;
  }

  [[nodiscard]] const StoreLine& line_of(StoreKind kind) const { return lines_[static_cast<std::size_t>(kind)]; }
  /// Whenever more is known of the values.
  void note_facts() {
    for (const StoreKind kind : all_stores) {
      StoreLine& line = lines_[static_cast<std::size_t>(kind)];
      const auto none = facts_->bytes(kind, 0), one = facts_->bytes(kind, 1);
      line = none ? StoreLine{true, static_cast<double>(*none), static_cast<double>(*one - *none)} : StoreLine{};
    }
  }

  /// Not where the format has values of its own; nor ids of two bytes where one is enough: not measured together, so
  /// that what like products tell might mislead.
  [[nodiscard]] bool counts(const Sized& format, StoreKind kind) const {
    const bool outdone =
        options_.goal != Goal::size && kind == StoreKind::lut16 && !options_.values && line_of(StoreKind::lut8).holds;
    return line_of(kind).holds && !outdone && (!format.own_value_bytes || kind == StoreKind::raw);
  }

  // --- What is next ---

  [[nodiscard]] bool is_candidate(const Sized& f) const { return f.known != Known::bound && f.known != Known::unfit; }

  /// Of the formats without a size, the one of which the least is expected; null where all have one.
  Sized* most_promising() {
    Sized* best = nullptr;
    for (Sized& f : formats_)
      if (f.known == Known::bound && (best == nullptr || f.expected() < best->expected())) best = &f;
    return best;
  }

  /// What is expected beyond the least. To look at a format of a small matrix costs more products than its size may; of
  /// a few hundred entries, shapes are too odd for what is usual.
  [[nodiscard]] double surplus() const {
    constexpr std::uint64_t odd = 256;
    const bool quick = options_.goal == Goal::size && !options_.all_exact && !options_.exact_best;
    const bool usual = quick && odd < a_.nnz && a_.nnz <= small_matrix;
    return usual ? usual_surplus : 1;
  }

  /// The best format and store of those with a size, the first of equals; none where no store holds the values.
  std::optional<One> best_one() {
    std::optional<One> best;
    double least = unknown;
    for (Sized& f : formats_)
      for (const StoreKind kind : all_stores) {
        const auto& worth = f.worth[static_cast<std::size_t>(kind)];
        if (!is_candidate(f) || !worth || (best && !(worth->value < least))) continue;
        least = worth->value;
        best = One{&f, kind};
      }
    return best;
  }

  /// The least that another format is worth.
  [[nodiscard]] double least_besides(const Sized& format) const {
    double least = unknown;
    for (const Sized& f : formats_)
      if (&f != &format && is_candidate(f)) least = std::min(least, f.least);
    return least;
  }

  /// By how much sizes from a sample may be wrong: of a small matrix, few slices do not show what all of them share.
  [[nodiscard]] double doubt() const { return a_.nnz <= small_matrix ? 1.1 : 1.05; }

  /// Another one may be the best, should sizes be wrong.
  [[nodiscard]] bool is_contested(const Sized& format) const {
    return !(doubt() * format.least < least_besides(format));
  }

  /// Of those that are known by a sample, the one besides the best that is worth the least; null where none could be
  /// the best, should sizes be wrong, or that is not looked at.
  Sized* rival_of(const Sized& best) {
    Sized* rival = nullptr;
    if (options_.goal != Goal::size || options_.exact_best || a_.nnz > small_matrix) return rival;
    for (Sized& f : formats_)
      if (&f != &best && f.known == Known::sample && f.least <= doubt() * best.least &&
          (rival == nullptr || f.least < rival->least))
        rival = &f;
    return rival;
  }

  /// False where more is known than before, so that another one may be the best.
  Result<bool> settle(const One& best) {
    // Rivals first: they are mostly simpler, and samples tell that they take less than they do.
    Sized* const rival = rival_of(*best.format);
    Sized& format = rival != nullptr ? *rival : *best.format;
    if (const auto wanted = rival != nullptr ? Known::exact : wanted_of(format); wanted != format.known) {
      SPRESS_CHECK(wanted == Known::exact ? make_exact(format) : look_closer(format));
      return false;
    }
    if (options_.exact_best ? facts_->is_exact(best.store) : facts_->is_sure(best.store)) return true;
    if (holds_however_many(best)) facts_->settle_for_guess();
    options_.exact_best ? facts_->make_exact(best.store) : facts_->make_sure(best.store);
    note_facts();
    for (Sized& each : formats_)
      if (each.least != -unknown) weigh_stores(each);
    return false;
  }

  /// A table that takes fewer bytes than all other stores do, and holds all values, however many there are.
  [[nodiscard]] bool holds_however_many(const One& best) const {
    if (options_.goal != Goal::size || options_.exact_best || best.store != StoreKind::lut16) return false;
    const auto values = facts_->most_bytes(best.store, rounded(best.format->slots));
    if (!values) return false;
    const double most = best.format->index_bytes + static_cast<double>(*values);
    for (const Sized& f : formats_)
      for (const StoreKind kind : all_stores) {
        const auto& worth = f.worth[static_cast<std::size_t>(kind)];
        if (f.known != Known::unfit && kind != best.store && worth && worth->value < most) return false;
      }
    return true;
  }

  [[nodiscard]] Known wanted_of(const Sized& format) const {
    if (options_.exact_best || format.by_row_lengths) return Known::exact;
    if (format.known != Known::sample) return format.known;
    if (a_.nnz <= small_matrix)
      return options_.goal == Goal::size && is_contested(format) ? Known::exact : Known::sample;
    constexpr std::uint64_t large = 1 << 17;  // those between are sampled as closely as they need
    const bool closer = a_.nnz >= large && (options_.goal != Goal::size || is_contested(format));
    return closer ? Known::larger_sample : Known::sample;
  }

  // --- Sizes ---

  Status take_size(Sized& format, const RowSample& sample, Known known) {
    constexpr std::uint64_t work = 8;  // of an estimate: so much more than a look at the entries
    const FewThreads scope(options_.threads, work * sample.csr.nnz);
    const auto size = estimate_any(sample.csr, format.spec);
    if (!size.ok()) return drop(format, size.error());
    if (known == Known::sample && size->by_row_lengths && a_.nnz <= small_matrix)
      return take_size(format, whole_of(a_), Known::exact);
    if (!sample.whole) format.spec = with_found_parameters(format.spec, *size);
    take(format, *size, sample, known);
    return Ok{};
  }

  void take(Sized& format, const SizeEstimate& size, const RowSample& scale, Known known) const {
    format.known = known;
    format.by_row_lengths = size.by_row_lengths;
    format.index_bytes = scale.index_bytes * static_cast<double>(size.index_bytes);
    format.slots = scale.entries * static_cast<double>(size.value_slots);
    format.own_value_bytes.reset();
    if (size.own_value_bytes) format.own_value_bytes = scale.entries * static_cast<double>(*size.own_value_bytes);
    if (format.pads || size.value_slots > scale.csr.nnz) add_padding(format, scale.long_row_padding);
    weigh(format);
  }

  void take_least(Sized& format) const {
    const LeastBytes least = least_bytes(a_, sample_.csr, format.spec);
    format.index_bytes =
        std::max(static_cast<double>(least.index), sample_.index_bytes * static_cast<double>(least.columns));
    format.slots = static_cast<double>(a_.nnz);
    format.pads = least.marks_slots;
    weigh(format);
    format.surplus = surplus();
    if (least.padded_index != 0) take_padded(format, least);
  }

  /// What there must be with padding, where that is no less than what is expected without. It bounds bytes; of a time
  /// it is a guess, since corrections follow the padding.
  void take_padded(Sized& format, const LeastBytes& least) const {
    const double index_bytes = std::exchange(format.index_bytes, static_cast<double>(least.padded_index));
    const double slots = std::exchange(format.slots, static_cast<double>(least.padded_slots));
    const double surplus = std::exchange(format.surplus, 1), expected = surplus * format.least;
    weigh(format);
    if (format.expected() >= expected) return;
    format.index_bytes = index_bytes;
    format.slots = slots;
    format.surplus = surplus;
    weigh(format);
  }

  /// Indices grow with the slots. Where the sample has none, one takes as much as a column.
  static void add_padding(Sized& format, double slots) {
    constexpr double column = sizeof(std::uint32_t);
    format.index_bytes += slots * (format.slots > 0 ? format.index_bytes / format.slots : column);
    format.slots += slots;
  }

  Status look_closer(Sized& format) {
    constexpr std::uint64_t part = 8;
    if (!closer_) closer_ = sample_rows(a_, options_.threads, part);
    return take_size(format, *closer_, Known::larger_sample);
  }

  Status make_exact(Sized& format) {
    if (const Footprint* known = known_size(format.spec); known != nullptr && !known->unfit) {
      take(format, known->size, RowSample{}, Known::exact);
      return Ok{};
    }
    return take_size(format, whole_of(a_), Known::exact);
  }

  /// Of a format with these parameters, or of one that found them.
  [[nodiscard]] const Footprint* known_size(const Spec& wanted) const {
    if (options_.sizes == nullptr) return nullptr;
    for (const Footprint& each : *options_.sizes) {
      if (each.format != wanted.name) continue;
      const auto spec = parse_spec(each.parameters.empty() ? each.format : each.format + ":" + each.parameters);
      if (spec.ok() &&
          (spec->text() == wanted.text() || with_found_parameters(*spec, each.size).text() == wanted.text()))
        return &each;
    }
    return nullptr;
  }

  /// Only what does not fit drops out of the choice.
  Status drop(Sized& format, const Error& error) {
    if (error.code != ErrorCode::not_applicable) return error;
    format.known = Known::unfit;
    choice_.unfit.emplace_back(format.spec, error.message);
    return Ok{};
  }

  // --- What is told ---

  void finish() {
    list_known(*best_one()->format);
    list_candidates();
    const Sized& best = *best_one()->format;
    note_left_out(best);
    note_undecided(best);
  }

  void list_candidates() {
    std::vector<std::pair<double, One>> listed;
    for (Sized& f : formats_)
      for (const StoreKind kind : all_stores)
        if (const auto& worth = f.worth[static_cast<std::size_t>(kind)]; is_candidate(f) && worth)
          listed.push_back(
              {options_.goal == Goal::size ? static_cast<double>(rounded(worth->bytes)) : worth->value, {&f, kind}});
    std::stable_sort(listed.begin(), listed.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    choice_.candidates.reserve(listed.size());
    for (const auto& [value, one] : listed) {
      const Worth& worth = *one.format->worth[static_cast<std::size_t>(one.store)];
      choice_.candidates.push_back({one.format->spec, one.store, rounded(worth.bytes), worth.seconds,
                                    worth.transfer_seconds,
                                    one.format->known == Known::exact && facts_->is_exact(one.store)});
    }
  }

  /// Formats that were left out come behind the best one where their sizes are known anyway.
  void list_known(const Sized& best) {
    for (Sized& f : formats_) {
      const Footprint* known = f.known == Known::bound ? known_size(f.spec) : nullptr;
      if (known == nullptr || known->unfit) continue;
      take(f, known->size, RowSample{}, Known::exact);
      if (f.least < best.least) f.known = Known::bound;
    }
  }

  void note(const std::vector<Spec>& formats, const std::string& what) {
    std::string names;
    for (const Spec& spec : formats) names += (names.empty() ? "" : ", ") + spec.text();
    if (!names.empty()) choice_.notes.push_back(names + what);
  }

  void note_left_out(const Sized& best) {
    std::vector<Spec> hopeless, unlikely;
    for (const Sized& f : formats_)
      if (f.known == Known::bound) (f.least < best.least ? unlikely : hopeless).push_back(f.spec);
    if (looks_at_few())
      choice_.notes.emplace_back(
          "few formats were looked at, since so few entries are multiplied before all are; encode --exact looks at "
          "all");
    note(needless_, ": passed over, since the calibration needs none of them; --exact does not");
    note(hopeless, ": left out, since others are better even if these took no more bytes than they must");
    note(unlikely,
         ": not looked at, since the matrix is small and these would have to take less than a fifth more than "
         "the least they can; --exact does");
  }

  void note_undecided(const Sized& best) {
    std::vector<Spec> rivals;
    for (const Sized& f : formats_) {
      const bool guessed = best.known != Known::exact || f.known != Known::exact;
      if (&f == &best || !is_candidate(f) || !guessed || !(f.least < doubt() * best.least)) continue;
      rivals.push_back(f.spec);
    }
    note(rivals, ": so close to " + best.spec.text() + " that a sample of the rows does not decide; --exact would");
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
  std::optional<RowSample> closer_;
  std::optional<ValueFacts> own_facts_;
  ValueFacts* facts_ = nullptr;
  std::array<StoreLine, all_stores.size()> lines_ = {};
  MatrixWork work_;
  std::vector<float> near_;  // the matrices that the model knows
  std::vector<Sized> formats_;
  std::vector<Spec> needless_;
  Choice choice_;
};

}  // namespace

double goal_value(const Candidate& candidate, const ChoiceOptions& options) {
  return goal_value(static_cast<double>(candidate.total_bytes), candidate.seconds, candidate.transfer_seconds, options);
}

std::vector<Spec> candidate_formats(Goal goal, const CostModel* model) {
  if (goal == Goal::size || model == nullptr) return pacing_formats();
  std::vector<Spec> specs = all_formats();
  for (auto each = model->formats.begin(); each != model->formats.end(); ++each) {
    if (each->format.find(':') == std::string::npos) continue;  // listed
    const auto is_same = [&](const FormatPrices& other) { return other.format == each->format; };
    if (std::any_of(model->formats.begin(), each, is_same)) continue;  // of another type
    auto spec = parse_spec(each->format);                              // the empty name of any format is none
    if (spec.ok() && check_format(*spec).ok()) specs.push_back(std::move(spec).value());
  }
  return specs;
}

Result<Choice> choose(const Csr<Viewed>& a, const ChoiceOptions& options) { return Chooser(a, options).run(); }

}  // namespace spress
