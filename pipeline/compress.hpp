// From a matrix to a .spress file: ordering, format and value store chosen or given.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formats/io/container.hpp"
#include "formats/matrix.hpp"
#include "formats/params.hpp"

namespace spress::pipeline {

struct CompressOptions {
  std::optional<Spec> format;       ///< none: the smallest of pacing_formats()
  std::string ordering = "none";    ///< or "auto": the smallest among none and rcm
  std::optional<StoreKind> values;  ///< none: the smallest that holds these values
  int level = 6;                    ///< of zstd
  int threads = 0;
};

struct CompressResult {
  std::string format, parameters, ordering, values;
  std::uint64_t csr_bytes = 0;      ///< CSR with raw values
  std::uint64_t encoded_bytes = 0;  ///< of the arrays, in memory
  std::uint64_t file_bytes = 0;
  double seconds = 0;  ///< choosing, encoding and writing
};

/// "smallest" is by exact bytes in memory; ties go to the first of the list.
/// Errors: usage; not_applicable where the ordering, format or store asked for cannot hold the matrix; unwritable.
[[nodiscard]] Result<CompressResult> compress(const Matrix& matrix, const CompressOptions& options,
                                              const std::filesystem::path& path);

}  // namespace spress::pipeline
