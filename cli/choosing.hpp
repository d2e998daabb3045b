// What the subcommands that choose share: the options of `auto`.
#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "pipeline/calibration.hpp"
#include "pipeline/choose.hpp"

namespace spress::cli {

/// --for, as an option of `command`.
inline void add_goal(CLI::App& command, std::string& goal) {
  command
      .add_option("--for", goal,
                  "What auto wants little of: size (bytes), spmv (time of a product, as predicted for the device: "
                  "'spress calibrate'), transfer (time to the device and through one product)")
      ->check(CLI::IsMember({"size", "spmv", "transfer"}))
      ->capture_default_str();
}

/// Requires: a name that add_goal took.
inline Goal parse_goal(const std::string& name) {
  return name == "spmv" ? Goal::spmv : name == "transfer" ? Goal::transfer : Goal::size;
}

/// The calibration that predicts for a kind of device, of the GPU in this machine where there is one.
/// Errors: those of load_calibration.
[[nodiscard]] inline Result<pipeline::Calibration> calibration_for(const std::string& device) {
  const auto kind = device_kind(device);
  return pipeline::load_calibration(kind, pipeline::machine_record(1, kind).device);
}

}  // namespace spress::cli
