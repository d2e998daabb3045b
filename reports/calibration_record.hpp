// What `spress calibrate` finds: how long products take on a device, as prices of what they are made of. Its JSON, as
// in reports/json.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json.hpp"
#include "reports/records.hpp"

namespace spress::reports {

/// One format's prices, fitted to measured products.
struct FormatPricesRecord {
  std::string format;              ///< with its parameters; "" for those of any format, fitted to all
  std::string type;                ///< of the values: float or double
  std::uint64_t measurements = 0;  ///< products that the prices were fitted to
  double error = 0;                ///< root mean square of predicted / measured - 1
  double worst = 0;                ///< the largest of |predicted / measured - 1|
  Ordered<double> prices;          ///< seconds for one unit of each term (encode/cost_model.hpp), by its name
};

struct CalibrationRecord {
  ToolRecord tool;
  std::string device;  ///< cpu or cuda
  MachineRecord machine;
  std::uint64_t cache_bytes = 0;        ///< of the last-level cache, by which terms are told apart
  double link_gb_per_s = not_measured;  ///< of a large copy from page-locked memory to the device; none on the CPU
  double link_seconds = not_measured;   ///< that one small copy takes
  std::vector<std::string> matrices;    ///< measured
  std::vector<FormatPricesRecord> formats;
};

std::string to_json_line(const CalibrationRecord& record);
Parsed<CalibrationRecord> parse_calibration_record(std::string_view json);

}  // namespace spress::reports
