// The lines that the programs of bench begin their text with.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "pipeline/device/machine.hpp"

namespace spress::bench {

inline std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + word;
  return line.empty() ? "none" : line;
}

/// Machine, compiler, commit and command, a line each.
inline std::string head_lines(const reports::MachineRecord& machine, const std::string& command) {
  return fmt::format("machine   {}\ncompiler  {}\ncommit    {}\ncommand   {}\n", machine.machine, machine.compiler,
                     machine.commit.empty() ? "unknown" : machine.commit, command);
}

}  // namespace spress::bench
