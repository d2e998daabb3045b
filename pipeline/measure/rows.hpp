// What the records of verify, bench, transfer and solve share: the matrix they tell of, the formats they walk, the
// store they choose, how their rows begin and fail.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyze/value_statistics.hpp"
#include "formats/core/matrix.hpp"
#include "formats/core/params.hpp"
#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"
#include "formats/values/values.hpp"
#include "pipeline/generator_record.hpp"
#include "pipeline/measure/pairing.hpp"
#include "pipeline/source.hpp"
#include "pipeline/version.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

/// Says which matrix a record is about, and which build measured it.
template <class Record>
void identify(Record& record, const Matrix& matrix) {
  record.tool = tool_record();
  record.name = matrix.info.name;
  record.path = matrix.info.path;
  record.rows = matrix.csr.rows;
  record.cols = matrix.csr.cols;
  record.nnz = matrix.csr.nnz;
  record.generator = generator_record(matrix.info);
}

/// What stands for a matrix that could not be measured.
template <class Record>
[[nodiscard]] Record failed_record(const std::string& input, const std::string& message,
                                   const reports::MachineRecord& machine) {
  Record record;
  record.tool = tool_record();
  record.name = name_of_input(input);
  record.path = input;
  record.machine = machine;
  record.error = message;
  record.ok = false;
  return record;
}

/// A row before anything is measured. Row: a MeasureRecord.
template <class Row>
[[nodiscard]] Row begin_row(const Spec& spec, StoreKind kind, ValueType type) {
  Row row;
  row.format = spec.name;
  row.parameters = spec.parameters();
  row.values = enum_name(kind);
  row.type = enum_name(type);
  for (double* figure : {&row.seconds_median, &row.seconds_min, &row.seconds_max, &row.gb_per_s, &row.gflops,
                         &row.speedup_vs_csr, &row.max_error_ratio})
    *figure = reports::not_measured;
  return row;
}

/// The formats given, or every one of the list where none is.
/// Errors: usage for an unknown format or parameter, and for a format given twice.
[[nodiscard]] Result<std::vector<Spec>> formats_to_walk(const std::vector<Spec>& given);

/// The smallest store of so many values, if it is not raw.
[[nodiscard]] std::optional<StoreKind> smaller_store(const analyze::ValueStatistics& statistics, ValueType type,
                                                     std::uint64_t slots);

/// The value stores that a format is timed with.
enum class StoreChoice {
  smallest,  ///< raw, and where it is smaller the smallest other that applies
  all,       ///< every one that applies to the matrix
  listed,
};

/// The stores of a matrix's values to measure: those listed, all, or raw and the smallest where that is another one.
/// agree: makes one store of those that several processes find; empty: there is one process.
[[nodiscard]] std::vector<StoreKind> wanted_stores(StoreChoice choice, const std::vector<StoreKind>& listed,
                                                   const Csr<Viewed>& a, int threads,
                                                   const std::function<StoreKind(StoreKind)>& agree = {});

/// Names an entry that is finite, but not as a float, or nothing. Requires: values of doubles, or a pattern.
[[nodiscard]] std::string entry_beyond_float(const Csr<Viewed>& a);

/// True for what cannot be done, unlike what went wrong.
[[nodiscard]] constexpr bool is_unfit(ErrorCode code) {
  return code == ErrorCode::not_applicable || code == ErrorCode::unsupported || code == ErrorCode::too_large;
}

/// The figures of several runs. Requires: one at least.
template <class Row>
void fill_spread(Row& row, const std::vector<double>& seconds) {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  row.seconds_median = median(seconds);
  row.seconds_min = *least;
  row.seconds_max = *most;
  row.repetitions = static_cast<int>(seconds.size());
}

/// Ends a row without figures: `ok` is null for what cannot be done, false for what went wrong.
template <class Row>
void end_row(Row& row, const Error& error) {
  row.ok = is_unfit(error.code) ? std::optional<bool>() : false;
  row.reason = error.message;
}

}  // namespace spress::pipeline
