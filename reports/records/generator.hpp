// Parameters of generators, from the text of the command line.
#pragma once

#include <string_view>

#include "reports/records/records.hpp"

namespace spress::reports {

/// A number where the whole text is one, else the text.
[[nodiscard]] ParameterValue parameter_value(std::string_view text);

}  // namespace spress::reports
