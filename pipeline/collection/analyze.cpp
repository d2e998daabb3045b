#include "pipeline/collection/analyze.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "formats/core/clock.hpp"
#include "pipeline/byte_cost.hpp"
#include "pipeline/collection/analysis_record.hpp"
#include "pipeline/source.hpp"
#include "pipeline/version.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {
namespace {

using reports::AnalyzeRecord;
using reports::OrderingRecord;

ChoiceOptions choice_options(const AnalyzeOptions& options) {
  ChoiceOptions out;
  out.goal = options.goal;
  if (options.calibration) out.model = &options.calibration->model;
  out.exact_best = true;  // sizes are measured anyway
  out.threads = options.threads;
  return out;
}

/// What all orderings of a matrix add to.
struct Found {
  reports::BestRecord best;
  std::vector<OrderingChoice> choices;
};

/// Adds what `auto` would take in this ordering. sizes: those measured anyway.
Status choose_in(const Csr<Viewed>& a, const AnalyzeOptions& options, const std::string& name,
                 const analyze::ValueStatistics& values, const std::vector<Footprint>& sizes, Found& found) {
  const auto start = Clock::now();
  ChoiceOptions how = choice_options(options);
  how.statistics = &values;
  how.sizes = &sizes;
  auto choice = choose(a, how);
  if (choice.ok())
    found.choices.push_back({name, std::move(choice).value(), seconds_since(start)});
  else if (choice.error().code != ErrorCode::not_applicable)
    return std::move(choice).error();
  return Ok{};
}

/// The statistics of a matrix as it stands.
Status describe(const Csr<Viewed>& a, const analyze::ValueStatistics& values, const AnalyzeOptions& options,
                const std::string& name, OrderingRecord& record, Found& found) {
  put_facts({reorder::envelope_metrics(a), analyze::index_classes(a, options.threads),
             analyze::blocks_8x8(a, options.threads)},
            record);
  SPRESS_TRY(auto sizes, footprints(a, options.measured_formats(), values));
  put_footprints(sizes, record);
  consider(sizes, name, found.best);
  SPRESS_CHECK(choose_in(a, options, name, values, sizes, found));
  if (options.spy_size != 0) put_picture(analyze::spy(a, options.spy_size, options.threads), record);
  return Ok{};
}

OrderingRecord ordering_record(const std::string& name, const Csr<Viewed>& a, const analyze::ValueStatistics& values,
                               const AnalyzeOptions& options, Found& found) {
  OrderingRecord record;
  const auto start = Clock::now();
  const reorder::OrderingOptions aim{.cost = byte_cost(options.measured_formats(), values, StoreKind::raw)};
  auto to = reorder::compute_ordering(name, a, aim);
  record.seconds = seconds_since(start);
  Status status = Ok{};
  if (!to.ok()) {
    status = std::move(to).error();
  } else if (to->identity()) {
    status = describe(a, values, options, name, record, found);
  } else {
    const Csr<Owned> reordered = reorder::permute(a, *to);
    status = describe(view_of(reordered), values, options, name, record, found);
  }
  if (!status.ok()) {
    record = {};
    record.status = status.error().code == ErrorCode::not_applicable ? "not_applicable" : "error";
    record.reason = status.error().message;
  }
  return record;
}

/// The formats measured that are no candidate of `auto`.
std::vector<std::string> not_considered(const AnalyzeRecord& record) {
  std::set<std::string> held, considered;
  for (const auto& [ordering, o] : record.orderings)
    for (const auto& [format, f] : o.footprint)
      if (f.reason.empty()) held.insert(format);
  for (const auto& candidate : record.choice->candidates) considered.insert(candidate.format);
  std::vector<std::string> out;
  std::set_difference(held.begin(), held.end(), considered.begin(), considered.end(), std::back_inserter(out));
  return out;
}

}  // namespace

std::vector<Spec> AnalyzeOptions::measured_formats() const {
  if (formats.empty()) return all_formats();
  std::vector<Spec> out = formats;
  const auto is_baseline = [](const Spec& spec) { return spec.name == Csr<Owned>::name; };
  if (std::none_of(out.begin(), out.end(), is_baseline)) out.insert(out.begin(), {std::string(Csr<Owned>::name), {}});
  return out;
}

std::string AnalyzeOptions::text() const {
  std::string out = "orderings=";
  for (const auto& name : orderings) out += name + ";";
  out += " formats=";
  for (const auto& spec : measured_formats()) out += spec.text() + ";";
  out += " spy=" + std::to_string(spy_size) + " for=" + std::string(enum_name(goal)) + reading.text();
  if (calibration) out += " on=" + calibration->device;
  if (calibration && goal != Goal::memory) out += calibration->digest;
  return stream ? out + " stream" : out;
}

Status check_options(const AnalyzeOptions& options) {
  if (options.stream) {
    const auto& names = options.orderings;
    if (std::find(names.begin(), names.end(), original_order) == names.end())
      return Error{ErrorCode::usage, "--stream measures the original order alone, and --orderings leaves out 'none'"};
    if (options.goal != Goal::memory)
      return Error{ErrorCode::usage, "--stream predicts no times, so --for memory is all it can answer"};
  }
  std::set<std::string> seen;
  const auto once = [&](const std::string& kind, const std::string& name) -> Status {
    if (seen.insert(kind + name).second) return Ok{};
    return Error{ErrorCode::usage, "the " + kind + " '" + name + "' is given twice; a record has one place for it"};
  };
  for (const auto& name : options.orderings) {
    SPRESS_CHECK(reorder::find_ordering(name));
    SPRESS_CHECK(once("ordering", name));
  }
  for (const auto& spec : options.formats) {
    SPRESS_CHECK(check_format(spec));
    SPRESS_CHECK(once("format", spec.name));
  }
  return Ok{};
}

AnalyzeRecord analyze_matrix(const MatrixInfo& info, const Csr<Viewed>& a, const AnalyzeOptions& options) {
  const auto start = Clock::now();
  const auto values = analyze::value_statistics(a.values, options.threads);
  AnalyzeRecord record;
  record.tool = tool_record();
  RowLengths lengths;
  lengths.add(a);
  record.matrix =
      matrix_record(info, {a.rows, a.cols, a.nnz, a.values.type}, lengths, reorder::pattern_symmetric(a), values);
  Found found;
  for (const auto& name : options.orderings)
    record.orderings.emplace_back(name, ordering_record(name, a, values, options, found));
  record.best = std::move(found.best);
  if (!found.choices.empty()) {
    record.choice = choice_record(decide(found.choices, choice_options(options)), options.goal,
                                  options.calibration ? &*options.calibration : nullptr);
    record.choice->not_considered = not_considered(record);
  }
  record.seconds = seconds_since(start);
  return record;
}

AnalyzeRecord error_record(const std::string& input, const std::string& message) {
  AnalyzeRecord record;
  record.tool = tool_record();
  record.matrix.name = name_of_input(input);
  record.matrix.path = input;
  record.error = message;
  return record;
}

}  // namespace spress::pipeline
