#include "cli/style.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "pipeline/ranks/ranks.hpp"

namespace spress::cli {
namespace {

/// Source: no-color.org; an empty NO_COLOR is none.
bool wants_colour(int stream) {
  const char *no_color = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (terminal == nullptr || *terminal == '\0' || std::string_view(terminal) == "dumb") return false;
  if (pipeline::launched_processes() > 1) return false;  // mpirun gives each a terminal, wherever its own output goes
  return ::isatty(stream) != 0;
}

}  // namespace

std::string styled(std::string_view text, Style style, int stream) {
  if (text.empty() || !wants_colour(stream)) return std::string(text);
  const std::string_view begin = style == Style::error ? "\033[1;31m" : "\033[1m";
  return std::string(begin) + std::string(text) + "\033[0m";
}

std::string with_headline(std::string_view text, int stream) {
  const auto end = std::min(text.find('\n'), text.size());
  return styled(text.substr(0, end), Style::headline, stream) + std::string(text.substr(end));
}

}  // namespace spress::cli
