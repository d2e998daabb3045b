// Values by the names they have in a descriptor. Private to formats/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/core/array.hpp"
#include "formats/core/description.hpp"
#include "formats/core/names.hpp"

namespace spress::io {

/// The value of an enumeration with `to_string`, up to `last`, that has this name.
template <class E>
[[nodiscard]] std::optional<E> value_named(std::string_view name, E last) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i)
    if (to_string(static_cast<E>(i)) == name) return static_cast<E>(i);
  return std::nullopt;
}

[[nodiscard]] inline std::optional<DType> dtype_named(std::string_view name) { return value_named(name, DType::c128); }
[[nodiscard]] inline std::optional<Role> role_named(std::string_view name) { return value_named(name, Role::metadata); }

}  // namespace spress::io
