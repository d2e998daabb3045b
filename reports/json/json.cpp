#include "reports/json/json.hpp"

#include <istream>
#include <utility>

#include "reports/json/json_archive.hpp"

namespace spress::reports {

void describe(auto& a, Is<ValueStatistics> auto& r) {
  a.field("distinct", r.distinct);
  a.field("coverage_256", r.coverage_256);
  a.field("coverage_65536", r.coverage_65536);
  a.field("exact_in_float", r.exact_in_float);
}

void describe(auto& a, Is<MatrixRecord> auto& r) {
  a.field("name", r.name);
  a.field("path", r.path);
  if (a.identity_only()) return;
  a.field("rows", r.rows);
  a.field("cols", r.cols);
  a.field("nnz", r.nnz);
  a.field("stored_entries", r.stored_entries);
  a.field("field", r.field);
  a.field("symmetry", r.symmetry);
  a.field("pattern_symmetric", r.pattern_symmetric);
  a.field("explicit_zeros", r.explicit_zeros);
  a.field("duplicates", r.duplicates);
  a.field("distinct_values", r.distinct_values);
  a.extra("values", r.values);
  a.extra("empty_rows", r.empty_rows);
  a.extra("max_row_nnz", r.max_row_nnz);
  a.if_present(r.file_bytes.has_value(), "file_bytes", r.file_bytes);
  a.if_present(r.generator.has_value(), "generator", r.generator);
}

void describe(auto& a, Is<IndexClassRecord> auto& r) {
  a.field("matrix_bits", r.matrix_bits);
  a.check(r.matrix_bits == 8 || r.matrix_bits == 16 || r.matrix_bits == 32, "matrix_bits", "must be 8, 16 or 32");
  a.field("rows", r.rows);
  a.field("nnz", r.nnz);
}

void describe(auto& a, Is<BlockRecord> auto& r) {
  a.field("count", r.count);
  a.field("nnz_per_block", r.nnz_per_block);
}

void describe(auto& a, Is<FootprintRecord> auto& r) {
  a.reason("reason", r.reason);
  if (!r.reason.empty()) return;  // a format that cannot hold the matrix has no figures
  a.field("model_index_bytes", r.model_index_bytes);
  a.field("index_bytes", r.index_bytes);
  a.field("total_bytes", r.total_bytes);
  a.field("ratio_to_csr", r.ratio_to_csr);
  a.unless_empty("parameters", r.parameters);
  a.field("values", r.values);
  a.unless_empty("details", r.details);
}

bool are_cells(const SpyRecord& r) {
  return r.cells.size() == std::size_t{r.size} * r.size && r.cells.find_first_not_of("0123456789") == std::string::npos;
}

void describe(auto& a, Is<SpyRecord> auto& r) {
  a.field("size", r.size);
  a.runs("runs", "cells", r.cells);
  a.check(are_cells(r), "cells", "must hold size*size digits");
}

void describe(auto& a, Is<OrderingRecord> auto& r) {
  a.field("status", r.status);
  a.check(r.status == "ok" || r.status == "not_applicable" || r.status == "error", "status",
          "must be ok, not_applicable or error");
  if (r.status != "ok") return a.extra("reason", r.reason);
  a.field("seconds", r.seconds);
  a.field("bandwidth", r.bandwidth);
  a.field("profile", r.profile);
  a.extra("max_wavefront", r.max_wavefront);
  a.extra("rms_wavefront", r.rms_wavefront);
  a.field("index_classes", r.index_classes);
  a.field("blocks_8x8", r.blocks_8x8);
  a.field("footprint", r.footprint);
  a.if_present(r.spy.size != 0, "spy", r.spy);
}

void describe(auto& a, Is<BestRecord> auto& r) {
  a.field("format", r.format);
  a.field("ordering", r.ordering);
  a.field("values", r.values);
  a.field("total_bytes", r.total_bytes);
  a.extra("parameters", r.parameters);
}

void describe(auto& a, Is<ResumeKey> auto& r) {
  a.field("path", r.path);
  a.field("size", r.size);
  a.field("mtime_ns", r.mtime_ns);
  a.field("options", r.options);
}

void describe(auto& a, Is<AnalyzeRecord> auto& r) {
  a.schema();
  a.kind(r.kind);
  a.field("tool", r.tool);
  a.look_ahead("error", r.error);
  if (r.error) {
    a.identity("matrix", r.matrix);
  } else {
    a.field("matrix", r.matrix);
    a.field("orderings", r.orderings);
    a.field("best", r.best);
    a.if_present(r.choice.has_value(), "choice", r.choice);
  }
  a.field("error", r.error);
  a.extra("seconds", r.seconds);
  a.extra("key", r.key);
}

void describe(auto& a, Is<MeasureRecord> auto& r) {
  describe_subject(a, r);
  a.where_known(r.ok.has_value() || r.total_bytes != 0, "total_bytes", r.total_bytes);
  describe_times(a, r);
  a.field("max_error_ratio", r.max_error_ratio);
  a.unless_empty("kernel", r.kernel);
  a.if_present(r.repeatable.has_value(), "repeatable", r.repeatable);
  a.field("ok", r.ok);
  a.reason("reason", r.reason);
}

void describe(auto& a, Is<VerifyRecord> auto& r) {
  a.schema();
  a.kind(r.kind);
  a.field("tool", r.tool);
  a.identity("matrix", r);
  a.field("device", r.device);
  a.field("formats", r.formats);
  a.field("ok", r.ok);
}

/// The matrix of a verify record: its name, path and shape lie in the record itself.
void describe_matrix(auto& a, Is<VerifyRecord> auto& r) { describe_shape(a, r); }
void describe_matrix(auto& a, Is<MatrixRecord> auto& r) { describe(a, r); }

std::string to_json_line(const AnalyzeRecord& record) { return record_text(record); }
std::string to_json_line(const VerifyRecord& record) { return record_text(record); }
std::string to_json_line(const ChoiceRecord& record) { return record_text(record); }
std::string to_json_line(const MeasureRecord& record) { return record_text(record); }

Parsed<AnalyzeRecord> parse_analyze_record(std::string_view json) { return parse_record<AnalyzeRecord>(json); }
Parsed<AnalyzeRecord> read_analyze_record(json::View document) { return read_record<AnalyzeRecord>(document); }
Parsed<VerifyRecord> parse_verify_record(std::string_view json) { return parse_record<VerifyRecord>(json); }

AnalyzeRecords read_analyze_records(std::istream& in) {
  in.exceptions(std::ios::badbit);  // else a lack of memory would look like the end of the file
  AnalyzeRecords out;
  std::string line;
  json::Tree tree;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    out.ends_torn = in.eof();
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Parsed<AnalyzeRecord> parsed = parse_record<AnalyzeRecord>(line, tree);
    if (parsed) {
      out.records.push_back(std::move(*parsed.record));
    } else {
      out.bad_lines.push_back({number, std::move(parsed.error)});
    }
  }
  return out;
}

}  // namespace spress::reports
