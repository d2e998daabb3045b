// Writes the manual pages and completions of the tool when it is built: spress_pages FOLDER DATE.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "cli/command_line/app.hpp"
#include "cli/pages/texts.hpp"
#include "pipeline/version.hpp"

namespace spress::cli::pages {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(file.string() + " cannot be written");
}

void write_all(const std::filesystem::path& folder, const std::string& date) {
  CLI::App app{about, "spress"};
  Registry registry{app, {}, ""};
  define_commands(registry);
  const auto all = described(registry);
  const std::string version = "spress " + pipeline::tool_record().version;
  for (const DescribedCommand& command : all)
    write(folder / "man" / (command.name.empty() ? "spress.1" : "spress-" + command.name + ".1"),
          manual_page(command, all, version, date));
  write(folder / "bash" / "spress", bash_completion(all));
  write(folder / "zsh" / "_spress", zsh_completion(all));
  write(folder / "fish" / "spress.fish", fish_completion(all));
}

}  // namespace
}  // namespace spress::cli::pages

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: spress_pages FOLDER DATE");
    spress::cli::pages::write_all(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spress_pages: %s\n", error.what());
    return 1;
  }
}
