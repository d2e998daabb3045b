// Value stores by the names that users type.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// `auto`, and the name of each value store.
[[nodiscard]] std::vector<std::string> store_choices();

/// Parses a name of store_choices(); `auto` gives none. Errors: usage, listing the choices.
[[nodiscard]] Result<std::optional<StoreKind>> parse_store(const std::string& text);

}  // namespace spress
