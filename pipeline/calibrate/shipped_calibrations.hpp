// The calibrations of pipeline/calibrate/calibrations/, which the build puts into the program.
#pragma once

#include <span>
#include <string_view>

namespace spress::pipeline {

/// The text of each file: a reports::CalibrationRecord as JSON.
[[nodiscard]] std::span<const std::string_view> shipped_calibrations();

}  // namespace spress::pipeline
