#include <cmath>

#include "reports/json/json.hpp"
#include "reports/json/json_archive.hpp"

namespace spress::reports {

void describe(auto& a, Is<BenchMeasure> auto& r) {
  describe_subject(a, r);
  a.field("peer", r.peer);
  a.where_known(r.ok.has_value() || r.total_bytes != 0, "total_bytes", r.total_bytes);
  a.field("bytes_per_nnz", r.bytes_per_nnz);
  a.field("ratio_to_csr", r.ratio_to_csr);
  describe_times(a, r);
  a.field("speedup_vs_best_peer", r.speedup_vs_best_peer);
  a.if_present(std::isfinite(r.speedup_vs_best_cusparse), "speedup_vs_best_cusparse", r.speedup_vs_best_cusparse);
  a.if_present(r.streamed_bytes.has_value(), "streamed_bytes", r.streamed_bytes);
  a.if_present(r.streamed_bytes.has_value(), "link_gb_per_s", r.link_gb_per_s);
  a.if_present(!r.waited_seconds.empty(), "waited_seconds", r.waited_seconds);
  a.if_present(r.predicted_bytes.has_value(), "predicted_bytes", r.predicted_bytes);
  a.if_present(r.counted_bytes.has_value(), "counted_bytes", r.counted_bytes);
  a.field("encode_seconds", r.encode_seconds);
  a.field("encode_in_csr_spmv", r.encode_in_csr_spmv);
  a.field("max_error_ratio", r.max_error_ratio);
  a.unless_empty("kernel", r.kernel);
  a.if_present(r.repeatable.has_value(), "repeatable", r.repeatable);
  a.field("ok", r.ok);
  a.reason("reason", r.reason);
}

void describe_matrix(auto& a, Is<BenchRecord> auto& r) { describe_shape(a, r, !r.error); }

void describe(auto& a, Is<BenchRecord> auto& r) {
  a.schema();
  a.kind(r.kind);
  a.field("tool", r.tool);
  a.look_ahead("error", r.error);
  a.identity("matrix", r);
  a.field("machine", r.machine);
  if (!r.error) {
    a.field("csr_bytes", r.csr_bytes);
    a.field("csr_seconds", r.csr_seconds);
    a.field("working_set_in_cache", r.working_set_in_cache);
    a.if_present(!r.parts.empty(), "parts", r.parts);
    a.field("formats", r.formats);
    a.if_present(r.choice.has_value(), "choice", r.choice);
  }
  a.field("ok", r.ok);
  a.field("error", r.error);
}

std::string to_json_line(const BenchRecord& record) { return record_text(record); }
Parsed<BenchRecord> parse_bench_record(std::string_view json) { return parse_record<BenchRecord>(json); }
Parsed<BenchRecord> read_bench_record(json::View document) { return read_record<BenchRecord>(document); }

}  // namespace spress::reports
