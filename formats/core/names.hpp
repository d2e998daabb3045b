// Names that users type: what they may have meant, and one wording for a name that is not in a list.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/description.hpp"
#include "formats/core/result.hpp"

namespace spress {

/// The choices that are nearest to `name`, two at most: those it begins, and those that a few typing errors away. None
/// where nothing is near. Capital letters count as small ones. Complexity: the length of the name times that of all
/// choices.
[[nodiscard]] std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& choices);

/// "did you mean 'a' or 'b'?", or nothing. prefix: stands before each choice.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& choices,
                                       std::string_view prefix = {});

/// "PROBLEM; did you mean 'a'? LEAD a, b, c", or "PROBLEM; lead a, b, c".
/// lead: begins the list of choices, as "the formats are".
[[nodiscard]] std::string with_choices(std::string_view problem, std::string_view name, std::string_view lead,
                                       const std::vector<std::string>& choices);

/// Splits a list of names at commas. what: they are, as "orderings". Errors: usage for an empty name.
[[nodiscard]] Result<std::vector<std::string>> parse_names(std::string_view what, const std::string& text);

/// The value of an enumeration that has this name.
template <class E>
[[nodiscard]] std::optional<E> enum_named(std::string_view name) {
  for (std::size_t i = 0; i < EnumNames<E>::names.size(); ++i)
    if (EnumNames<E>::names[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

/// A usage error for a name that is not among the choices. what: one of them, as "format".
[[nodiscard]] Error unknown_name(std::string_view what, std::string_view name, const std::vector<std::string>& choices);

}  // namespace spress
