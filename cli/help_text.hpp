// How --help looks: the default in brackets behind each description, long descriptions in several lines.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace spress::cli {

class HelpText : public CLI::Formatter {
 public:
  HelpText();
  /// What stands for the value: the name of its type, or its choices. Nothing for arguments without a flag.
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace spress::cli
