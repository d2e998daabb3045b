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
  std::vector<std::string> goals = goal_names;
  if (file) goals.insert(goals.begin(), "file");
  return command
      .add_option(
          "--for", goal,
          "What shall be small or fast. " +
              std::string(file ? "file: the file, which holds the matrix in no format of the list; the others choose "
                                 "a format of the list. "
                               : "") +
              "memory (or size): bytes in memory. spmv: the predicted time of a product. transfer: the "
              "predicted time of sending the matrix to the device and of one product" +
              (file ? ". With --values, --exact or --device, memory unless another one is given" : ""))
      .type_name("GOAL")
      .one_of(goals)
      .shows_default();
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
/// says so. Nothing joins for complex values, of which no times are predicted. Errors: those of calibration_here and
/// choose.
[[nodiscard]] inline Status add_chosen(const Common& common, const std::string& device, const Csr<Viewed>& a,
                                       std::optional<StoreKind> values, std::vector<Spec>& formats) {
  if (a.values.type == ValueType::c128) {
    status(common, "auto: no times are predicted for complex values");
    return Ok{};
  }
  SPRESS_TRY(const auto calibration, pipeline::calibration_here(device_kind(device)));
  ChoiceOptions choice;
  choice.goal = Goal::spmv;
  choice.model = &calibration.model;
  choice.values = values;
  choice.threads = common.threads;
  SPRESS_TRY(const auto chosen, choose(a, choice));
  const Spec& best = chosen.candidates.front().format;
  status(common, "auto: " + best.text());
  add_once(formats, best);
  return Ok{};
}

}  // namespace spress::cli
