#include "reports/text/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "reports/text/printable.hpp"

namespace spress::reports {
namespace {

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes) {
    if (starts_character(text[bytes]) && count-- == 0) break;
  }
  return text.substr(0, bytes);
}

void append_padded(std::string& line, std::string_view cell, std::size_t width, Align align) {
  const std::string padding(width - std::min(width, characters(cell)), ' ');
  if (align == Align::right) line += padding;
  line += cell;
  if (align == Align::left) line += padding;
}

}  // namespace

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::str() const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles, rules;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(characters(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], characters(row[c]));
    titles.push_back(columns_[c].title);
    rules.push_back(std::string(widths[c], '-'));
  }
  std::string text;
  const auto append_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += "  ";
      append_padded(line, cells[c], widths[c], columns_[c].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  append_line(titles);
  append_line(rules);
  for (const auto& row : rows_) append_line(row);
  return text;
}

std::string grouped(std::uint64_t value) {
  std::string digits = fmt::to_string(value);
  for (std::size_t end = digits.size(); end > 3;) digits.insert(end -= 3, ",");
  return digits;
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array<const char*, 7> units = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double scaled = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; scaled >= 999.5; ++unit) scaled /= 1000;
  const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", scaled, decimals, units[unit]);
}

std::string shown(std::string_view name, std::size_t width) {
  std::string text = printable(name);
  if (characters(text) <= width) return text;
  return std::string(first_characters(text, width - 1)) + "…";
}

}  // namespace spress::reports
