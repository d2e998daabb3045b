#include "formats/io/readers/metis.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/entries/assemble.hpp"
#include "formats/io/entries/mirrored_pairs.hpp"
#include "formats/io/entries/numbers.hpp"
#include "formats/io/entries/words.hpp"

namespace spress::io {
namespace {

/// The words of a text line by line, lines of any length: a vertex may have millions of neighbours.
class LineWords {
 public:
  explicit LineWords(ByteStream& stream) : stream_(stream) {}

  /// Goes to the next line that is no comment. False at the end of the text.
  Result<bool> next_line() {
    for (;;) {
      if (in_line_) SPRESS_CHECK(skip_line());
      SPRESS_TRY(const char c, peek());
      if (c == end_of_text) return false;
      ++line_;
      in_line_ = true;
      if (c != '%') return true;
    }
  }
  /// The next word of the line; empty at its end. It lives until the next call.
  Result<std::string_view> next_word() {
    word_.clear();
    for (;;) {
      SPRESS_TRY(const char c, peek());
      if (c == '\n' || c == end_of_text) return std::string_view(word_);
      if (is_blank(c)) {
        if (!word_.empty()) return std::string_view(word_);
      } else {
        if (word_.size() < longest_word) word_ += c;
      }
      ++at_;
    }
  }
  [[nodiscard]] std::uint64_t line() const { return line_; }

 private:
  static constexpr char end_of_text = '\0';
  static constexpr std::size_t longest_word = 64;

  Result<char> peek() {
    if (at_ == buffer_.size() && !ended_) {
      constexpr std::size_t piece = std::size_t{256} << 10;
      buffer_.resize(piece);
      SPRESS_TRY(const std::size_t got, stream_.read(buffer_.data(), piece));
      buffer_.resize(got);
      at_ = 0;
      ended_ = got < piece;
    }
    if (at_ == buffer_.size()) return end_of_text;
    return buffer_[at_] == end_of_text ? '?' : buffer_[at_];  // a zero byte is no digit either
  }
  Status skip_line() {
    for (;;) {
      SPRESS_TRY(const char c, peek());
      if (c == end_of_text) break;
      ++at_;
      if (c == '\n') break;
    }
    in_line_ = false;
    return Ok{};
  }

  ByteStream& stream_;
  std::string buffer_, word_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 0;
  bool in_line_ = false, ended_ = false;
};

struct MetisHead {
  std::uint64_t vertices = 0, edges = 0;
  std::uint64_t skipped = 0;  ///< numbers of a vertex before its neighbours: its size and weights
  bool edge_weights = false;
};

Result<std::vector<std::string>> rest_of_line(LineWords& words) {
  std::vector<std::string> all;
  for (;;) {
    SPRESS_TRY(const std::string_view word, words.next_word());
    if (word.empty()) return all;
    all.emplace_back(word);
    if (all.size() > 4) return all;
  }
}

Result<MetisHead> read_head(LineWords& words) {
  SPRESS_TRY(const bool more, words.next_line());
  if (!more) return Error{ErrorCode::truncated, "is empty; it must begin with: vertices edges [fmt [ncon]]"};
  SPRESS_TRY(const auto numbers, rest_of_line(words));
  if (numbers.size() < 2 || numbers.size() > 4)
    return syntax("the first line must hold 2 to 4 numbers: vertices edges [fmt [ncon]]; it holds " +
                  std::to_string(numbers.size()));
  MetisHead head;
  SPRESS_TRY(head.vertices, parse_side("vertices", numbers[0]));
  SPRESS_TRY(head.edges, parse_count(numbers[1]));
  if (head.edges > std::uint64_t{1} << 62)
    return Error{ErrorCode::too_large, "says it has " + numbers[1] + " edges, more than any file lists"};
  const std::string kind =
      numbers.size() > 2 ? std::string(3 - std::min<std::size_t>(3, numbers[2].size()), '0') + numbers[2] : "000";
  if (kind.size() != 3 || kind.find_first_not_of("01") != std::string::npos)
    return syntax("fmt is '" + printable(kind) +
                  "'; it must be three digits 0 or 1: sizes, weights of vertices, of edges");
  std::uint64_t weights = kind[1] == '1' ? 1 : 0;
  if (numbers.size() > 3) {
    SPRESS_TRY(const std::uint64_t ncon, parse_count(numbers[3]));
    if (weights == 1) weights = ncon;
  }
  head.skipped = weights + (kind[0] == '1' ? 1 : 0);
  head.edge_weights = kind[2] == '1';
  return head;
}

/// The neighbours of vertex `vertex`, from 0.
Status read_vertex(LineWords& words, const MetisHead& head, std::uint32_t vertex, EntryCollector& entries) {
  for (std::uint64_t k = 0; k < head.skipped; ++k) {
    SPRESS_TRY(const std::string_view word, words.next_word());
    if (word.empty()) return syntax("the vertex has fewer numbers than its size and weights take");
    SPRESS_CHECK(parse_real(word));
  }
  for (;;) {
    SPRESS_TRY(std::string_view word, words.next_word());
    if (word.empty()) return Ok{};
    auto neighbour = parse_count(word);
    if (!neighbour.ok() && neighbour.error().code == ErrorCode::syntax) return std::move(neighbour).error();
    if (!neighbour.ok() || *neighbour - 1 >= head.vertices)
      return Error{ErrorCode::out_of_range, "vertex " + printable(word) + " does not exist: 1 to " +
                                                std::to_string(head.vertices) + " are valid"};
    if (*neighbour - 1 == vertex) return syntax("vertex " + printable(word) + " is its own neighbour");
    double weight = 0;
    if (head.edge_weights) {
      SPRESS_TRY(word, words.next_word());
      if (word.empty()) return syntax("the last neighbour has no weight");
      SPRESS_TRY(weight, parse_integer(word));
    }
    entries.add(vertex, static_cast<std::uint32_t>(*neighbour - 1), weight);
    if (entries.entries() > 2 * head.edges)
      return syntax("there are more neighbours than 2 x " + std::to_string(head.edges) + ", as the first line says");
  }
}

/// The first vertex with an edge that its other end does not list with the same weight; none where there is none.
std::optional<std::uint64_t> first_lopsided(const Csr<Viewed>& a) {
  const auto* values = a.values.type == ValueType::none ? nullptr : a.values.codes.as<double>();
  return with_positions(a.row_ptr, [&](const auto* row_ptr) -> std::optional<std::uint64_t> {
    const bool good = for_mirrored_pairs(
        a, row_ptr, [](auto) { return true; },
        [&](auto below, auto above) { return values == nullptr || values[below] == values[above]; });
    if (good) return std::nullopt;
    for (std::uint64_t r = 0; r < a.rows; ++r)
      for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
        const std::uint32_t c = a.col_idx[k];
        const auto* at = std::lower_bound(a.col_idx.data() + row_ptr[c], a.col_idx.data() + row_ptr[c + 1], r);
        const auto mirrored = static_cast<std::uint64_t>(at - a.col_idx.data());
        if (mirrored == row_ptr[c + 1] || *at != r || (values != nullptr && values[mirrored] != values[k])) return r;
      }
    return std::nullopt;
  });
}

}  // namespace

Result<Matrix> read_metis(MatrixInput& input, const ReadOptions& options) {
  LineWords words(input.stream());
  const auto here = [&](auto result) { return with_line(std::move(result), words.line()); };
  SPRESS_TRY(const MetisHead head, here(read_head(words)));
  MatrixHead what;
  what.field = head.edge_weights ? Field::integer : Field::pattern;
  what.rows = what.cols = head.vertices;
  EntryCollector entries(what.field);
  const std::uint64_t head_line = words.line();
  std::vector<std::uint64_t> comments;  // vertices before which lines were skipped, once for each line
  for (std::uint64_t vertex = 0; vertex < head.vertices; ++vertex) {
    const std::uint64_t before = words.line();
    SPRESS_TRY(const bool more, here(words.next_line()));
    if (!more)
      return here(Result<Matrix>(Error{ErrorCode::truncated, "ends after " + std::to_string(vertex) + " of " +
                                                                 std::to_string(head.vertices) + " vertices"}));
    comments.insert(comments.end(), words.line() - before - 1, vertex);
    SPRESS_CHECK(here(read_vertex(words, head, static_cast<std::uint32_t>(vertex), entries)));
  }
  for (;;) {
    SPRESS_TRY(const bool more, here(words.next_line()));
    if (!more) break;
    SPRESS_TRY(const std::string_view word, words.next_word());
    if (!word.empty())
      return here(Result<Matrix>(syntax("there are more lines than " + std::to_string(head.vertices) + " vertices")));
  }
  what.entries = entries.entries();
  if (what.entries != 2 * head.edges)
    return here(Result<Matrix>(syntax("there are " + std::to_string(what.entries) +
                                      " neighbours, and the first line says 2 x " + std::to_string(head.edges))));
  auto blocks = entries.take();
  SPRESS_TRY(Matrix matrix, matrix_of_entries(what, blocks, options.threads));
  if (const auto vertex = first_lopsided(view_of(matrix.csr))) {
    const auto skipped = std::upper_bound(comments.begin(), comments.end(), *vertex) - comments.begin();
    Error error = syntax("vertex " + std::to_string(*vertex + 1) +
                         " has a neighbour that does not list it, or lists it with another weight");
    error.line = head_line + *vertex + 1 + static_cast<std::uint64_t>(skipped);
    return error;
  }
  matrix.info.symmetry = Symmetry::symmetric;
  return matrix;
}

}  // namespace spress::io
