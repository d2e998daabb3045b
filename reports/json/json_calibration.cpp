#include <cmath>

#include "reports/json/json_archive.hpp"
#include "reports/records/calibration_record.hpp"

namespace spress::reports {

void describe(auto& a, Is<CalibrationMatrix> auto& r) {
  a.field("path", r.path);
  a.field("rows", r.rows);
  a.field("cols", r.cols);
  a.field("nnz", r.nnz);
  a.field("longest_row", r.longest_row);
  a.field("row_sectors", r.row_sectors);
  a.field("slice_sectors", r.slice_sectors);
  a.field("far_sectors", r.far_sectors);
  a.field("value_bytes", r.value_bytes);
  a.field("pattern", r.pattern);
}

void describe(auto& a, Is<CalibrationProduct> auto& r) {
  a.field("matrix", r.matrix);
  a.field("values", r.values);
  a.field("total_bytes", r.total_bytes);
  a.field("slots", r.slots);
  a.field("seconds", r.seconds);
  a.if_present(r.table_values != 0, "table_values", r.table_values);
  a.if_present(std::isfinite(r.weight), "weight", r.weight);
}

void describe(auto& a, Is<FormatPricesRecord> auto& r) {
  a.field("format", r.format);
  a.field("type", r.type);
  a.field("error", r.error);
  a.field("worst", r.worst);
  a.field("prices", r.prices);
  a.extra("offset", r.offset);
  a.extra("needed", r.needed);
  a.field("products", r.products);
}

void describe(auto& a, Is<CalibrationRecord> auto& r) {
  a.schema();
  a.field("tool", r.tool);
  a.field("device", r.device);
  a.check(r.device == "cpu" || r.device == "cuda", "device", "must be cpu or cuda");
  a.field("machine", r.machine);
  a.field("cache_bytes", r.cache_bytes);
  a.field("link_gb_per_s", r.link_gb_per_s);
  a.field("link_seconds", r.link_seconds);
  a.extra("likeness", r.likeness);
  a.field("matrices", r.matrices);
  a.field("formats", r.formats);
}

std::string to_json_line(const CalibrationRecord& record) { return record_text(record); }
Parsed<CalibrationRecord> parse_calibration_record(std::string_view json) {
  return parse_record<CalibrationRecord>(json);
}

}  // namespace spress::reports
