#include "cli/command_line/help_text.hpp"

#include <algorithm>
#include <string_view>

namespace spress::cli {
namespace {

constexpr std::size_t left_column = 36, right_column = 72;

/// The words in lines of at most `width` characters.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t length = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (length != 0) {
      const bool fits = length + 1 + word.size() <= width;
      out += fits ? ' ' : '\n';
      length = fits ? length + 1 : 0;
    }
    out += word;
    length += word.size();
  }
  return out;
}

}  // namespace

HelpText::HelpText() { column_width(left_column); }

std::string HelpText::make_option_opts(const CLI::Option* option) const {
  const bool has_flag = !option->get_lnames().empty() || !option->get_snames().empty();
  if (!has_flag || option->get_type_size() == 0) return {};
  const std::string type = option->get_type_name();  // a name, then the choices where there are any
  return " " + type.substr(0, type.find(":{"));
}

/// Names such as "IN... OUT" say themselves what may stand more than once.
std::string HelpText::make_option_usage(const CLI::Option* option) const {
  const std::string name = make_option_name(option, true);
  return name.find("...") == std::string::npos ? CLI::Formatter::make_option_usage(option) : name;
}

std::string HelpText::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
  return wrapped(text, right_column);
}

}  // namespace spress::cli
