// The files that the build put into the library: the report's page, and the chart libraries where they were found.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace spress::reports {

struct EmbeddedFile {
  std::string_view name;
  std::string_view compressed;  ///< one frame of zstd
  std::size_t bytes;            ///< of the file
};

std::span<const EmbeddedFile> embedded_files();

/// Why the chart libraries are not among the files, or "" where they are.
std::string_view charts_missing_reason();

}  // namespace spress::reports
