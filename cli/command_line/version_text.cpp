#include "cli/command_line/version_text.hpp"

#include <fmt/format.h>

#include <spress_build.hpp>

#include "formats/json/text.hpp"
#include "pipeline/version.hpp"

namespace spress::cli {

std::string version_text() {
  const auto tool = pipeline::tool_record();
  std::string out = fmt::format("spress {}{}", tool.version, tool.commit.empty() ? "" : " (" + tool.commit + ")");
  for (const auto& [name, state] : build::facts) out += fmt::format("\n{:<17} {}", name, state);
  return out;
}

std::string version_json() {
  const auto tool = pipeline::tool_record();
  json::Value facts = json::Value::object();
  for (const auto& [name, state] : build::facts) facts[std::string(name)] = std::string(state);
  const json::Value out = {{"version", tool.version}, {"commit", tool.commit}, {"build", std::move(facts)}};
  return out.dump();
}

}  // namespace spress::cli
