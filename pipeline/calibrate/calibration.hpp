// Where cost models come from: measured on this machine (`spress calibrate`), or shipped with the program.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encode/choose/choose.hpp"
#include "encode/choose/cost_model.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "pipeline/device/machine.hpp"
#include "reports/records/calibration_record.hpp"

namespace spress::pipeline {

/// A model and where it is from, for records.
struct Calibration {
  CostModel model;
  std::string source;       ///< the file, or "shipped"
  std::string device;       ///< measured on: the processor or the GPU
  std::string digest = {};  ///< of the file's text; empty for one that was shipped
};

/// Of this user, for a kind of device: $XDG_CACHE_HOME/spress/calibration-<kind>.json, else below $HOME/.cache; empty
/// where neither is set.
[[nodiscard]] std::filesystem::path calibration_file(DeviceKind device);

/// The name of the GPU if the record has one, else of the processor.
[[nodiscard]] std::string device_name(const reports::MachineRecord& machine);

/// The user's calibration if there is one. Otherwise the shipped one for this kind of processor, as records name it
/// (`processor`); of several, or of none, the one whose name has the longest beginning in common with `name`.
/// Errors: unreadable, naming a damaged file.
[[nodiscard]] Result<Calibration> load_calibration(DeviceKind device, std::string_view name,
                                                   std::string_view processor);

/// load_calibration for the processor or the GPU of this machine.
[[nodiscard]] Result<Calibration> calibration_here(DeviceKind device);

/// A transfer is predicted only where the way to the device was measured. Errors: usage.
[[nodiscard]] Status check_goal(Goal goal, const Calibration& calibration);

/// Errors: unreadable where the file is no calibration of that kind of device.
[[nodiscard]] Result<Calibration> read_calibration(const std::filesystem::path& file, DeviceKind device);

/// The file of a calibration, which is there once it is written; makes the folders of the way. Errors: unwritable.
[[nodiscard]] Result<io::OutputFile> create_calibration(const std::filesystem::path& file);

/// Complete or not at all. Errors: unwritable.
[[nodiscard]] Status write_calibration(const reports::CalibrationRecord& record, io::OutputFile file);

/// Requires: a sound record, as read_calibration checks. Terms and stores that the record does not name have no price.
[[nodiscard]] CostModel cost_model(const reports::CalibrationRecord& record);

}  // namespace spress::pipeline
