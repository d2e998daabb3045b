#include "formats/io/matrix_market/mm_body.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "formats/core/threads.hpp"
#include "formats/io/entries/numbers.hpp"
#include "formats/io/entries/words.hpp"

namespace spress::io {
namespace {

/// What every entry must obey.
struct Rules {
  std::uint64_t rows, cols;
  std::uint64_t above;  ///< column - row may be less than this: 1 keeps to the lower triangle, 0 also off the diagonal
  bool real_diagonal;   ///< hermitian
  bool is_unsigned;
  Symmetry symmetry;

  explicit Rules(const MmHeader& header)
      : rows(header.rows),
        cols(header.cols),
        above(header.symmetry == Symmetry::general          ? std::uint64_t{1} << 32
              : header.symmetry == Symmetry::skew_symmetric ? 0
                                                            : 1),
        real_diagonal(header.symmetry == Symmetry::hermitian),
        is_unsigned(header.is_unsigned),
        symmetry(header.symmetry) {}
};

struct Entry {
  std::uint64_t row = 1, col = 1;  ///< from 1
  double value[2] = {0, 0};
};

// --- The fast way: usual lines; anything else, right or wrong, gives nullptr.
// ------------------------------------------

inline bool is_gap(char c) { return c == ' ' || c == '\t'; }

inline const char* skip_gap(const char* p) {
  while (is_gap(*p)) ++p;
  return p;
}

inline const char* need_gap(const char* p) { return p != nullptr && is_gap(*p) ? skip_gap(p + 1) : nullptr; }

inline const char* fast_ids(const char* p, const Rules& rules, Entry& entry) {
  constexpr int most_digits = 10;
  p = need_gap(numbers::fast_unsigned(p, entry.row, most_digits));
  if (p == nullptr) return nullptr;
  p = numbers::fast_unsigned(p, entry.col, most_digits);
  const bool inside = entry.row - 1 < rules.rows && entry.col - 1 < rules.cols && entry.col < entry.row + rules.above;
  return inside ? p : nullptr;
}

template <Field F>
const char* fast_values(const char* p, const Rules& rules, Entry& entry) {
  if constexpr (F == Field::integer) {
    p = numbers::fast_integer(p, entry.value[0]);
    return rules.is_unsigned && entry.value[0] < 0 ? nullptr : p;
  } else if constexpr (F == Field::real) {
    return numbers::fast_real(p, entry.value[0]);
  } else {
    p = need_gap(numbers::fast_real(p, entry.value[0]));
    if (p == nullptr) return nullptr;
    return numbers::fast_real(p, entry.value[1]);
  }
}

template <Field F, bool Array>
const char* fast_line(const char* p, const Rules& rules, Entry& entry) {
  p = skip_gap(p);
  if constexpr (!Array) {
    p = fast_ids(p, rules, entry);
    if constexpr (F != Field::pattern) p = need_gap(p);
    if (p == nullptr) return nullptr;
  }
  if constexpr (F != Field::pattern) p = fast_values<F>(p, rules, entry);
  if (p == nullptr) return nullptr;
  if constexpr (F == Field::complex && !Array)
    if (rules.real_diagonal && entry.row == entry.col && entry.value[1] != 0) return nullptr;
  p = skip_gap(p);
  p += *p == '\r';
  return *p == '\n' ? p + 1 : nullptr;
}

// --- The careful way: any line.
// ---------------------------------------------------------------------------------------

std::string range(std::uint64_t last) {
  return last == 0 ? "there are none" : "1 to " + std::to_string(last) + " are valid";
}

Result<std::uint64_t> careful_id(std::string_view what, std::string_view word, std::uint64_t last) {
  auto id = parse_count(word);
  if (!id.ok() && id.error().code == ErrorCode::syntax) return std::move(id).error();
  if (!id.ok() || *id - 1 >= last)
    return Error{ErrorCode::out_of_range,
                 std::string(what) + ' ' + printable(word) + " does not exist: " + range(last)};
  return *id;
}

Status check_triangle(const Rules& rules, const Entry& entry) {
  if (entry.col < entry.row + rules.above) return Ok{};
  const std::string place = "entry (" + std::to_string(entry.row) + ", " + std::to_string(entry.col) + ')';
  if (entry.row == entry.col)
    return Error{ErrorCode::out_of_range, place + " is on the diagonal, which a skew-symmetric file leaves out"};
  return Error{ErrorCode::out_of_range,
               place + " is above the diagonal; a " + std::string(enum_name(rules.symmetry)) +
                   " file gives the lower triangle only (declare it general if both are given)"};
}

Status careful_value(Field field, const Rules& rules, std::string_view word, double& value) {
  SPRESS_TRY(value, field == Field::integer ? parse_integer(word, "; declare the field `real`") : parse_real(word));
  if (rules.is_unsigned && value < 0)
    return Error{ErrorCode::out_of_range, '\'' + printable(word) + "' is negative in an unsigned-integer matrix"};
  return Ok{};
}

constexpr std::size_t words_per_entry(Field field, bool array) {
  return (array ? 0u : 2u) + (field == Field::pattern ? 0u : field == Field::complex ? 2u : 1u);
}

std::string wanted_words(Field field, bool array) {
  std::string wanted = array ? "" : "row column";
  if (field == Field::pattern) return wanted;
  return wanted + (array ? "" : " ") + (field == Field::complex ? "real-part imaginary-part" : "value");
}

/// Reads a line; false for a blank line or a comment. Missing words are reported as `truncated`.
Result<bool> careful_line(std::string_view line, Field field, bool array, const Rules& rules, Entry& entry) {
  std::string_view words[4];
  std::size_t count = 0;
  for (auto word = next_word(line); !word.empty(); word = next_word(line), ++count)
    if (count < 4) words[count] = word;
  if (count == 0 || words[0][0] == '%') return false;
  const std::size_t wanted = words_per_entry(field, array);
  if (count != wanted)
    return Error{count < wanted ? ErrorCode::truncated : ErrorCode::syntax,
                 "the line has " + std::to_string(count) + " words where " + std::to_string(wanted) +
                     " are wanted: " + wanted_words(field, array)};
  if (!array) {
    SPRESS_TRY(entry.row, careful_id("row", words[0], rules.rows));
    SPRESS_TRY(entry.col, careful_id("column", words[1], rules.cols));
    SPRESS_CHECK(check_triangle(rules, entry));
  }
  for (std::size_t k = array ? 0 : 2; k < wanted; ++k)
    SPRESS_CHECK(careful_value(field, rules, words[k], entry.value[k - (array ? 0 : 2)]));
  if (!array && rules.real_diagonal && entry.row == entry.col && entry.value[1] != 0)
    return syntax("the diagonal of a hermitian matrix is real; this entry's imaginary part is '" + printable(words[3]) +
                  "', not 0");
  return true;
}

// --- A block of lines.
// -------------------------------------------------------------------------------------------------

template <Field F, bool Array>
void parse_lines(const TextBlock& text, const Rules& rules, BlockScratch& scratch, EntryBlock& block) {
  std::uint32_t* rows = scratch.rows.data();
  std::uint32_t* cols = scratch.cols.data();
  double* values = scratch.values.data();
  Entry entry;
  for (const char* p = text.begin; p != text.end;) {
    const char* next = fast_line<F, Array>(p, rules, entry);
    ++block.lines;
    if (next == nullptr) [[unlikely]] {
      const auto* line_end = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(text.end - p)));
      auto found = careful_line({p, line_end}, F, Array, rules, entry);
      if (!found.ok()) {
        const bool cut = text.unterminated && line_end + 1 == text.end;
        if (found.error().code == ErrorCode::truncated && !cut) found.error().code = ErrorCode::syntax;
        block.error = std::make_unique<Error>(std::move(found).error());
        return;
      }
      p = line_end + 1;
      if (!*found) {
        note_skipped_line(block);
        continue;
      }
    } else {
      p = next;
    }
    if constexpr (!Array) {
      *rows++ = static_cast<std::uint32_t>(entry.row - 1);
      *cols++ = static_cast<std::uint32_t>(entry.col - 1);
    }
    if constexpr (F != Field::pattern) *values++ = entry.value[0];
    if constexpr (F == Field::complex) *values++ = entry.value[1];
    ++block.entries;
  }
}

using ParseLines = void (*)(const TextBlock&, const Rules&, BlockScratch&, EntryBlock&);

ParseLines parser_for(const MmHeader& header) {
  switch (header.field) {
    case Field::pattern: return parse_lines<Field::pattern, false>;
    case Field::integer: return header.array ? parse_lines<Field::integer, true> : parse_lines<Field::integer, false>;
    case Field::complex: return header.array ? parse_lines<Field::complex, true> : parse_lines<Field::complex, false>;
    default: return header.array ? parse_lines<Field::real, true> : parse_lines<Field::real, false>;
  }
}

}  // namespace

ParseBlock mm_parser(const MmHeader& header) {
  return [parse = parser_for(header), rules = Rules(header)](const TextBlock& text, BlockScratch& scratch,
                                                             EntryBlock& block) { parse(text, rules, scratch, block); };
}

int useful_threads(const MmHeader& header, int asked) {
  constexpr std::uint64_t worth_a_thread = 1u << 14;
  const auto threads = static_cast<std::uint64_t>(thread_count(asked));
  return static_cast<int>(std::min(threads, 1 + header.entries / worth_a_thread));
}

BlockContents mm_contents(const MmHeader& header) {
  return {!header.array, values_per_entry(header.field), header.entries};
}

Status check_mm_end(const MmHeader& header, std::uint64_t entries, std::uint64_t lines) {
  if (entries >= header.entries) return Ok{};
  return Error{ErrorCode::truncated,
               "ends after " + std::to_string(entries) + " of the " + std::to_string(header.entries) +
                   " entries that the size line says",
               {},
               lines};
}

Result<std::vector<EntryBlock>> read_mm_body(LineBlocks& source, const MmHeader& header, std::uint64_t lines_before,
                                             int threads) {
  const BlockContents contents = mm_contents(header);
  auto blocks = read_blocks(source, contents, mm_parser(header), threads);
  BlockCheck check(contents, lines_before);
  for (const EntryBlock& block : blocks) SPRESS_CHECK(check.take(block));
  SPRESS_CHECK(check_mm_end(header, check.entries(), check.lines()));
  return blocks;
}

}  // namespace spress::io
