// Options, output and errors of all subcommands. Only this folder prints or exits.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line/registry.hpp"
#include "formats/core/names.hpp"
#include "formats/core/params.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/read_options.hpp"
#include "formats/json/text.hpp"
#include "formats/values/store_names.hpp"

namespace spress::cli {

/// Exit codes: a contract.
enum ExitCode : int { good = 0, found_false = 1, failed = 2 };

/// Options that every subcommand takes.
struct Common {
  bool json = false;   ///< one JSON document (or one line per matrix) on stdout and nothing else
  bool quiet = false;  ///< no status on stderr
  bool no_progress = false;
  int threads = 0;               ///< 0: OpenMP's default
  io::ReadOptions reading = {};  ///< of matrices; `threads` above counts
};

using Json = json::Value;

/// The path to read for an input that is called `-`.
[[nodiscard]] std::string standard_input(const std::string& path);

/// Text on stderr. A full or closed stderr is no failure: there is nobody to tell.
void write_stderr(const std::string& text);
/// Replaces the line of the terminal on stderr that shows progress; text is cut to its width.
void write_progress(const std::string& text);
/// Prints "spress: error: ..." to stderr; returns ExitCode::failed.
int report(const Error& error);
/// Tells of what failed while the rest of the work goes on, also if quiet. progress: a line of it may stand there.
void tell_failure(const std::string& what, bool progress = false);
/// A status line on stderr unless quiet.
void status(const Common& common, const std::string& line);

/// Text on stdout.
void print(const std::string& text);
/// An answer on stdout; its first line stands out on a terminal.
void print_answer(const std::string& text);
/// One JSON document on stdout, on one line; bytes that are no UTF-8 are replaced.
void print_json(const Json& json);

/// "1.5 MB" with powers of 1000.
std::string human_bytes(std::uint64_t bytes);

/// Parses --formats; nothing means every format of the list. Errors: usage.
Result<std::vector<Spec>> parse_formats(const std::string& text);

void add_analyze(Registry& registry);
void add_compare(Registry& registry);
void add_reorder(Registry& registry);
void add_encode(Registry& registry);
void add_decode(Registry& registry);
void add_convert(Registry& registry);
void add_info(Registry& registry);
void add_merge(Registry& registry);
void add_verify(Registry& registry);
void add_solve(Registry& registry);
void add_bench(Registry& registry);
void add_transfer(Registry& registry);
void add_calibrate(Registry& registry);
void add_generate(Registry& registry);
void add_report(Registry& registry);
void add_list(Registry& registry);

}  // namespace spress::cli
