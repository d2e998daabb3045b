// The output of `spress --version`.
#pragma once

#include <string>

namespace spress::cli {

/// "spress VERSION (COMMIT)", and a line for each thing that CMake decided about this build.
[[nodiscard]] std::string version_text();
/// version_text() as a JSON document.
[[nodiscard]] std::string version_json();

}  // namespace spress::cli
