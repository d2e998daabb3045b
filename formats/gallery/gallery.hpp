// Generated matrices: the same bits for the same parameters on every machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/params.hpp"
#include "formats/core/result.hpp"
#include "formats/gallery/problem.hpp"

namespace spress::gallery {

struct Entry {
  std::string name;
  std::string summary;
  std::vector<OptionText> options;  ///< with their defaults
};

/// All generators, in the order in which they are listed.
[[nodiscard]] std::vector<Entry> entries();

/// Checks the name and the parameters' names and numbers, but not whether the numbers fit together.
/// Errors: usage.
[[nodiscard]] Status check(const Spec& spec);

/// Builds a matrix: `spec` is NAME:key=value,... (without the leading "gen:").
/// Errors: usage, for an unknown name (listing the choices) or parameter; too_large.
[[nodiscard]] Result<Matrix> generate(const Spec& spec);

/// The linear system that the matrix of `spec` comes from, if the generator has one and the values are its own.
/// Errors: as generate.
[[nodiscard]] Result<std::optional<Problem>> problem_of(const Spec& spec);

}  // namespace spress::gallery
