#include "formats/io/readers/rb_header.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "formats/io/bytes/digits.hpp"
#include "formats/io/entries/numbers.hpp"
#include "formats/io/entries/words.hpp"
#include "formats/io/readers/rutherford_boeing.hpp"

namespace spress::io {
namespace {

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

bool is_type(std::string_view word) {
  const std::string type = lower_case(word);
  return type.size() == 3 && std::string_view("rcipq").find(type[0]) != std::string_view::npos &&
         std::string_view("suhzr").find(type[1]) != std::string_view::npos && (type[2] == 'a' || type[2] == 'e');
}

bool are_counts(const std::vector<std::string_view>& words, std::size_t first) {
  return words.size() > first && std::all_of(words.begin() + static_cast<std::ptrdiff_t>(first), words.end(),
                                             [](std::string_view word) { return parse_number(word, 10).has_value(); });
}

Result<std::string_view> next_line(LineReader& lines) {
  std::string_view line;
  SPRESS_TRY(const bool more, lines.next(line));
  if (!more) return Error{ErrorCode::truncated, "ends within the head, which has four lines"};
  return line;
}

Status read_type(std::string_view word, RbHeader& header) {
  if (!is_type(word))
    return syntax('\'' + printable(word) +
                  "' is no type of a matrix: three letters such as rua (real unsymmetric assembled) or psa");
  const std::string type = lower_case(word);
  header.field = type[0] == 'r'   ? Field::real
                 : type[0] == 'c' ? Field::complex
                 : type[0] == 'i' ? Field::integer
                                  : Field::pattern;
  header.symmetry = type[1] == 's'   ? Symmetry::symmetric
                    : type[1] == 'z' ? Symmetry::skew_symmetric
                    : type[1] == 'h' ? Symmetry::hermitian
                                     : Symmetry::general;
  if (type[2] == 'e')
    return Error{ErrorCode::unsupported,
                 "holds a matrix of elements (" + type + "), which is not read: assemble it first"};
  if (header.symmetry == Symmetry::hermitian && header.field != Field::complex) header.symmetry = Symmetry::symmetric;
  if (header.symmetry == Symmetry::skew_symmetric && header.field == Field::pattern)
    return syntax("a pattern has no signs and cannot be skew-symmetric");
  return Ok{};
}

Status read_sizes(std::string_view line, RbHeader& header) {
  const auto words = split_words(line);
  if (words.size() < 4) return syntax("the third line must hold a type, rows, columns, entries");
  SPRESS_CHECK(read_type(words[0], header));
  SPRESS_TRY(header.rows, parse_side("rows", words[1]));
  SPRESS_TRY(header.cols, parse_side("columns", words[2]));
  SPRESS_TRY(header.entries, parse_count(words[3]));
  if (header.entries >> 56 != 0)
    return Error{ErrorCode::too_large, std::to_string(header.entries) + " entries are more than any file holds"};
  return check_square(header.symmetry, header.rows, header.cols);
}

/// The text from the next ( to its ), taken off the line.
std::string_view next_format(std::string_view& line) {
  const std::size_t begin = line.find('(');
  if (begin == std::string_view::npos) return {};
  int open = 0;
  for (std::size_t at = begin; at < line.size(); ++at) {
    open += line[at] == '(' ? 1 : line[at] == ')' ? -1 : 0;
    if (open > 0) continue;
    const std::string_view format = line.substr(begin, at + 1 - begin);
    line.remove_prefix(at + 1);
    return format;
  }
  return {};
}

Status read_formats(std::string_view line, RbHeader& header) {
  SPRESS_TRY(header.pointers, parse_fortran_format(next_format(line)));
  SPRESS_TRY(header.ids, parse_fortran_format(next_format(line)));
  if (!header.pointers.integer || !header.ids.integer)
    return syntax("the formats of pointers and row ids must be those of integers, such as (16I5)");
  if (header.field == Field::pattern) return Ok{};
  SPRESS_TRY(header.values, parse_fortran_format(next_format(line)));
  return Ok{};
}

Result<RbHeader> read(LineReader& lines) {
  RbHeader header;
  SPRESS_TRY(std::string_view line, next_line(lines));
  header.title = line.substr(0, line.find_last_not_of(" \r") + 1);
  SPRESS_TRY(line, next_line(lines));
  const auto counts = split_words(line);
  if (counts.size() < 4 || counts.size() > 5 || !are_counts(counts, 0))
    return syntax("the second line must count lines: all, of pointers, of row ids, of values, of right-hand sides");
  const bool has_values = parse_number(counts[3], 10) != 0u;
  const bool has_right_sides = counts.size() == 5 && parse_number(counts[4], 10) != 0u;
  SPRESS_TRY(line, next_line(lines));
  SPRESS_CHECK(read_sizes(line, header));
  if (!has_values && header.field != Field::pattern && header.entries > 0)
    return syntax("the type says that entries have values, and the second line that there are none");
  SPRESS_TRY(line, next_line(lines));
  SPRESS_CHECK(read_formats(line, header));
  if (has_right_sides) SPRESS_CHECK(next_line(lines));
  return header;
}

}  // namespace

bool begins_rutherford_boeing(std::string_view head) {
  std::vector<std::string_view> lines;
  while (lines.size() < 4) {
    const std::size_t end = head.find('\n');
    lines.push_back(head.substr(0, end));
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  if (lines.size() < 4 || !lines[3].substr(std::min(lines[3].find_first_not_of(' '), lines[3].size())).starts_with('('))
    return false;
  const auto counts = split_words(lines[1]), sizes = split_words(lines[2]);
  return counts.size() >= 4 && are_counts(counts, 0) && sizes.size() >= 4 && is_type(sizes[0]) && are_counts(sizes, 1);
}

Result<RbHeader> read_rb_header(LineReader& lines) {
  auto header = read(lines);
  return with_line(std::move(header), lines.lines());
}

}  // namespace spress::io
