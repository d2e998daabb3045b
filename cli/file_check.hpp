// Which options name files, and what is refused about them before any work begins.
#pragma once

#include "cli/command.hpp"

namespace spress::cli {

/// Refuses, before anything is written: an output that is an input, inside a folder of inputs, or another output, by
/// whatever links; an output whose ending stands for something else than what the option writes; and a pipe named
/// twice. Whatever else lies in /dev may be named as often as one likes. Several inputs, or a folder of them, need a
/// folder to be written to. Errors: usage.
[[nodiscard]] Status check_files(const Registry& registry);

/// Standard output, or a device.
[[nodiscard]] bool is_stream(const std::string& path);

/// Whether there is one input, and it is no folder.
[[nodiscard]] bool is_one_file(const std::vector<std::string>& inputs);

/// Whether each input is written to a place of its own below `output`: there are several, or one is a folder, or
/// `output` is one or ends with a slash.
[[nodiscard]] bool writes_into_folder(const std::vector<std::string>& inputs, const std::string& output);

}  // namespace spress::cli
