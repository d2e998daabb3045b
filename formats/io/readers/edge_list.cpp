#include "formats/io/readers/edge_list.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/checks.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/bytes/digits.hpp"
#include "formats/io/entries/assemble.hpp"
#include "formats/io/entries/exact_integer.hpp"
#include "formats/io/entries/line_blocks.hpp"
#include "formats/io/entries/numbers.hpp"
#include "formats/io/entries/read_blocks.hpp"
#include "formats/io/entries/words.hpp"

namespace spress::io {
namespace {

bool is_separator(char c) { return is_blank(c) || c == ',' || c == ';'; }

bool is_comment(std::string_view line) {
  const auto at = std::find_if_not(line.begin(), line.end(), is_blank);
  return at == line.end() || *at == '#' || *at == '%';
}

/// The first four words, and how many there are.
struct Words {
  std::array<std::string_view, 4> word;
  std::size_t count = 0, marks = 0;  ///< marks: commas and semicolons
  bool has_gap = false;              ///< a mark without a word before or behind it
};

Words words_of(std::string_view line) {
  Words out;
  std::size_t at = 0;
  for (;;) {
    std::size_t marks = 0;
    for (; at < line.size() && is_separator(line[at]); ++at) marks += is_blank(line[at]) ? 0 : 1;
    out.marks += marks;
    const std::size_t begin = at;
    while (at < line.size() && !is_separator(line[at])) ++at;
    out.has_gap |= marks > (out.count == 0 || at == begin ? 0 : 1);
    if (at == begin) return out;
    if (out.count < out.word.size()) out.word[out.count] = line.substr(begin, at - begin);
    ++out.count;
  }
}

// --- What comes before the entries.

/// What comments and the first entry say.
struct EdgeListHead {
  bool konect = false;  ///< whose ids begin with 1
  bool undirected = false, bipartite = false;
  bool multiplicities = false;              ///< values count edges of the same ends, each of which counts in `edges`
  std::uint64_t rows = 0, cols = 0;         ///< at least
  std::optional<std::uint64_t> edges = {};  ///< lines, at least
  std::size_t words = 2;                    ///< of a line
  std::string comments;

  [[nodiscard]] bool valued() const { return words > 2; }
};

constexpr std::size_t with_time = 4;  ///< words of a line: row, column, value, and when the edge was made

/// "# Nodes: 4039 Edges: 88234", "# Undirected graph: ...". Neither says with what ids begin.
void take_snap(std::string_view line, EdgeListHead& head) {
  const auto words = split_words(line.substr(1));
  for (std::size_t k = 0; k + 1 < words.size(); ++k) {
    const auto number = parse_number(words[k + 1], 10);
    if (!number) continue;
    if (words[k] == "Nodes:" && *number <= checks::largest_side) head.rows = head.cols = *number;
    if (words[k] == "Edges:") head.edges = *number;
  }
  if (words.size() > 1 && words[0] == "Undirected" && words[1].starts_with("graph")) head.undirected = true;
}

/// "% sym unweighted", and behind it "% 34 18 18": edges, rows, columns.
void take_konect(std::string_view line, bool first, EdgeListHead& head) {
  const auto words = split_words(line.substr(1));
  if (first) {
    if (words.size() < 2 || (words[0] != "sym" && words[0] != "asym" && words[0] != "bip")) return;
    head.konect = true;
    head.undirected = words[0] == "sym";
    head.bipartite = words[0] == "bip";
    head.multiplicities = words[1] == "positive";
  } else if (head.konect && !head.edges && words.size() == 3) {
    const auto edges = parse_number(words[0], 10), rows = parse_number(words[1], 10), cols = parse_number(words[2], 10);
    if (!edges || !rows || !cols || std::max(*rows, *cols) > checks::largest_side) return;
    head.edges = *edges;
    head.rows = *rows;
    head.cols = *cols;
  }
}

/// Where the entries begin.
struct Start {
  EdgeListHead head;
  std::uint64_t lines = 0, offset = 0;  ///< before
  std::string rest;                     ///< what a stream has given of them
};

bool begins_number(std::string_view word) {
  const char c = word.front();
  return (c >= '0' && c <= '9') || c == '-' || c == '+';
}

/// Names of columns: no word begins a number, in quotes or without.
bool is_names(const Words& words) {
  const auto quoted = [](std::string_view word) { return word.size() > 1 && (word[0] == '"' || word[0] == '\''); };
  return words.count > 0 &&
         std::none_of(words.word.begin(), words.word.begin() + std::min(words.count, words.word.size()),
                      [&](std::string_view word) { return begins_number(quoted(word) ? word.substr(1) : word); });
}

Error empty_word() {
  return syntax("a comma or semicolon has no word before or behind it; write a word on both sides");
}

Result<Start> read_head(LineReader& lines) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  constexpr std::size_t most_comments = std::size_t{64} << 20;
  Start start;
  std::size_t names = 0;
  for (bool first = true;; first = false) {
    start.lines = lines.lines();
    start.offset = lines.offset();
    std::string_view line;
    SPRESS_TRY(const bool more, lines.next(line));
    if (first && line.starts_with(byte_order_mark)) {
      line.remove_prefix(byte_order_mark.size());
      start.offset += byte_order_mark.size();
    }
    if (!more) return Error{ErrorCode::truncated, "has no entries: a list of edges has two or three words a line"};
    if (is_comment(line)) {
      if (line.starts_with('#')) take_snap(line, start.head);
      if (line.starts_with('%')) take_konect(line, first, start.head);
      if (!line.empty() && start.head.comments.size() + line.size() < most_comments)
        start.head.comments += '%' + std::string(line.substr(line.starts_with('%') ? 1 : 0)) + '\n';
      continue;
    }
    const Words words = words_of(line);
    if (words.has_gap) return empty_word();
    if (names == 0 && is_names(words)) {
      names = words.marks != 0 ? words.marks + 1 : words.count;  // a name may consist of words
      continue;
    }
    if (names != 0 && names != words.count)
      return syntax("the line has " + std::to_string(words.count) + " words below " + std::to_string(names) +
                    " names of columns");
    start.head.words = words.count;
    start.rest = std::string(line) + '\n' + std::string(lines.rest());
    return start;
  }
}

// --- The entries.

/// Ids as the file has them, which are lowered to begin with 0 once the base is known.
struct Found {
  std::atomic<std::uint64_t> most_row{0}, most_col{0};
  std::atomic<bool> zero{false}, fraction{false};  ///< an id 0; a value that is no exact integer
};

inline const char* skip_gap(const char* p) {
  while (*p == ' ' || *p == '\t') ++p;
  return p;
}

/// Blanks, or one comma or semicolon with blanks around it.
inline const char* need_separator(const char* p) {
  if (p == nullptr) return nullptr;
  const char* behind = skip_gap(p);
  if (*behind == ',' || *behind == ';') return skip_gap(behind + 1);
  return behind != p ? behind : nullptr;
}

struct Edge {
  std::uint64_t row = 0, col = 0;
  double value = 0;
};

/// The usual line; anything else, right or wrong, gives nullptr.
template <std::size_t LineWords>
const char* fast_line(const char* p, Edge& edge) {
  constexpr int most_digits = 10;
  p = need_separator(numbers::fast_unsigned(skip_gap(p), edge.row, most_digits));
  if (p == nullptr) return nullptr;
  p = numbers::fast_unsigned(p, edge.col, most_digits);
  if constexpr (LineWords > 2) {
    p = need_separator(p);
    if (p != nullptr) p = numbers::fast_real(p, edge.value);
    if (std::abs(edge.value) >= static_cast<double>(largest_exact_integer)) return nullptr;
  }
  if constexpr (LineWords == with_time) {
    double time = 0;
    p = need_separator(p);
    if (p != nullptr) p = numbers::fast_real(p, time);
  }
  if (p == nullptr || std::max(edge.row, edge.col) > checks::largest_side) return nullptr;
  p = skip_gap(p);
  p += *p == '\r';
  return *p == '\n' ? p + 1 : nullptr;
}

Result<std::uint64_t> careful_id(std::string_view word) {
  if (word.starts_with('"') || word.starts_with('\''))
    return syntax("the id " + printable(word) + " stands in quotes, which are not read; write the number alone");
  SPRESS_TRY(const std::uint64_t id, parse_count(word));
  if (id <= checks::largest_side) return id;
  return Error{ErrorCode::too_large, "the id " + printable(word) + " does not fit 32 bits (at most " +
                                         std::to_string(checks::largest_side) + "); number the vertices anew"};
}

/// Whole numbers are not rounded: whoever wants that writes 1e20 or a decimal point.
Result<double> careful_value(std::string_view word) {
  const bool whole = word.find_first_not_of("0123456789", word.find_first_not_of("+-")) == std::string_view::npos;
  if (whole) SPRESS_CHECK(parse_integer(word));
  return parse_real(word);
}

/// False for a blank line or a comment.
Result<bool> careful_line(std::string_view line, std::size_t wanted, Edge& edge) {
  if (is_comment(line)) return false;
  const Words words = words_of(line);
  if (words.has_gap) return empty_word();
  if (words.count != wanted)
    return syntax("the line has " + std::to_string(words.count) + " words where " + std::to_string(wanted) +
                  " are wanted, as in the first: row column" + (wanted > 2 ? " value" : "") +
                  (wanted == with_time ? " time" : ""));
  SPRESS_TRY(edge.row, careful_id(words.word[0]));
  SPRESS_TRY(edge.col, careful_id(words.word[1]));
  if (wanted > 2) {
    SPRESS_TRY(edge.value, careful_value(words.word[2]));
  }
  return true;
}

template <std::size_t LineWords>
void parse_lines(const TextBlock& text, BlockScratch& scratch, EntryBlock& block, Found& found) {
  std::uint64_t most_row = 0, most_col = 0;
  bool zero = false, fraction = false;
  Edge edge;
  for (const char* p = text.begin; p != text.end;) {
    const char* next = fast_line<LineWords>(p, edge);
    ++block.lines;
    if (next == nullptr) [[unlikely]] {
      const auto* end = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(text.end - p)));
      auto good = careful_line({p, end}, LineWords, edge);
      if (!good.ok()) {
        block.error = std::make_unique<Error>(std::move(good).error());
        return;
      }
      next = end + 1;
      if (!*good) {
        note_skipped_line(block);
        p = next;
        continue;
      }
    }
    p = next;
    scratch.rows[block.entries] = static_cast<std::uint32_t>(edge.row);
    scratch.cols[block.entries] = static_cast<std::uint32_t>(edge.col);
    if constexpr (LineWords > 2) {
      scratch.values[block.entries] = edge.value;
      fraction |= !is_exact_integer(edge.value);
    }
    most_row = std::max(most_row, edge.row);
    most_col = std::max(most_col, edge.col);
    zero |= edge.row == 0 || edge.col == 0;
    ++block.entries;
  }
  const auto raise = [](std::atomic<std::uint64_t>& to, std::uint64_t value) {
    std::uint64_t seen = to.load();
    while (seen < value && !to.compare_exchange_weak(seen, value)) {
    }
  };
  raise(found.most_row, most_row);
  raise(found.most_col, most_col);
  if (zero) found.zero = true;
  if (fraction) found.fraction = true;
}

Result<int> base_of(const EdgeListHead& head, const Found& found, const ReadOptions& options) {
  const std::optional<int> base = options.index_base || !head.konect ? options.index_base : std::optional(1);
  if (base == 1 && found.zero)
    return Error{ErrorCode::out_of_range,
                 "holds the id 0, and ids were to begin with 1 (--index-base 0 begins with 0)"};
  if (base) return *base;
  if (found.zero) return 0;
  return Error{ErrorCode::usage,
               "does not say whether its ids begin with 0 or 1, and has no id 0: give --index-base 0 or 1"};
}

/// Sides that hold every id.
void add_sides(const EdgeListHead& head, const Found& found, std::uint64_t base, MatrixHead& out) {
  out.rows = std::max(head.rows, found.most_row + 1 - base);
  out.cols = std::max(head.cols, found.most_col + 1 - base);
  if (!head.bipartite && head.rows == head.cols) out.rows = out.cols = std::max(out.rows, out.cols);
}

Status check_count(const EdgeListHead& head, std::uint64_t entries) {
  if (!head.edges || entries >= *head.edges || (head.multiplicities && head.valued())) return Ok{};
  return Error{ErrorCode::truncated, "ends after " + std::to_string(entries) + " of the " +
                                         std::to_string(*head.edges) + " edges that its comments count"};
}

/// What parses lines of so many words.
auto parser_of(std::size_t words) {
  return words == 2 ? parse_lines<2> : words == 3 ? parse_lines<3> : parse_lines<with_time>;
}

}  // namespace

Result<Matrix> read_edge_list(MatrixInput& input, const ReadOptions& options) {
  LineReader lines(input.stream());
  auto read = read_head(lines);
  SPRESS_TRY(const Start start, with_line(std::move(read), lines.lines()));
  const EdgeListHead& head = start.head;
  if (head.words < 2 || head.words > (head.konect ? with_time : 3)) {
    Error error = syntax("the line has " + std::to_string(head.words) +
                         " words; an edge has two, row and column, or three, with a value" +
                         (head.konect ? ", or four, with a time" : ""));
    error.line = start.lines + 1;
    return error;
  }
  const auto source = input.text_blocks(start.offset, start.rest);
  const bool valued = head.valued();
  Found found;
  const BlockContents contents{.values_per_entry = valued ? std::size_t{1} : 0};
  const auto parse = [&, parse_lines_of = parser_of(head.words)](const TextBlock& text, BlockScratch& scratch,
                                                                 EntryBlock& block) {
    parse_lines_of(text, scratch, block, found);
  };
  auto blocks = read_blocks(*source, contents, parse, thread_count(options.threads));
  SPRESS_CHECK(check_blocks(blocks, contents, start.lines));
  SPRESS_TRY(const int base, base_of(head, found, options));
  MatrixHead what;
  what.field = !valued ? Field::pattern : found.fraction ? Field::real : Field::integer;
  add_sides(head, found, static_cast<std::uint64_t>(base), what);
  SPRESS_CHECK(checks::sides(what.rows, what.cols));
  if (head.undirected && what.rows == what.cols) what.symmetry = Symmetry::symmetric;
  for (EntryBlock& block : blocks) {
    what.entries += block.entries;
    if (base == 0) continue;
    block.rows.lower(1);
    block.cols.lower(1);
  }
  SPRESS_CHECK(check_count(head, what.entries));
  SPRESS_TRY(Matrix matrix, matrix_of_entries(what, blocks, options.threads));
  if (valued && what.symmetry == Symmetry::symmetric && matrix.info.duplicates > 0)
    matrix.info.note =
        "the graph is undirected, and some edges are listed more than once, or at both ends; their "
        "values were added up";
  matrix.info.comments = head.comments;
  return matrix;
}

}  // namespace spress::io
