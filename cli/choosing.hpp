// Options of the subcommands that choose a format: those of `auto`.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "encode/shared/any.hpp"
#include "pipeline/calibrate/calibration.hpp"
#include "pipeline/choose.hpp"

namespace spress::cli {

/// --for, as an option of `command`. file: whether the file is one of the goals.
inline Option add_goal(Command command, std::string& goal, bool file = false) {
  std::vector<std::string> goals = {"memory", "size", "spmv", "transfer"};
  if (file) goals.insert(goals.begin(), "file");
  return command
      .add_option(
          "--for", goal,
          std::string(file ? "What shall be small or fast: the file, which then holds the matrix in no format of "
                             "the list (file); or the format that auto takes: by"
                           : "Let auto minimize") +
              " bytes in memory (memory; size is the same), the predicted time of a product (spmv), or that of the "
              "transfer to the device and one product (transfer)" +
              (file ? "; memory where --values, --exact or --device is given without it" : ""))
      .type_name("GOAL")
      .one_of(goals)
      .shows_default();
}

/// Requires: a name that add_goal took.
inline Goal parse_goal(const std::string& name) {
  return name == "spmv" ? Goal::spmv : name == "transfer" ? Goal::transfer : Goal::size;
}

/// A transfer is predicted only where the way to the device was measured. Errors: usage.
[[nodiscard]] inline Status check_goal(Goal goal, const pipeline::Calibration& calibration) {
  if (goal != Goal::transfer || calibration.model.link_bytes_per_second > 0) return Ok{};
  return Error{ErrorCode::usage,
               "--for transfer needs --device cuda, with a measured link; the calibration in use (" +
                   calibration.source + ") has none",
               {},
               0};
}

/// A list of formats that may hold `auto`, which is taken out (`choose` tells), and `all`. With nothing but auto, CSR
/// is left to compare with. Errors: those of parse_formats.
[[nodiscard]] inline Result<std::vector<Spec>> parse_with_auto(const std::string& text, bool& choose) {
  choose = false;
  if (text.empty()) return parse_formats(text);
  SPRESS_TRY(auto specs, parse_spec_list(text));
  const auto take = [&](const char* name) {
    return std::erase_if(specs, [&](const Spec& spec) { return spec.text() == name; }) != 0;
  };
  choose = take("auto");
  if (take("all")) {
    const auto all = all_formats();
    specs.insert(specs.begin(), all.begin(), all.end());
  }
  for (const Spec& spec : specs) SPRESS_CHECK(check_format(spec));
  if (specs.empty()) specs.push_back({"csr", {}});
  return specs;
}

/// Adds to `formats` what auto expects the fastest product of on the device, in the store asked for (none: in any), and
/// says so. Errors: those of calibration_here and choose.
[[nodiscard]] inline Status add_chosen(const Common& common, const std::string& device, const Csr<Viewed>& a,
                                       std::optional<StoreKind> values, std::vector<Spec>& formats) {
  SPRESS_TRY(const auto calibration, pipeline::calibration_here(device_kind(device)));
  ChoiceOptions choice;
  choice.goal = Goal::spmv;
  choice.model = &calibration.model;
  choice.values = values;
  choice.threads = common.threads;
  SPRESS_TRY(auto chosen, choose(a, choice));
  Spec& best = chosen.candidates.front().format;
  status(common, "auto: " + best.text());
  const auto is_best = [&](const Spec& spec) { return spec.text() == best.text(); };
  if (std::none_of(formats.begin(), formats.end(), is_best)) formats.push_back(std::move(best));
  return Ok{};
}

}  // namespace spress::cli
