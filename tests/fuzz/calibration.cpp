// Fuzzes the reading of calibrations. What can be read must be written and read again as the same, and predict numbers
// for a small matrix.
#include "pipeline/calibrate/calibration.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json/json.hpp"
#include "tests/fuzz/scratch_file.hpp"
#include "tests/fuzz/seeds.hpp"

namespace {

using namespace spress;
using pipeline::DeviceKind;

/// Two matrices with two formats, as `spress calibrate` would write it.
std::string small_calibration(DeviceKind device) {
  reports::CalibrationRecord record;
  record.device = enum_name(device);
  record.cache_bytes = 1u << 20;
  record.scales = LikenessScales::version;
  record.places = {{1, 0.5, 0.25, 0.125, -1, 0.5, 0.75, 1}, {2, 0.5, 0.25, 0.125, -1, 0.5, 0.75, 1}};
  for (const char* format : {"csr", "slice-delta"}) {
    auto& prices = record.formats.emplace_back();
    prices.format = format;
    prices.type = "double";
    for (const std::size_t term : {0u, 1u}) prices.prices.emplace_back(cost_term_name(term), 1e-9);
    prices.weights = {{"raw", {0, 1}, {0.1, -0.2}, {}}, {"lut8", {1}, {0.3}, {0.5}}};
  }
  return reports::to_json_line(record);
}

void check_predictions(const CostModel& model) {
  const MatrixWork work = {.rows = 1500, .cols = 1500, .nnz = 10500, .longest_row = 9};
  const auto near = nearness(model.places, likeness(work, model.cache_bytes));
  for (const auto& format : model.formats)
    for (const double factor : corrections(format, near, padding_of(work, 12000)))
      if (!std::isfinite(factor)) __builtin_trap();
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
  return {small_calibration(DeviceKind::cpu), small_calibration(DeviceKind::cuda)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFolder folder;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = reports::parse_calibration_record(text);
  if (parsed) {
    const std::string line = reports::to_json_line(*parsed.record);
    const auto again = reports::parse_calibration_record(line);
    if (!again || reports::to_json_line(*again.record) != line) __builtin_trap();
  }
  const auto file = folder.file("calibration.json", text);
  for (const DeviceKind device : {DeviceKind::cpu, DeviceKind::cuda})
    if (const auto read = pipeline::read_calibration(file, device); read.ok()) check_predictions(read->model);
  return 0;
}
