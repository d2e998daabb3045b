// The rows of an input that is larger than memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "formats/io/rows/row_stream.hpp"

namespace spress::pipeline {

/// How files larger than memory are worked on.
struct StreamOptions {
  std::uint64_t memory = std::uint64_t{256} << 20;  ///< bytes that the work on a matrix takes at most
  std::filesystem::path scratch = {};               ///< the folder of the scratch files; empty: the working folder
};

/// rows: of it, the caller's share of the memory alone counts. The stream's memory() is what is left of the options'
/// for the work itself, beside the program, its libraries and threads. Errors: those of io::open_rows; unsupported for
/// a generated matrix.
[[nodiscard]] Result<std::unique_ptr<io::RowStream>> open_stream(const std::string& input,
                                                                 const io::ReadOptions& reading,
                                                                 const StreamOptions& options,
                                                                 io::RowStreamOptions rows);

}  // namespace spress::pipeline
