// How every subcommand gets its matrix.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "pipeline/source.hpp"

namespace spress::cli {

/// Adds --kind, --index-base and --part, for subcommands that read files of any kind.
void add_reading(Command command, Common& common);

/// Tells what a user has to know about the reading of an input, if there is anything.
inline void tell_note(const Common& common, const std::string& input, const std::string& note) {
  if (!note.empty()) status(common, "spress: " + input + ": " + note);
}

/// pipeline::load; what a user has to know about the reading goes to stderr. Errors: those of load.
[[nodiscard]] inline Result<Matrix> load_matrix(const Common& common, const std::string& input, int threads) {
  io::ReadOptions reading = common.reading;
  reading.threads = threads;
  auto matrix = pipeline::load(input, reading);
  if (matrix.ok()) tell_note(common, input, matrix->info.note);
  return matrix;
}
[[nodiscard]] inline Result<Matrix> load_matrix(const Common& common, const std::string& input) {
  return load_matrix(common, input, common.threads);
}

}  // namespace spress::cli
