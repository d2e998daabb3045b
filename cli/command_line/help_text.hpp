// The layout of --help. The default stands in brackets behind each description, and long descriptions are wrapped.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace spress::cli {

class HelpText : public CLI::Formatter {
 public:
  HelpText();
  /// Names the type of the value, or lists its choices. Returns nothing for arguments without a flag.
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_option_usage(const CLI::Option* option) const override;
};

}  // namespace spress::cli
