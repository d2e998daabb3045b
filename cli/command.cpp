#include "cli/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/style.hpp"
#include "encode/shared/any.hpp"
#include "formats/core/names.hpp"
#include "reports/text/printable.hpp"
#include "reports/text/text_table.hpp"

namespace spress::cli {

std::string standard_input(const std::string& path) { return path == "-" ? "/dev/stdin" : path; }

void write_stderr(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void write_progress(const std::string& text) {
  struct winsize window = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  write_stderr("\r\033[K" + reports::shown(text, known ? window.ws_col - 1u : 79u));
}

int report(const Error& error) {
  write_stderr(
      fmt::format("spress: {} {}\n", styled("error:", Style::error, STDERR_FILENO), reports::printable(error.text())));
  return ExitCode::failed;
}

void tell_failure(const std::string& what, bool progress) {
  write_stderr(fmt::format("{}spress: {} {}\n", progress ? "\r\033[K" : "",
                           styled("failed:", Style::error, STDERR_FILENO), reports::printable(what)));
}

void status(const Common& common, const std::string& line) {
  if (!common.quiet) write_stderr(reports::printable(line) + "\n");
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_answer(const std::string& text) { print(with_headline(text, STDOUT_FILENO)); }

void print_json(const Json& json) { print(json.dump() + "\n"); }

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> units = {"B", "kB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

Result<std::vector<Spec>> parse_formats(const std::string& text) {
  if (text.empty()) return all_formats();
  SPRESS_TRY(auto specs, parse_spec_list(text));
  for (const Spec& spec : specs) SPRESS_CHECK(check_format(spec));
  return specs;
}

}  // namespace spress::cli
