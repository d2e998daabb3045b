// The calibrations of pipeline/calibrate/calibrations/, which the build puts into the program.
#pragma once

#include <span>
#include <string_view>

namespace spress::pipeline {

struct ShippedCalibration {
  std::string_view name;  ///< the kind of device, a hyphen and the device, as in "cpu-zen4"
  std::string_view text;  ///< a reports::CalibrationRecord as JSON
};
[[nodiscard]] std::span<const ShippedCalibration> shipped_calibrations();

}  // namespace spress::pipeline
