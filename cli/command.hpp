// What all subcommands share: registration, output, errors. Only this folder prints or exits.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

/// The kind of file an option writes; file_check.cpp lists the endings. results: a folder.
enum class Writes { matrix, converted, container, records, calibration, page, permutation, results };

/// The path to read for an input that is called `-`.
[[nodiscard]] std::string standard_input(const std::string& path);

/// Which values of an option name files of one sort.
enum class Values { all, but_last, last };

/// An option whose values name files: inputs, or outputs of a kind.
struct FileOption {
  const CLI::Option* option;
  std::optional<Writes> writes;
  bool or_folder = false;  ///< of an output: a folder where there are several inputs
  Values values = Values::all;

  [[nodiscard]] std::vector<std::string> paths() const;
  [[nodiscard]] std::string name() const;  ///< as messages call it
};

/// Registers a subcommand: its options go to the CLI::App handed back, its work into `run`.
struct Registry {
  CLI::App& app;
  std::function<int()> run;  ///< of the subcommand that was parsed
  std::string command_line;  ///< as it was typed, for records of measurements
  std::vector<FileOption> files = {};

  /// A subcommand with a footer that shows an example. `common` gets --json, -q and --threads.
  CLI::App* add(const std::string& name, const std::string& summary, const std::string& example, Common& common);
  /// Tell check_files of an option that names inputs, and of one that names an output. Return the option.
  CLI::Option* reads(CLI::Option* option);
  CLI::Option* writes(CLI::Option* option, Writes kind);
  /// The same for an output that is a folder where there are several inputs, or a folder of them.
  CLI::Option* writes_each(CLI::Option* option, Writes kind);
  /// Tells check_files of an option whose last value names an output, as writes_each does, and the others inputs.
  CLI::Option* converts(CLI::Option* option);
  /// Sets what happens when `command` is given.
  void on(CLI::App* command, std::function<int()> work);
};

/// Text on stderr. A full or closed stderr is no failure: there is nobody to tell.
void write_stderr(const std::string& text);
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

/// One of the names.
CLI::Validator one_of(const std::vector<std::string>& choices);

/// A number from low to high, ends included: unlike CLI::Range it refuses NaN.
CLI::Validator finite_range(double low, double high);

/// Parses --formats; nothing means every format of the list. Errors: usage.
Result<std::vector<Spec>> parse_formats(const std::string& text);

void add_analyze(Registry& registry);
void add_compare(Registry& registry);
void add_reorder(Registry& registry);
void add_encode(Registry& registry);
void add_decode(Registry& registry);
void add_convert(Registry& registry);
void add_info(Registry& registry);
void add_verify(Registry& registry);
void add_solve(Registry& registry);
void add_bench(Registry& registry);
void add_transfer(Registry& registry);
void add_calibrate(Registry& registry);
void add_generate(Registry& registry);
void add_report(Registry& registry);
void add_list(Registry& registry);

}  // namespace spress::cli
