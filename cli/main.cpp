#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <sstream>

#include "cli/command.hpp"
#include "cli/file_check.hpp"
#include "cli/help_text.hpp"
#include "cli/process.hpp"
#include "formats/core/isa.hpp"
#include "pipeline/version.hpp"
#include "reports/text/printable.hpp"

namespace spress::cli {
namespace {

std::string version_text() {
  const auto tool = pipeline::tool_record();
  return fmt::format("spress {}{}", tool.version, tool.commit.empty() ? "" : " (" + tool.commit + ")");
}

/// The subcommand's name if the first word is none, else nothing.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  const auto commands = app.get_subcommands(nullptr);
  const bool known =
      std::any_of(commands.begin(), commands.end(), [&](const CLI::App* c) { return c->get_name() == argv[1]; });
  return known ? "" : argv[1];
}

int complain_of_command(const CLI::App& app, const std::string& name) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands(nullptr))
    names += (names.empty() ? "" : ", ") + command->get_name();
  return report({ErrorCode::usage, "unknown subcommand '" + name + "'; the subcommands are " + names, {}, 0});
}

/// The flags that nothing took, as a complaint, or nothing: whoever mistyped one should hear of it first, not of what
/// else is missing.
std::string unknown_flags(const CLI::App& app) {
  std::string flags;
  for (const std::string& word : app.remaining(true))
    if (word.size() > 1 && word[0] == '-') flags += (flags.empty() ? "" : " ") + word;
  return flags.empty() ? flags : "The following argument was not expected: " + flags;
}

/// Output that could not be written is an error, whatever the work found.
int finish_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return report({ErrorCode::unwritable, "standard output cannot be written (full disk or closed pipe)", {}, 0});
}

/// A parse that ended without work: help and version are good, the rest is bad usage.
int finish_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    std::ostringstream text;
    app.exit(error, text, text);
    print(text.str());
    return finish_output(ExitCode::good);
  }
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "" : " " + chosen[0]->get_name();
  const bool missing = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  const std::string flags = missing ? unknown_flags(app) : "";
  write_stderr(fmt::format("spress{}: error: {}\nTry 'spress{} --help'.\n", command,
                           reports::printable(flags.empty() ? error.what() : flags), command));
  return ExitCode::failed;
}

/// The command line as a shell would take it again.
std::string command_line(int argc, char** argv) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,.:/@%";
  std::string line = "spress";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

/// SPRESS_ISA names the widest instruction set that the CPU code may use, or with ",exact" the one that every kernel
/// uses. Errors: usage, listing those that this processor has.
Status select_isa_of_environment() {
  const char* name = std::getenv("SPRESS_ISA");
  if (name == nullptr || *name == '\0') return Ok{};
  const Status selected = select_isa(std::string_view(name));
  if (selected.ok()) return Ok{};
  return Error{ErrorCode::usage, "SPRESS_ISA=" + selected.error().message, {}, 0};
}

/// An empty value is a variable of a script that was not set, and never the default. Options with a default of their
/// own say themselves what they want.
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& word : option->results())
        if (word.empty() && option->get_default_str().empty())
          throw CLI::ValidationError(option->get_name(), option->get_positional()
                                                             ? "the name is empty"
                                                             : "the value is empty; give one, or leave the option out");
}

int run(int argc, char** argv) {
  if (const Status selected = select_isa_of_environment(); !selected.ok()) return report(selected.error());
  CLI::App app{"Store sparse matrices in fewer bytes, and measure what that gains", "spress"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpText>());
  Registry registry{app, {}, command_line(argc, argv)};
  for (auto add : {add_analyze, add_reorder, add_encode, add_decode, add_info, add_verify, add_compare, add_bench,
                   add_transfer, add_solve, add_calibrate, add_generate, add_report, add_list})
    add(registry);
  if (const auto name = unknown_command(app, argc, argv); !name.empty()) return complain_of_command(app, name);
  if (argc == 1) {
    write_stderr(app.help());
    return ExitCode::failed;
  }
  try {
    app.parse(argc, argv);
    refuse_empty_values(app);
  } catch (const CLI::ParseError& error) {
    return finish_parse(app, error);
  }
  if (const Status good = check_files(registry); !good.ok()) return report(good.error());
  return finish_output(registry.run());
}

/// Set aside until memory ends: messages and some destructors allocate, too.
std::atomic<void*> reserve = std::malloc(std::size_t{1} << 20);

/// Gives the reserve back to the heap. What asked for memory fails all the same.
void release_reserve() {
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

}  // namespace
}  // namespace spress::cli

int main(int argc, char** argv) {
  spress::cli::prepare_process();
  std::set_new_handler(spress::cli::release_reserve);
  if (spress::cli::reserve == nullptr) {
    std::fputs("spress: error: not enough memory to begin\n", stderr);
    return spress::cli::end_process(spress::cli::ExitCode::failed);
  }
  int code = spress::cli::ExitCode::failed;
  try {
    code = spress::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("spress: error: not enough memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spress: error: %s\n", error.what());
  }
  return spress::cli::end_process(code);
}
