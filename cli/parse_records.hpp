// Records that a user names as input.
#pragma once

#include <sstream>
#include <string>

#include "cli/command.hpp"
#include "reports/records/record_file.hpp"

namespace spress::cli {

/// The records of a file. An incomplete last line, of a run that was killed, is left out, and told on stderr.
/// path: for messages. Errors: syntax, naming the first line that is no record.
[[nodiscard]] inline Result<reports::RecordFile> parse_records(const std::string& path, const std::string& text,
                                                               const Common& common) {
  std::istringstream in(text);
  auto read = reports::read_record_file(in);
  if (read.ends_torn && !read.bad_lines.empty()) {
    status(common, path + ": the incomplete last line is left out");
    read.bad_lines.pop_back();
  }
  if (!read.bad_lines.empty()) return Error{ErrorCode::syntax, read.bad_lines[0].error, path, read.bad_lines[0].number};
  return read;
}

}  // namespace spress::cli
