#include "cli/command_line/app.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/command_line/help_text.hpp"
#include "cli/command_line/version_text.hpp"

namespace spress::cli {

void define_commands(Registry& registry) {
  registry.app.set_version_flag("-V,--version", version_text(),
                                "Print the version and what was built in, with --json as JSON, and exit");
  registry.app.require_subcommand(1);
  registry.app.formatter(std::make_shared<HelpText>());
  registry.app.footer("\n'spress help SUBCOMMAND' says more of each.");
  for (auto add : {add_analyze, add_merge, add_reorder, add_encode, add_decode, add_convert, add_info, add_verify,
                   add_compare, add_bench, add_transfer, add_solve, add_calibrate, add_generate, add_report, add_list})
    add(registry);
}

std::vector<std::string> known_words(std::vector<std::string> words) {
  if (words.empty()) return words;
  if (words[0] == "help") {
    words.erase(words.begin());
    const bool bare = words.empty() || words[0].starts_with('-');
    words.insert(words.begin() + (bare ? 0 : 1), "--help");
  }
  std::replace(words.begin(), words.begin() + 1, std::string("analyse"), std::string("analyze"));
  return words;
}

}  // namespace spress::cli
