// From a matrix to a .spress file: ordering, format and value store chosen or given.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formats/core/matrix.hpp"
#include "formats/core/params.hpp"
#include "formats/io/container/container.hpp"
#include "pipeline/choose.hpp"

namespace spress::pipeline {

struct CompressOptions {
  std::optional<Spec> format;              ///< none: the best of candidate_formats()
  std::string ordering = "none";           ///< or "auto": the best of auto_orderings()
  std::optional<StoreKind> values;         ///< none: the best that holds these values
  Goal goal = Goal::size;                  ///< what "best" means
  std::optional<Calibration> calibration;  ///< of the device that shall multiply; needed for all goals but size
  double products = 1;                     ///< after a transfer, where that is the goal
  bool all_exact = false;                  ///< compare all candidates by exact bytes, not by those of a sample
  int level = 6;                           ///< of zstd
  int threads = 0;
  std::string made_from = {};  ///< as in ContainerInfo

  /// Everything that shapes the file, as one line.
  [[nodiscard]] std::string text() const;
};

struct CompressResult {
  std::string format, parameters, ordering, values;
  std::uint64_t csr_bytes = 0;      ///< CSR with raw values
  std::uint64_t encoded_bytes = 0;  ///< of the arrays, in memory
  std::uint64_t file_bytes = 0;
  double seconds = 0;            ///< choosing, encoding and writing
  reports::ChoiceRecord choice;  ///< what was chosen, and among what
};

/// Of what is best alike, the first of the list is taken.
/// Errors: usage; not_applicable where the ordering, format or store asked for cannot hold the matrix; unwritable.
[[nodiscard]] Result<CompressResult> compress(const Matrix& matrix, const CompressOptions& options,
                                              const std::filesystem::path& path);

}  // namespace spress::pipeline
