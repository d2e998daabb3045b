// Subcommands and their options, as the rest of the tool declares them. CLI11 parses them; its headers cost seconds of
// compiling, so only sources of command_line/, pages/ and main.cpp include them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/result.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of another library
class App;
class Option;
}  // namespace CLI

namespace spress::cli {

struct Common;

/// A positional argument, an option with values, or a flag. Copies are the same option.
class Option {
 public:
  explicit Option(CLI::Option* handle) : handle_(handle) {}

  Option& required();
  /// Names the values in --help.
  Option& type_name(const std::string& name);
  /// Shows the value that the variable has now as the default.
  Option& shows_default();
  Option& excludes(Option other);
  /// Takes two values or more.
  Option& at_least_two();
  /// Takes the path of standard input for `-`.
  Option& reads_paths();

  /// Refuses values that are none of these names.
  Option& one_of(const std::vector<std::string>& choices);
  /// Refuses values with a fault. fault_of(text): what is wrong with it, or nothing.
  Option& checked(std::function<std::string(const std::string&)> fault_of);
  /// Refuses values that are no whole number from low to high, ends included.
  Option& whole_number(std::uint64_t low, std::uint64_t high);
  /// Refuses values that are no number from low to high, ends included. NaN is none.
  Option& number(double low, double high);

  [[nodiscard]] bool given() const;
  [[nodiscard]] bool positional() const;
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::vector<std::string> values() const;
  [[nodiscard]] const CLI::Option* handle() const { return handle_; }

 private:
  CLI::Option* handle_;
};

/// A subcommand. Copies are the same subcommand.
class Command {
 public:
  explicit Command(CLI::App* handle) : handle_(handle) {}

  /// `names` as "-o,--output", or as "OUT" for a positional argument. What is given goes to `value`: a string, strings,
  /// an int, which may be optional, std::uint64_t or double. It must outlive the parsing.
  template <class T>
  Option add_option(const std::string& names, T& value, const std::string& help) const;
  /// An option whose value is one of the choices. `value` is the default.
  Option add_choice(const std::string& names, std::string& value, const std::vector<std::string>& choices,
                    const std::string& help) const;
  Option add_flag(const std::string& names, bool& value, const std::string& help) const;

  [[nodiscard]] CLI::App* handle() const { return handle_; }

 private:
  CLI::App* handle_;
};

/// The kind of file an option writes; file_check.cpp lists the endings. results: a folder.
enum class Writes { matrix, converted, container, records, calibration, page, permutation, results };

/// Which values of an option name files of one sort.
enum class Values { all, but_last, last };

/// An option whose values name files: inputs, or outputs of a kind.
struct FileOption {
  Option option;
  std::optional<Writes> writes;
  bool or_folder = false;  ///< of an output: a folder where there are several inputs
  Values values = Values::all;

  [[nodiscard]] std::vector<std::string> paths() const;
  [[nodiscard]] std::string name() const;  ///< as messages call it
};

/// All subcommands: their options go to the Command handed back, their work into `run`.
struct Registry {
  CLI::App& app;
  std::function<Result<int>()> run;  ///< of the subcommand that was parsed: its exit code
  std::string command_line;          ///< as it was typed, for records of measurements
  std::vector<FileOption> files = {};

  /// A subcommand with a footer that shows an example. `common` gets --json, -q and --threads.
  Command add(const std::string& name, const std::string& summary, const std::string& example, Common& common);
  /// Registers an option that names inputs for check_files, and returns it.
  Option reads(Option option);
  /// Registers an option that names an output.
  Option writes(Option option, Writes kind);
  /// Registers an option that names a file for one input, and a folder for several inputs or a folder of them.
  Option writes_each(Option option, Writes kind);
  /// Registers an option whose last value names an output, as writes_each does, and the others inputs.
  Option converts(Option option);
  /// Whether --json was given.
  [[nodiscard]] bool json() const;
  /// Sets what happens when `command` is given.
  void on(Command command, std::function<Result<int>()> work);
};

}  // namespace spress::cli
