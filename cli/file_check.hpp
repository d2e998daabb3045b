// Which options name files, and what is refused about them before any work begins.
#pragma once

#include "cli/command.hpp"

namespace spress::cli {

/// Refuses, before anything is written: an output that is an input, inside a folder of inputs, or another output, by
/// whatever links; and an output whose ending stands for something else than what the option writes. `-` (standard
/// output) and what lies in /dev may be named as often as one likes.
/// Errors: usage.
[[nodiscard]] Status check_files(const Registry& registry);

}  // namespace spress::cli
