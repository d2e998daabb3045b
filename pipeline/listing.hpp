// The tables that `spress list` prints: what can be asked for by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/params.hpp"
#include "formats/core/result.hpp"

namespace spress::pipeline {

/// What a kind of file adds to its row.
struct FileFacts {
  std::vector<std::string> endings,
      endings_if_named;     ///< the latter: of files that are named themselves, not walked to
  bool by_content = false;  ///< known by its first bytes, whatever its name
  bool read = false, written = false;
  std::string needs;  ///< the library that it is read with
};

struct ListRow {
  std::string name, summary;
  std::vector<OptionText> options;
  std::string missing;                 ///< what this build lacks for it
  std::optional<bool> symmetric = {};  ///< of an ordering: whether rows and columns move together
  std::optional<FileFacts> file = {};  ///< of a kind of file, which has no parameters
};

/// The names that list_rows takes.
[[nodiscard]] std::vector<std::string> lists();

/// Errors: usage, listing the choices.
[[nodiscard]] Result<std::vector<ListRow>> list_rows(std::string_view what);

/// As a JSON document.
[[nodiscard]] std::string json_of(const std::vector<ListRow>& rows);

}  // namespace spress::pipeline
