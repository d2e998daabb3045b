// A small file as one text: records, calibrations.
#pragma once

#include <filesystem>
#include <string>

#include "formats/core/result.hpp"

namespace spress::io {

/// All of a file, or of what a pipe gives. Errors: not_found, unreadable (also for a folder); truncated where a file
/// becomes shorter meanwhile; syntax for a pipe or device that holds a byte 0.
[[nodiscard]] Result<std::string> read_text(const std::filesystem::path& path);

}  // namespace spress::io
