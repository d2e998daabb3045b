#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/command.hpp"
#include "pipeline/version.hpp"

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

/// A parse that ended without work: help and version are good, the rest is bad usage.
int finish_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "" : " " + chosen[0]->get_name();
  fmt::print(stderr, "spress{}: error: {}\nTry 'spress{} --help'.\n", command, error.what(), command);
  return ExitCode::failed;
}

/// Output that could not be written is an error, whatever the work found.
int finish_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return report({ErrorCode::unwritable, "standard output cannot be written (full disk or closed pipe)", {}, 0});
}

int run(int argc, char** argv) {
  CLI::App app{"Press sparse matrices, and measure what storing them costs", "spress"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);
  Registry registry{app, {}};
  for (auto add :
       {add_analyze, add_reorder, add_encode, add_decode, add_info, add_verify, add_generate, add_report, add_list})
    add(registry);
  if (const auto name = unknown_command(app, argc, argv); !name.empty()) return complain_of_command(app, name);
  if (argc == 1) {
    fmt::print(stderr, "{}", app.help());
    return ExitCode::failed;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return finish_parse(app, error);
  }
  return finish_output(registry.run());
}

}  // namespace
}  // namespace spress::cli

int main(int argc, char** argv) {
  try {
    return spress::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("spress: error: not enough memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spress: error: %s\n", error.what());
  }
  return spress::cli::ExitCode::failed;
}
