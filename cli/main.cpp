#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_line/app.hpp"
#include "cli/command_line/complaints.hpp"
#include "cli/command_line/version_text.hpp"
#include "cli/file_check.hpp"
#include "cli/process.hpp"
#include "formats/core/isa.hpp"

namespace spress::cli {
namespace {

/// Output that could not be written is an error, whatever the work found.
int finish_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return report({ErrorCode::unwritable, "standard output cannot be written (full disk or closed pipe)"});
}

/// A parse that ended without work: help and version are good, the rest is bad usage.
int finish_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) return complain(app, error);
  std::ostringstream text;
  app.exit(error, text, text);
  print(text.str());
  return finish_output(ExitCode::good);
}

/// The command line as a shell would take it again.
std::string command_line(const std::vector<std::string>& words) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,.:/@%";
  std::string line = "spress";
  for (const std::string& word : words) {
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
  return Error{ErrorCode::usage, "SPRESS_ISA=" + selected.error().message};
}

/// Whether the words ask for the version as JSON: they name no subcommand that could say what --json means.
bool asks_for_version_json(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  return words.size() == 2 && has("--json") && (has("--version") || has("-V"));
}

int run(const std::vector<std::string>& typed) {
  if (const Status selected = select_isa_of_environment(); !selected.ok()) return report(selected.error());
  CLI::App app{about, "spress"};
  Registry registry{app, {}, command_line(typed)};
  define_commands(registry);
  std::vector<std::string> words = known_words(typed);
  if (names_no_command(app, words)) return complain_of_command(app, words[0]);
  if (words.empty()) {
    write_stderr(app.help());
    return ExitCode::failed;
  }
  if (asks_for_version_json(words)) {
    print(version_json() + "\n");
    return finish_output(ExitCode::good);
  }
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
    refuse_empty_values(app);
  } catch (const CLI::ParseError& error) {
    return finish_parse(app, error);
  }
  if (const Status good = check_files(registry); !good.ok()) return report(good.error());
  const auto code = registry.run();
  return finish_output(code.ok() ? *code : report(code.error()));
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
    code = spress::cli::run({argv + std::min(argc, 1), argv + argc});
  } catch (const std::bad_alloc&) {
    std::fputs("spress: error: not enough memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spress: error: %s\n", error.what());
  }
  return spress::cli::end_process(code);
}
