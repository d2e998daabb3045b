// How every subcommand gets its matrix.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "pipeline/source.hpp"

namespace spress::cli {

/// pipeline::load; what a user has to know about the reading goes to stderr. Errors: those of load.
[[nodiscard]] inline Result<Matrix> load_matrix(const Common& common, const std::string& input, int threads) {
  auto matrix = pipeline::load(input, threads);
  if (matrix.ok() && !matrix->info.note.empty()) status(common, "spress: " + input + ": " + matrix->info.note);
  return matrix;
}
[[nodiscard]] inline Result<Matrix> load_matrix(const Common& common, const std::string& input) {
  return load_matrix(common, input, common.threads);
}

}  // namespace spress::cli
