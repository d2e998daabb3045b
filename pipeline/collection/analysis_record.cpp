#include "pipeline/collection/analysis_record.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "pipeline/generator_record.hpp"

namespace spress::pipeline {
namespace {

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

}  // namespace

void RowLengths::add(const Csr<Viewed>& rows) {
  with_positions(rows.row_ptr, [&](const auto* row_ptr) {
    for (std::uint64_t r = 0; r < rows.rows; ++r) {
      const std::uint64_t n = row_ptr[r + 1] - row_ptr[r];
      empty += n == 0;
      longest = std::max(longest, n);
    }
  });
}

reports::MatrixRecord matrix_record(const MatrixInfo& info, const WholeMatrix& whole, const RowLengths& lengths,
                                    bool pattern_symmetric, const analyze::ValueStatistics& values) {
  reports::MatrixRecord record;
  record.name = info.name;
  record.path = info.path;
  record.rows = whole.rows;
  record.cols = whole.cols;
  record.nnz = whole.nnz;
  record.stored_entries = info.stored_entries;
  record.field = enum_name(info.field);
  record.symmetry = enum_name(info.symmetry);
  record.pattern_symmetric = pattern_symmetric;
  record.explicit_zeros = values.explicit_zeros;
  record.duplicates = info.duplicates;
  record.distinct_values = values.distinct;
  record.values = {values.distinct, values.coverage_256, values.coverage_65536, values.exact_in_float};
  record.empty_rows = lengths.empty;
  record.max_row_nnz = lengths.longest;
  record.generator = generator_record(info);
  return record;
}

void put_facts(const OrderFacts& facts, reports::OrderingRecord& record) {
  record.bandwidth = facts.metrics.bandwidth;
  record.profile = facts.metrics.profile;
  record.max_wavefront = facts.metrics.max_wavefront;
  record.rms_wavefront = rounded(facts.metrics.rms_wavefront);
  for (std::size_t s = 0; s < facts.classes.size(); ++s) {
    const analyze::IndexClasses& c = facts.classes[s];
    record.index_classes.emplace_back(enum_name(static_cast<analyze::Strategy>(s)),
                                      reports::IndexClassRecord{c.matrix_bits(), counts(c.rows), counts(c.nnz)});
  }
  record.blocks_8x8 = {facts.blocks.count, facts.blocks.nnz_per_block};
}

void put_footprints(const std::vector<Footprint>& footprints, reports::OrderingRecord& record) {
  for (const Footprint& f : footprints) record.footprint.emplace_back(f.format, footprint_record(f));
}

void put_picture(analyze::Spy picture, reports::OrderingRecord& record) {
  record.spy = {picture.size, std::move(picture.cells)};
}

void consider(const std::vector<Footprint>& footprints, const std::string& ordering, reports::BestRecord& best) {
  for (const Footprint& f : footprints) {
    const auto smallest = f.smallest();
    if (smallest && (best.format.empty() || smallest->total_bytes < best.total_bytes))
      best = {f.format, ordering, std::string(enum_name(smallest->store)), smallest->total_bytes, f.parameters};
  }
}

}  // namespace spress::pipeline
