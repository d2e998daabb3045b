// What `spress calibrate` finds: how long products take on a device, as prices of what they are made of. Its JSON, as
// in reports/json/json.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json/json.hpp"
#include "reports/records/records.hpp"

namespace spress::reports {

/// A matrix that was measured, by its counts (encode/choose/cost_model.hpp).
struct CalibrationMatrix {
  std::string path;
  std::uint64_t rows = 0, cols = 0, nnz = 0, longest_row = 0;
  std::uint64_t row_sectors = 0, slice_sectors = 0, far_sectors = 0;
  std::uint64_t value_bytes = 8;  ///< of an element of x, which sectors depend on
  bool pattern = false;
};

/// A product that was measured.
struct CalibrationProduct {
  std::uint64_t matrix = 0;  ///< its place in the list
  std::string values;
  std::uint64_t total_bytes = 0, slots = 0;
  double seconds = 0;
  std::uint64_t table_values = 0;  ///< in the table of the store
  double weight = not_measured;    ///< with which it corrects others (encode/choose/cost_model.hpp); none: to be found
};

/// One format's prices, fitted to measured products.
struct FormatPricesRecord {
  std::string format;      ///< with its parameters
  std::string type;        ///< of the values: float or double
  double error = 0;        ///< root mean square of priced / measured - 1
  double worst = 0;        ///< the largest of |priced / measured - 1|
  Ordered<double> prices;  ///< seconds for one unit of each term (encode/choose/cost_model.hpp), by its name
  double offset = 0;       ///< of the logarithm of corrections
  bool needed = true;      ///< false: of all but a hundredth of the matrices another one is within 2%
  std::vector<CalibrationProduct> products = {};
};

struct CalibrationRecord {
  ToolRecord tool;
  std::string device;  ///< cpu or cuda
  MachineRecord machine;
  std::uint64_t cache_bytes = 0;        ///< of the last-level cache, by which terms are told apart
  double link_gb_per_s = not_measured;  ///< of a large copy from page-locked memory to the device; none on the CPU
  double link_seconds = not_measured;   ///< that one small copy takes
  Ordered<double> likeness = {};        ///< that weights were found with, by name; none in older records
  std::vector<CalibrationMatrix> matrices;
  std::vector<FormatPricesRecord> formats;
};

std::string to_json_line(const CalibrationRecord& record);
Parsed<CalibrationRecord> parse_calibration_record(std::string_view json);

}  // namespace spress::reports
