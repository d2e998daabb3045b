#include "pipeline/collection/analyze.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

#include "analyze/blocks.hpp"
#include "analyze/index_classes.hpp"
#include "analyze/spy.hpp"
#include "analyze/value_statistics.hpp"
#include "encode/shared/footprint.hpp"
#include "formats/core/clock.hpp"
#include "pipeline/byte_cost.hpp"
#include "pipeline/generator_record.hpp"
#include "pipeline/source.hpp"
#include "pipeline/version.hpp"
#include "reorder/core/metrics.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {
namespace {

using reports::AnalyzeRecord;
using reports::OrderingRecord;

reports::ClassCounts counts(const analyze::WidthCounts& c) { return {c.bits8, c.bits16, c.bits32}; }

/// To nine digits: more would say nothing of a ratio, and make records longer.
double rounded(double number) {
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::scientific, 8);
  std::from_chars(digits, written.ptr, number);
  return number;
}

reports::FootprintRecord footprint_record(const Footprint& f) {
  reports::FootprintRecord record;
  record.parameters = f.parameters;
  if (f.unfit) {
    record.reason = *f.unfit;
    return record;
  }
  record.model_index_bytes = f.size.model_index_bytes;
  record.index_bytes = f.size.index_bytes;
  record.total_bytes = f.total_bytes;
  record.ratio_to_csr = rounded(f.ratio_to_csr);
  for (const auto& [name, count] : f.size.details) record.details.emplace_back(name, count);
  for (std::size_t s = 0; s < all_stores.size(); ++s)
    record.values.emplace_back(enum_name(all_stores[s]), f.store_bytes[s]);
  return record;
}

/// Keeps the smallest of all formats, stores and orderings; the first of equals stays.
void consider(const std::vector<Footprint>& footprints, const std::string& ordering, reports::BestRecord& best) {
  for (const Footprint& f : footprints)
    for (std::size_t s = 0; !f.unfit && s < all_stores.size(); ++s) {
      if (!f.store_bytes[s]) continue;
      const std::uint64_t total = f.size.index_bytes + *f.store_bytes[s];
      if (best.format.empty() || total < best.total_bytes)
        best = {f.format, ordering, std::string(enum_name(all_stores[s])), total, f.parameters};
    }
}

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
  const auto metrics = reorder::envelope_metrics(a);
  record.bandwidth = metrics.bandwidth;
  record.profile = metrics.profile;
  record.max_wavefront = metrics.max_wavefront;
  record.rms_wavefront = rounded(metrics.rms_wavefront);
  const auto classes = analyze::index_classes(a, options.threads);
  for (std::size_t s = 0; s < classes.size(); ++s)
    record.index_classes.emplace_back(
        enum_name(static_cast<analyze::Strategy>(s)),
        reports::IndexClassRecord{classes[s].matrix_bits(), counts(classes[s].rows), counts(classes[s].nnz)});
  const auto blocks = analyze::blocks_8x8(a, options.threads);
  record.blocks_8x8 = {blocks.count, blocks.nnz_per_block};
  SPRESS_TRY(auto sizes, footprints(a, options.measured_formats(), values));
  for (const Footprint& f : sizes) record.footprint.emplace_back(f.format, footprint_record(f));
  consider(sizes, name, found.best);
  SPRESS_CHECK(choose_in(a, options, name, values, sizes, found));
  if (options.spy_size != 0) {
    auto picture = analyze::spy(a, options.spy_size, options.threads);
    record.spy = {picture.size, std::move(picture.cells)};
  }
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

reports::MatrixRecord matrix_record(const MatrixInfo& info, const Csr<Viewed>& a,
                                    const analyze::ValueStatistics& values) {
  reports::MatrixRecord record;
  record.name = info.name;
  record.path = info.path;
  record.rows = a.rows;
  record.cols = a.cols;
  record.nnz = a.nnz;
  record.stored_entries = info.stored_entries;
  record.field = enum_name(info.field);
  record.symmetry = enum_name(info.symmetry);
  record.pattern_symmetric = reorder::pattern_symmetric(a);
  record.explicit_zeros = values.explicit_zeros;
  record.duplicates = info.duplicates;
  record.distinct_values = values.distinct;
  record.values = {values.distinct, values.coverage_256, values.coverage_65536, values.exact_in_float};
  for (std::uint64_t r = 0; r < a.rows; ++r) {
    const std::uint64_t n = a.row_ptr.position(r + 1) - a.row_ptr.position(r);
    record.empty_rows += n == 0;
    record.max_row_nnz = std::max(record.max_row_nnz, n);
  }
  record.generator = generator_record(info);
  return record;
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
  return calibration ? out + " on=" + calibration->device : out;
}

Status check_options(const AnalyzeOptions& options) {
  std::set<std::string> seen;
  const auto once = [&](const std::string& kind, const std::string& name) -> Status {
    if (seen.insert(kind + name).second) return Ok{};
    return Error{
        ErrorCode::usage, "the " + kind + " '" + name + "' is given twice; a record has one place for it", {}, 0};
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
  record.matrix = matrix_record(info, a, values);
  Found found;
  for (const auto& name : options.orderings)
    record.orderings.emplace_back(name, ordering_record(name, a, values, options, found));
  record.best = std::move(found.best);
  if (!found.choices.empty()) {
    record.choice =
        choice_record(found.choices, choice_options(options), options.calibration ? &*options.calibration : nullptr);
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
