#include "reports/json/json_archive.hpp"
#include "reports/records/transfer_record.hpp"

namespace spress::reports {

void describe(auto& a, Is<TransferMeasure> auto& r) {
  describe_subject(a, r);
  a.field("route", r.route);
  a.field("memory", r.memory);
  const bool ran = r.ok.has_value() || r.total_bytes != 0;
  a.where_known(ran, "total_bytes", r.total_bytes);
  a.where_known(ran, "sent_bytes", r.sent_bytes);
  a.where_known(ran, "copies", r.copies);
  a.field("byte_ratio", r.byte_ratio);
  describe_times(a, r);
  a.field("speedup_vs_csr_arrays", r.speedup_vs_csr_arrays);
  a.field("encode_seconds", r.encode_seconds);
  a.field("spmv_seconds", r.spmv_seconds);
  a.extra("vectors_seconds", r.vectors_seconds);
  a.field("break_even_spmv", r.break_even_spmv);
  a.field("break_even_transfers", r.break_even_transfers);
  a.field("max_error_ratio", r.max_error_ratio);
  a.unless_empty("kernel", r.kernel);
  a.field("ok", r.ok);
  a.reason("reason", r.reason);
}

void describe(auto& a, Is<FileTransferMeasure> auto& r) {
  a.field("way", r.way);
  a.field("file_bytes", r.file_bytes);
  a.field("sent_bytes", r.sent_bytes);
  a.field("in_pieces", r.in_pieces);
  a.field("seconds_median", r.seconds_median);
  a.field("seconds_min", r.seconds_min);
  a.field("seconds_max", r.seconds_max);
  a.field("repetitions", r.repetitions);
  a.field("read_seconds", r.read_seconds);
  a.field("decode_seconds", r.decode_seconds);
  a.field("copy_seconds", r.copy_seconds);
  a.field("gb_per_s", r.gb_per_s);
  a.field("speedup_vs_csr", r.speedup_vs_csr);
  a.field("ok", r.ok);
  a.reason("reason", r.reason);
}

void describe(auto& a, Is<FileTransferRecord> auto& r) {
  a.field("cold", r.cold);
  a.field("ways", r.ways);
}

void describe_matrix(auto& a, Is<TransferRecord> auto& r) { describe_shape(a, r, !r.error); }

void describe(auto& a, Is<TransferRecord> auto& r) {
  a.schema();
  a.kind(r.kind);
  a.field("tool", r.tool);
  a.look_ahead("error", r.error);
  a.identity("matrix", r);
  a.field("machine", r.machine);
  a.field("pinned_gb_per_s", r.pinned_gb_per_s);
  a.field("pageable_gb_per_s", r.pageable_gb_per_s);
  a.extra("staged_gb_per_s", r.staged_gb_per_s);
  if (!r.error) a.field("formats", r.formats);
  a.if_present(r.file.has_value(), "file", r.file);
  a.field("ok", r.ok);
  a.field("error", r.error);
}

std::string to_json_line(const TransferRecord& record) { return record_text(record); }
Parsed<TransferRecord> parse_transfer_record(std::string_view json) { return parse_record<TransferRecord>(json); }
Parsed<TransferRecord> read_transfer_record(json::View document) { return read_record<TransferRecord>(document); }

}  // namespace spress::reports
