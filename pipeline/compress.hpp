// From a matrix to a .spress file: what is chosen, or given, of ordering, format and value store.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formats/core/matrix.hpp"
#include "formats/core/params.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "pipeline/choose.hpp"

namespace spress::pipeline {

struct CompressOptions {
  bool for_file = false;  ///< a file of version 2, the smallest that holds the matrix: format, values and goal mean
                          ///< nothing then, and ordering "auto" takes the one with the smallest file
  bool seekable = false;  ///< for_file: rows can be read without the others
  std::optional<Spec> format;              ///< none: the best of candidate_formats()
  std::string ordering = "none";           ///< or "auto": the best of auto_orderings()
  std::optional<StoreKind> values;         ///< none: the best that holds these values
  Goal goal = Goal::memory;                ///< what "best" means
  std::optional<Calibration> calibration;  ///< of the device that shall multiply; needed for all goals but memory
  bool all_exact = false;                  ///< compare all candidates by exact bytes, not by those of a sample
  int level = 6;                           ///< of zstd
  bool comments = true;                    ///< keep those of the source
  int threads = 0;
  std::string made_from = {};  ///< as in ContainerInfo

  /// Everything that shapes the file, as one line.
  [[nodiscard]] std::string text() const;
};

struct CompressResult {
  std::string name;                                  ///< of the matrix
  std::string format, parameters, ordering, values;  ///< for_file: "matrix", "", the ordering, ""
  std::uint64_t nnz = 0;                             ///< of the matrix
  std::uint64_t csr_bytes = 0;                       ///< CSR with raw values
  std::uint64_t encoded_bytes = 0;                   ///< of the arrays, in memory; for_file: as csr_bytes
  std::uint64_t file_bytes = 0;
  double seconds = 0;            ///< choosing, encoding and writing
  reports::ChoiceRecord choice;  ///< what was chosen, and among what; empty for_file
};

/// The facts that a file keeps beside the matrix, in its original order.
[[nodiscard]] io::ContainerInfo container_info(MatrixInfo matrix, const CompressOptions& options);

/// How a file of version 2 is written.
[[nodiscard]] io::MatrixFileOptions file_options(const CompressOptions& options);

/// Of what is best alike, the first of the list is taken.
/// Errors: usage; not_applicable where the ordering, format or store asked for cannot hold the matrix; unwritable.
[[nodiscard]] Result<CompressResult> compress(const Matrix& matrix, const CompressOptions& options,
                                              const std::filesystem::path& path);

}  // namespace spress::pipeline
