// The record of `spress calibrate`: a cost model of one device, fitted to measured products. Its JSON, as in
// reports/json/json.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json/json.hpp"
#include "reports/records/records.hpp"

namespace spress::reports {

/// The weights of the products that were measured with one value store (encode/choose/cost_model.hpp).
struct CalibrationWeights {
  std::string values;
  std::vector<std::uint64_t> matrix;  ///< of each product, the place of its matrix
  std::vector<double> weight;
  std::vector<double> padding;  ///< none: 0 for each product
};

/// One format's prices, fitted to measured products.
struct FormatPricesRecord {
  std::string format;           ///< with its parameters
  std::string type;             ///< of the values: float or double
  std::uint64_t products = 0;   ///< measured
  double error = 0;             ///< root mean square of priced / measured - 1
  double worst = 0;             ///< the largest of |priced / measured - 1|
  Ordered<double> prices = {};  ///< seconds for one unit of each term (encode/choose/cost_model.hpp), by its name
  double offset = 0;            ///< of the logarithm of corrections
  std::vector<CalibrationWeights> weights = {};
};

struct CalibrationRecord {
  ToolRecord tool;
  std::string device;  ///< cpu or cuda
  MachineRecord machine;
  std::uint64_t cache_bytes = 0;        ///< of the last-level cache, by which terms are told apart
  double link_gb_per_s = not_measured;  ///< of a large copy from page-locked memory to the device; none on the CPU
  double link_seconds = not_measured;   ///< that one small copy takes
  std::uint64_t scales = 0;             ///< version of the scales that weights were fitted with
  std::vector<std::vector<double>> places = {};  ///< likeness of each measured matrix, scaled
  std::vector<FormatPricesRecord> formats;
};

std::string to_json_line(const CalibrationRecord& record);
Parsed<CalibrationRecord> parse_calibration_record(std::string_view json);

}  // namespace spress::reports
