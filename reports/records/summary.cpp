#include "reports/records/summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "reports/records/means.hpp"

namespace spress::reports {
namespace {

using Records = std::vector<const AnalyzeRecord*>;

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void count(Tallies& tallies, const std::string& name) {
  const auto found = std::find_if(tallies.begin(), tallies.end(), [&](const auto& t) { return t.first == name; });
  if (found == tallies.end()) {
    tallies.emplace_back(name, 1);
  } else {
    ++found->second;
  }
}

void sort_by_frequency(Tallies& tallies) {
  std::sort(tallies.begin(), tallies.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
}

std::size_t class_number(int bits) { return bits == 8 ? 0 : bits == 16 ? 1 : 2; }

const IndexClassRecord* index_class(const AnalyzeRecord& record, std::string_view ordering, std::string_view strategy) {
  const OrderingRecord* o = applied(record, ordering);
  return o == nullptr ? nullptr : find(o->index_classes, strategy);
}

ClassTally tally_classes(const Records& records, const std::string& strategy, const std::string& ordering) {
  ClassTally tally{strategy, ordering, {}, 0};
  const std::array<std::uint64_t*, 3> counts = {&tally.matrices.bits8, &tally.matrices.bits16, &tally.matrices.bits32};
  for (const AnalyzeRecord* record : records) {
    const IndexClassRecord* c = index_class(*record, ordering, strategy);
    ++(c == nullptr ? tally.left_out : *counts[class_number(c->matrix_bits)]);
  }
  return tally;
}

Composition compose(const Records& records, const std::string& strategy, const std::string& ordering) {
  Composition composition;
  composition.strategy = strategy;
  composition.ordering = ordering;
  for (const AnalyzeRecord* record : records) {
    const IndexClassRecord* before = index_class(*record, "none", strategy);
    const IndexClassRecord* after = index_class(*record, ordering, strategy);
    if (before == nullptr || after == nullptr) {
      ++composition.left_out;
      continue;
    }
    ++composition.counts[class_number(before->matrix_bits)][class_number(after->matrix_bits)];
    if (after->matrix_bits > before->matrix_bits) {
      ++composition.worse;
      composition.worse_names.push_back(record->matrix.name);
    }
    composition.better += after->matrix_bits < before->matrix_bits;
  }
  return composition;
}

void add_ordering(SelectionSummary& selection, const Records& records, const std::string& strategy,
                  const std::string& ordering) {
  selection.classes.push_back(tally_classes(records, strategy, ordering));
  if (ordering != "none") selection.compositions.push_back(compose(records, strategy, ordering));
}

void count_choices(SelectionSummary& selection, const Records& records) {
  for (const AnalyzeRecord* record : records) {
    if (!taken_ordering(*record).empty()) count(selection.auto_takes, std::string(taken_ordering(*record)));
    selection.auto_declined += record->choice && !record->choice->declined.empty();
  }
  sort_by_frequency(selection.auto_takes);
}

SelectionSummary summarize_selection(const std::string& name, const Records& records, const Summary& names) {
  SelectionSummary selection;
  selection.name = name;
  selection.matrices = records.size();
  count_choices(selection, records);
  std::vector<std::string> orderings = names.orderings;
  if (!selection.auto_takes.empty()) orderings.emplace_back(auto_ordering);
  for (const std::string& strategy : names.strategies)
    for (const std::string& ordering : orderings) add_ordering(selection, records, strategy, ordering);
  for (const std::string& ordering : orderings)
    if (ordering != "none") selection.bytes.push_back(compare_order_bytes(records, ordering));
  return selection;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The bytes of CSR, to which every format and ordering is compared: those of the original order where it was analysed.
const FootprintRecord* baseline(const AnalyzeRecord& record, std::string_view ordering) {
  const FootprintRecord* original = footprint(record, "none", baseline_format);
  return original != nullptr ? original : footprint(record, ordering, baseline_format);
}

struct Pair {
  const AnalyzeRecord* record;
  const FootprintRecord *csr, *format;
};

ReductionFactors reduce(const std::vector<Pair>& pairs, std::uint64_t FootprintRecord::*bytes) {
  ReductionFactors result;
  std::vector<double> factors;
  for (const Pair& pair : pairs) {
    const std::uint64_t csr = pair.csr->*bytes, format = pair.format->*bytes;
    result.smaller += format < csr;
    if (format == 0) continue;
    factors.push_back(static_cast<double>(csr) / static_cast<double>(format));
    const bool as_good = factors.back() == result.best && pair.record->matrix.name < result.best_name;
    if (factors.size() > 1 && factors.back() <= result.best && !as_good) continue;
    result.best = factors.back();
    result.best_name = pair.record->matrix.name;
  }
  if (factors.empty()) return result;
  result.matrices = factors.size();
  result.mean = std::accumulate(factors.begin(), factors.end(), 0.0) / static_cast<double>(factors.size());
  result.median = median(std::move(factors));
  return result;
}

FormatSummary summarize_format(const Records& records, const std::string& format, const std::string& ordering) {
  FormatSummary result;
  result.format = format;
  result.ordering = ordering;
  std::vector<Pair> pairs;
  for (const AnalyzeRecord* record : records) {
    const FootprintRecord* size = footprint(*record, ordering, format);
    ++(size == nullptr ? result.left_out : result.matrices);
    const FootprintRecord* csr = baseline(*record, ordering);
    if (size == nullptr || csr == nullptr) continue;
    pairs.push_back({record, csr, size});
    result.total_bytes += size->total_bytes;
    result.csr_total_bytes += csr->total_bytes;
  }
  result.model_index = reduce(pairs, &FootprintRecord::model_index_bytes);
  result.index = reduce(pairs, &FootprintRecord::index_bytes);
  result.total = reduce(pairs, &FootprintRecord::total_bytes);
  return result;
}

bool counts_for_index_bytes(const MatrixRecord& m) {
  return m.nnz >= index_bytes_entries && m.nnz / index_bytes_row >= m.rows;
}

IndexBytes summarize_index_bytes(const Records& records, const std::string& format) {
  IndexBytes result;
  result.format = format;
  std::vector<double> sizes;
  for (const AnalyzeRecord* record : records) {
    const FootprintRecord* size = footprint(*record, "none", format);
    const FootprintRecord* csr = footprint(*record, "none", baseline_format);
    if (size == nullptr || csr == nullptr || !counts_for_index_bytes(record->matrix)) continue;
    const std::uint64_t raw_values = csr->total_bytes - csr->index_bytes;
    const double beside_values = static_cast<double>(size->total_bytes) - static_cast<double>(raw_values);
    sizes.push_back(std::max(0.0, beside_values / static_cast<double>(record->matrix.nnz)));
    result.above_csr += size->total_bytes > csr->total_bytes;
  }
  result.matrices = sizes.size();
  result.most = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  result.mean = geometric_mean(std::move(sizes));
  return result;
}

/// Row: a BestRecord or CandidateRecord, the choice for `record`.
template <class Row>
void count_choice(BestSummary& to, const AnalyzeRecord& record, const Row& row) {
  ++to.matrices;
  to.total_bytes += row.total_bytes;
  if (const FootprintRecord* csr = baseline(record, row.ordering)) to.csr_total_bytes += csr->total_bytes;
  count(to.formats, row.format);
  count(to.orderings, row.ordering);
  count(to.values, row.values);
  count(to.choices, spec_of(row) + " / " + row.ordering + " / " + row.values);
}

void sort_choices(BestSummary& summary) {
  for (Tallies* tallies : {&summary.formats, &summary.orderings, &summary.values, &summary.choices})
    sort_by_frequency(*tallies);
}

BestSummary summarize_best(const Records& records) {
  BestSummary best;
  for (const AnalyzeRecord* record : records)
    if (!record->best.format.empty()) count_choice(best, *record, record->best);
  sort_choices(best);
  return best;
}

TakenSummary summarize_taken(const Records& records) {
  TakenSummary taken;
  for (const AnalyzeRecord* record : records) {
    if (!record->choice || record->choice->candidates.empty()) continue;
    const CandidateRecord& row = record->choice->candidates.front();
    taken.goal = taken.matrices == 0 || taken.goal == record->choice->goal ? record->choice->goal : "";
    taken.estimated += !row.exact;
    count_choice(taken, *record, row);
  }
  sort_choices(taken);
  return taken;
}

OrderingEffect summarize_effect(const Records& records, const std::string& ordering) {
  OrderingEffect effect;
  effect.ordering = ordering;
  double log_sum = 0;
  std::uint64_t logs = 0;
  for (const AnalyzeRecord* record : records) {
    const OrderingRecord* before = applied(*record, "none");
    const OrderingRecord* after = applied(*record, ordering);
    if (before == nullptr || after == nullptr) {
      ++effect.left_out;
      continue;
    }
    ++effect.matrices;
    if (std::isfinite(after->seconds)) effect.seconds += after->seconds;
    ++(after->bandwidth < before->bandwidth   ? effect.narrower
       : after->bandwidth > before->bandwidth ? effect.wider
                                              : effect.same);
    if (before->bandwidth == 0 || after->bandwidth == 0) continue;
    log_sum += std::log(static_cast<double>(after->bandwidth) / static_cast<double>(before->bandwidth));
    ++logs;
  }
  effect.mean_bandwidth_ratio = logs == 0 ? 0 : std::exp(log_sum / static_cast<double>(logs));
  return effect;
}

using Specs = Ordered<std::vector<std::string>>;

void add_spec(Specs& measured, const std::string& format, const FootprintRecord& f) {
  if (!f.reason.empty()) return;
  auto found = std::find_if(measured.begin(), measured.end(), [&](const auto& m) { return m.first == format; });
  if (found == measured.end()) found = measured.insert(found, {format, {}});
  add_once(found->second, f.parameters.empty() ? format : format + ":" + f.parameters);
}

Specs collect_specs(const Records& records) {
  Specs measured;
  for (const AnalyzeRecord* record : records)
    for (const auto& [unused, o] : record->orderings)
      for (const auto& [format, f] : o.footprint) add_spec(measured, format, f);
  std::erase_if(measured, [](const auto& m) { return m.second == std::vector<std::string>{m.first}; });
  return measured;
}

void count_matrices(const Records& records, Summary& summary) {
  for (const AnalyzeRecord* record : records) {
    const MatrixRecord& m = record->matrix;
    summary.square += m.rows == m.cols;
    summary.pattern_symmetric += m.rows == m.cols && m.pattern_symmetric;
    summary.rows += m.rows;
    summary.nnz += m.nnz;
  }
}

}  // namespace

const OrderingRecord* applied(const AnalyzeRecord& record, std::string_view ordering) {
  const OrderingRecord* o = find(record.orderings, ordering == auto_ordering ? taken_ordering(record) : ordering);
  return o != nullptr && o->status == "ok" ? o : nullptr;
}

const FootprintRecord* footprint(const AnalyzeRecord& record, std::string_view ordering, std::string_view format) {
  const OrderingRecord* o = applied(record, ordering);
  const FootprintRecord* size = o == nullptr ? nullptr : find(o->footprint, format);
  return size != nullptr && size->reason.empty() ? size : nullptr;
}

Names names_in(const std::vector<AnalyzeRecord>& records) {
  Names names;
  for (const AnalyzeRecord& record : records) {
    if (record.error) continue;
    for (const auto& [ordering, o] : record.orderings) {
      add_once(names.orderings, ordering);
      for (const auto& [strategy, unused] : o.index_classes) add_once(names.strategies, strategy);
      for (const auto& [format, unused] : o.footprint) add_once(names.formats, format);
    }
  }
  return names;
}

Summary summarize(const std::vector<AnalyzeRecord>& records, const PaperFormats& papers) {
  Summary summary;
  summary.papers = papers;
  if (!records.empty()) summary.tool = records.front().tool;
  summary.records = records.size();
  Records analysed, symmetric;
  for (const AnalyzeRecord& record : records) {
    if (std::isfinite(record.seconds)) summary.seconds += record.seconds;
    if (record.error) {
      summary.errors.push_back({record.matrix.name, record.matrix.path, *record.error});
      continue;
    }
    analysed.push_back(&record);
    if (record.matrix.rows == record.matrix.cols && record.matrix.pattern_symmetric) symmetric.push_back(&record);
  }
  summary.analysed = analysed.size();
  count_matrices(analysed, summary);
  static_cast<Names&>(summary) = names_in(records);
  summary.measured_as = collect_specs(analysed);
  summary.selections.push_back(summarize_selection("all", analysed, summary));
  summary.selections.push_back(summarize_selection("square-pattern-symmetric", symmetric, summary));
  for (const std::string& format : summary.formats) {
    for (const std::string& ordering : summary.orderings) {
      summary.footprints.push_back(summarize_format(analysed, format, ordering));
    }
  }
  for (const std::string& format : summary.formats)
    summary.index_bytes.push_back(summarize_index_bytes(analysed, format));
  summary.best = summarize_best(analysed);
  summary.taken = summarize_taken(analysed);
  summary.compressed_coo = compare_compressed_coo(analysed, papers);
  summary.zero_fill = zero_fills(analysed, papers);
  for (const std::string& ordering : summary.orderings) {
    if (ordering != "none") summary.effects.push_back(summarize_effect(analysed, ordering));
  }
  return summary;
}

}  // namespace spress::reports
