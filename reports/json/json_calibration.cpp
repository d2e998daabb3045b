#include "reports/json/json_archive.hpp"
#include "reports/records/calibration_record.hpp"

namespace spress::reports {

void describe(auto& a, Is<CalibrationWeights> auto& r) {
  a.field("values", r.values);
  a.field("matrix", r.matrix);
  a.field("weight", r.weight);
  a.unless_empty("padding", r.padding);
}

void describe(auto& a, Is<FormatPricesRecord> auto& r) {
  a.field("format", r.format);
  a.field("type", r.type);
  a.field("products", r.products);
  a.field("error", r.error);
  a.field("worst", r.worst);
  a.field("prices", r.prices);
  a.field("offset", r.offset);
  a.field("weights", r.weights);
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
  a.field("scales", r.scales);
  a.field("places", r.places);
  a.field("formats", r.formats);
}

std::string to_json_line(const CalibrationRecord& record) { return record_text(record); }
Parsed<CalibrationRecord> parse_calibration_record(std::string_view json) {
  return parse_record<CalibrationRecord>(json);
}

}  // namespace spress::reports
