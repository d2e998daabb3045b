#include "reports/text/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/text/text_table.hpp"

namespace spress::reports {

std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.size(), text.find(' '));
    const std::string word = shown(text.substr(0, end), width - 1);
    const std::size_t length = characters(word);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (column > 0 && column + length >= width) {
      lines += "\n";
      column = 0;
    }
    if (column > 0) lines += " ";
    lines += word;
    column += length + 1;
  }
  return lines + "\n";
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t most) {
  std::string lines = wrapped(text, width);
  std::size_t end = 0;
  for (std::size_t line = 0; line < most && end != lines.size(); ++line) end = lines.find('\n', end) + 1;
  if (end == lines.size()) return lines;
  lines.resize(end - 1);
  return lines + "…\n";
}

std::string answer_line(std::string_view text) { return shown(text, answer_columns) + "\n"; }

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : several);
}

std::string fixed(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}

std::string milliseconds(double seconds) { return std::isfinite(seconds) ? fmt::format("{:.4g}", 1e3 * seconds) : "-"; }

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 0.9995e-3) return fmt::format("{:.3g} µs", 1e6 * seconds);
  return seconds < 0.9995 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

std::string order_text(std::string_view ordering) {
  return ordering == "none" ? "the original order" : shown(ordering, 20) + " order";
}

std::string goal_text(std::string_view goal) {
  if (goal == "size" || goal == "memory") return "the fewest bytes in memory";
  if (goal == "file") return "the smallest file";
  if (goal == "spmv") return "the fastest predicted matrix-vector product";
  if (goal == "transfer") return "the fastest predicted transfer and product";
  return "the best by " + shown(goal, 20);
}

}  // namespace spress::reports
