// The tables that `spress list` prints: what can be asked for by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/params.hpp"
#include "formats/core/result.hpp"

namespace spress::pipeline {

struct ListRow {
  std::string name, summary;
  std::vector<OptionText> options;
  std::string missing;                 ///< what this build lacks for it
  std::optional<bool> symmetric = {};  ///< of an ordering: whether rows and columns move together
};

/// The names that list_rows takes.
[[nodiscard]] std::vector<std::string> lists();

/// Errors: usage, listing the choices.
[[nodiscard]] Result<std::vector<ListRow>> list_rows(std::string_view what);

/// As a JSON document.
[[nodiscard]] std::string json_of(const std::vector<ListRow>& rows);

}  // namespace spress::pipeline
