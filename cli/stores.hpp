// --values of the commands that measure formats with several stores.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "formats/core/names.hpp"
#include "pipeline/measure/bench.hpp"

namespace spress::cli {

struct Stores {
  pipeline::StoreChoice choice = pipeline::StoreChoice::smallest;
  std::vector<StoreKind> listed;
};

/// Errors: usage, listing the choices.
inline Result<Stores> parse_stores(const std::string& text) {
  if (text == "auto") return Stores{};
  if (text == "all") return Stores{pipeline::StoreChoice::all, {}};
  Error unknown = {ErrorCode::usage,
                   "--values '" + text + "': give auto, all, or a list of raw, narrow, lut8, lut16 and iso"};
  const auto names = parse_names("stores", text);
  if (!names.ok()) return unknown;
  Stores out{pipeline::StoreChoice::listed, {}};
  for (const std::string& name : *names) {
    const auto store = parse_store(name);
    if (!store.ok() || !*store) {
      const std::string proposal = did_you_mean(name, {"auto", "all", "raw", "narrow", "lut8", "lut16", "iso"});
      if (!store.ok() && !proposal.empty()) unknown.message += "; " + proposal;
      return unknown;
    }
    out.listed.push_back(**store);
  }
  return out;
}

inline void add_stores(Command command, std::string& values) {
  command
      .add_option("--values", values,
                  "Measure these value stores: auto (raw, and the smallest other one if it is smaller), all, or a list "
                  "of raw, narrow, lut8, lut16, iso")
      .type_name("LIST")
      .shows_default();
}

}  // namespace spress::cli
