#include "formats/io/matrix_market/mm_header.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "formats/io/entries/numbers.hpp"
#include "formats/io/entries/words.hpp"

namespace spress::io {
namespace {

std::string lower_case(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

/// A word that the banner may hold and what it means.
template <class T>
struct Choice {
  std::string_view word;
  T meaning;
};

template <class T, std::size_t N>
Result<T> choose(std::string_view what, const std::string& word, const std::array<Choice<T>, N>& choices) {
  std::string known;
  for (const auto& choice : choices) {
    if (choice.word == word) return choice.meaning;
    known += (known.empty() ? "" : ", ") + std::string(choice.word);
  }
  return syntax("the banner's " + std::string(what) + " '" + printable(word) +
                "' is unknown; it must be one of: " + known);
}

struct FieldWord {
  Field field;
  bool is_unsigned;
};
constexpr std::array<Choice<int>, 1> objects = {{{"matrix", 0}}};
constexpr std::array<Choice<bool>, 2> layouts = {{{"coordinate", false}, {"array", true}}};
constexpr std::array<Choice<FieldWord>, 6> fields = {{{"real", {Field::real, false}},
                                                      {"double", {Field::real, false}},
                                                      {"integer", {Field::integer, false}},
                                                      {"unsigned-integer", {Field::integer, true}},
                                                      {"complex", {Field::complex, false}},
                                                      {"pattern", {Field::pattern, false}}}};
constexpr std::array<Choice<Symmetry>, 4> symmetries = {{{"general", Symmetry::general},
                                                         {"symmetric", Symmetry::symmetric},
                                                         {"skew-symmetric", Symmetry::skew_symmetric},
                                                         {"hermitian", Symmetry::hermitian}}};

/// The combinations that the specification leaves out.
Status check_combination(const MmHeader& header) {
  if (header.field == Field::pattern && header.array)
    return syntax("an array has values; `pattern` goes with `coordinate` only");
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew_symmetric)
    return syntax("a pattern has no signs and cannot be skew-symmetric; it may be general or symmetric");
  if (header.symmetry == Symmetry::hermitian && header.field != Field::complex)
    return syntax("hermitian goes with the field `complex` only; where values are real, symmetric says the same");
  if (header.is_unsigned && header.symmetry == Symmetry::skew_symmetric)
    return syntax("unsigned integers cannot be skew-symmetric; declare the field `integer`");
  return Ok{};
}

Result<MmHeader> parse_banner(std::string_view line) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  const auto words = split_words(line);
  const std::string first = words.empty() ? "" : lower_case(words[0]);
  if (first != "%%matrixmarket" && first != "%matrixmarket")
    return syntax(
        "does not begin with the banner '%%MatrixMarket matrix coordinate|array FIELD SYMMETRY'; this is no Matrix "
        "Market file");
  if (line.find('\r') < line.find_last_not_of('\r'))
    return syntax("its lines end with carriage returns alone; replace them by line feeds, as by tr '\\r' '\\n'");
  if (words.size() != 5)
    return syntax("the banner has " + std::to_string(words.size()) +
                  " words where 5 are wanted: %%MatrixMarket matrix coordinate|array FIELD SYMMETRY");
  MmHeader header;
  SPRESS_CHECK(choose("object", lower_case(words[1]), objects));
  SPRESS_TRY(header.array, choose("format", lower_case(words[2]), layouts));
  SPRESS_TRY(const FieldWord field, choose("field", lower_case(words[3]), fields));
  SPRESS_TRY(header.symmetry, choose("symmetry", lower_case(words[4]), symmetries));
  header.field = field.field;
  header.is_unsigned = field.is_unsigned;
  SPRESS_CHECK(check_combination(header));
  return header;
}

/// Entries of the array format: all, the lower triangle, or the strictly lower triangle.
std::uint64_t array_entries(const MmHeader& header) {
  const std::uint64_t n = header.rows;
  switch (header.symmetry) {
    case Symmetry::general: return header.rows * header.cols;
    case Symmetry::skew_symmetric: return n == 0 ? 0 : n * (n - 1) / 2;
    default: return n * (n + 1) / 2;
  }
}

Status parse_sizes(std::string_view line, MmHeader& header) {
  const auto words = split_words(line);
  const std::size_t wanted = header.array ? 2 : 3;
  if (words.size() != wanted)
    return syntax(std::string("the size line must hold ") +
                  (header.array ? "2 numbers: rows columns" : "3 numbers: rows columns entries") + "; it holds " +
                  std::to_string(words.size()) + " words");
  SPRESS_TRY(header.rows, parse_side("rows", words[0]));
  SPRESS_TRY(header.cols, parse_side("columns", words[1]));
  SPRESS_CHECK(check_square(header.symmetry, header.rows, header.cols));
  if (header.array) {
    header.entries = array_entries(header);
    return Ok{};
  }
  SPRESS_TRY(header.entries, parse_count(words[2]));
  return Ok{};
}

/// The next line that is not blank and, once the banner is known, no comment; false at the end.
/// comments: where to add those on the way, or null where the banner is not known yet.
Result<bool> next_line_with_words(LineReader& lines, std::string* comments, std::string_view& line) {
  constexpr std::size_t most_comments = std::size_t{64} << 20;
  for (;;) {
    SPRESS_TRY(const bool more, lines.next(line));
    if (!more) return false;
    std::string_view rest = line;
    const std::string_view word = next_word(rest);
    if (word.empty()) continue;
    if (comments == nullptr || word[0] != '%') return true;
    if (comments->size() + line.size() < most_comments) comments->append(line).push_back('\n');
  }
}

Result<MmHeader> parse_header(LineReader& lines) {
  std::string_view line;
  SPRESS_TRY(bool more, next_line_with_words(lines, nullptr, line));
  if (!more) return Error{ErrorCode::truncated, "is empty; it must begin with the banner '%%MatrixMarket matrix ...'"};
  SPRESS_TRY(MmHeader header, parse_banner(line));
  SPRESS_TRY(more, next_line_with_words(lines, &header.comments, line));
  if (!more) return Error{ErrorCode::truncated, "ends before the size line"};
  SPRESS_CHECK(parse_sizes(line, header));
  return header;
}

}  // namespace

Result<MmHeader> read_mm_header(LineReader& lines) {
  auto header = parse_header(lines);
  return with_line(std::move(header), lines.lines());
}

}  // namespace spress::io
