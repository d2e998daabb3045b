// A .spress file of a matrix that is larger than memory.
#pragma once

#include <filesystem>
#include <string>

#include "pipeline/compress.hpp"
#include "pipeline/stream/open_stream.hpp"

namespace spress::pipeline {

/// As compress. note: what a user has to know about the reading. Requires: options.for_file, and the original order.
/// Memory: stream.memory, of which 4 bytes are for each row, 8 where the matrix is square.
/// Errors: those of open_stream and io::write_rows. Throws std::bad_alloc.
[[nodiscard]] Result<CompressResult> encode_stream(const std::string& input, const io::ReadOptions& reading,
                                                   const CompressOptions& options, const StreamOptions& stream,
                                                   const std::filesystem::path& path, std::string& note);

}  // namespace spress::pipeline
