// Aligned tables of plain text for a terminal, and numbers written for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spress::reports {

enum class Align { left, right };

/// Columns as wide as their widest cell, two spaces between them, no trailing spaces.
class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::right;
  };
  explicit TextTable(std::vector<Column> columns);
  /// Cells are shown `printable`. Requires: as many cells as columns.
  void row(std::vector<std::string> cells);
  /// The titles, a rule, the rows; each line ends with a line end.
  std::string str() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t value);
/// 1234567 as "1.23 MB": three digits, powers of 1000.
std::string bytes_text(std::uint64_t bytes);
/// How many characters a UTF-8 text shows.
std::size_t characters(std::string_view text);
/// A name as `printable` text, cut to `width` characters with an ellipsis.
std::string shown(std::string_view name, std::size_t width);

}  // namespace spress::reports
