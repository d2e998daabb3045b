// Lists of names within messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace spress {

/// "a, b, c", or the first `most` names and how many are left: "a, b, and 37 more".
[[nodiscard]] inline std::string listed(const std::vector<std::string>& names, std::size_t most = 20) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += ", and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace spress
