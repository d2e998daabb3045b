#include "reports/json/json.hpp"
#include "reports/json/json_archive.hpp"

namespace spress::reports {

void describe(auto& a, Is<SolveMeasure> auto& r) {
  describe_subject(a, r);
  a.field("preconditioner", r.preconditioner);
  a.unless_empty("kernel", r.kernel);
  const bool ran = !r.stop.empty();
  a.where_known(ran, "total_bytes", r.total_bytes);
  a.where_known(ran, "iterations", r.iterations);
  a.where_known(ran, "converged", r.converged);
  a.where_known(ran, "stop", r.stop);
  a.field("seconds", r.seconds);
  a.field("iterations_per_second", r.iterations_per_second);
  a.field("updates_per_second", r.updates_per_second);
  a.field("product_share", r.product_share);
  a.extra("spmv_seconds", r.spmv_seconds);
  a.field("residual", r.residual);
  a.field("true_residual", r.true_residual);
  a.extra("rounding_bound", r.rounding_bound);
  a.field("l2_error", r.l2_error);
  a.field("encode_seconds", r.encode_seconds);
  a.extra("transfer_seconds", r.transfer_seconds);
  a.if_present(r.streamed_bytes.has_value(), "streamed_bytes", r.streamed_bytes);
  a.if_present(!r.waited_seconds.empty(), "waited_seconds", r.waited_seconds);
  a.field("total_seconds", r.total_seconds);
  a.field("speedup_vs_csr", r.speedup_vs_csr);
  a.field("total_speedup_vs_csr", r.total_speedup_vs_csr);
  a.field("switched_at", r.switched_at);
  a.field("least_iterations", r.least_iterations);
  a.field("most_iterations", r.most_iterations);
  a.field("ok", r.ok);
  a.reason("reason", r.reason);
}

void describe_matrix(auto& a, Is<SolveRecord> auto& r) { describe_shape(a, r); }

void describe(auto& a, Is<SolveRecord> auto& r) {
  a.schema();
  a.kind(r.kind);
  a.field("tool", r.tool);
  a.identity("matrix", r);
  a.field("machine", r.machine);
  a.field("device", r.device);
  a.field("right_hand_side", r.right_hand_side);
  a.field("tolerance", r.tolerance);
  a.field("max_iterations", r.max_iterations);
  a.field("threads", r.threads);
  a.if_present(!r.parts.empty(), "parts", r.parts);
  a.field("formats", r.formats);
  a.field("ok", r.ok);
}

std::string to_json_line(const SolveRecord& record) { return record_text(record); }
Parsed<SolveRecord> parse_solve_record(std::string_view json) { return parse_record<SolveRecord>(json); }
Parsed<SolveRecord> read_solve_record(json::View document) { return read_record<SolveRecord>(document); }

}  // namespace spress::reports
