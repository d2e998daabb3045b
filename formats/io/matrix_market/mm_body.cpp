#include "formats/io/matrix_market/mm_body.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "formats/core/threads.hpp"
#include "formats/io/matrix_market/numbers.hpp"

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

Error syntax(std::string message) { return {ErrorCode::syntax, std::move(message), {}, 0}; }

std::string range(std::uint64_t last) {
  return last == 0 ? "there are none" : "1 to " + std::to_string(last) + " are valid";
}

Result<std::uint64_t> careful_id(std::string_view what, std::string_view word, std::uint64_t last) {
  auto id = parse_count(word);
  if (!id.ok() && id.error().code == ErrorCode::syntax) return std::move(id).error();
  if (!id.ok() || *id - 1 >= last)
    return Error{
        ErrorCode::out_of_range, std::string(what) + ' ' + printable(word) + " does not exist: " + range(last), {}, 0};
  return *id;
}

Status check_triangle(const Rules& rules, const Entry& entry) {
  if (entry.col < entry.row + rules.above) return Ok{};
  const std::string place = "entry (" + std::to_string(entry.row) + ", " + std::to_string(entry.col) + ')';
  if (entry.row == entry.col)
    return Error{ErrorCode::out_of_range, place + " is on the diagonal, which a skew-symmetric file leaves out", {}, 0};
  return Error{ErrorCode::out_of_range,
               place + " is above the diagonal; a " + std::string(enum_name(rules.symmetry)) +
                   " file gives the lower triangle only (declare it general if both are given)",
               {},
               0};
}

Status careful_value(Field field, const Rules& rules, std::string_view word, double& value) {
  SPRESS_TRY(value, field == Field::integer ? parse_integer(word) : parse_real(word));
  if (rules.is_unsigned && value < 0)
    return Error{
        ErrorCode::out_of_range, '\'' + printable(word) + "' is negative in an unsigned-integer matrix", {}, 0};
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
                     " are wanted: " + wanted_words(field, array),
                 {},
                 0};
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

/// Entries of one block before they are packed; reused from block to block.
struct Scratch {
  HostArray<std::uint32_t> rows, cols;
  HostArray<double> values;

  void reserve(std::size_t text_bytes) {
    // The shortest line of a pattern has 4 bytes, and a value takes 2 at least.
    if (values.size() >= text_bytes / 2 + 1) return;
    rows = HostArray<std::uint32_t>(text_bytes / 4 + 1);
    cols = HostArray<std::uint32_t>(text_bytes / 4 + 1);
    values = HostArray<double>(text_bytes / 2 + 1);
  }
};

void note_skipped_line(EntryBlock& block) {
  if (!block.skipped.empty() && block.skipped.back().first + block.skipped.back().count == block.lines)
    ++block.skipped.back().count;
  else
    block.skipped.push_back({block.lines, 1});
}

template <Field F, bool Array>
void parse_lines(const TextBlock& text, const Rules& rules, Scratch& scratch, EntryBlock& block) {
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

using ParseLines = void (*)(const TextBlock&, const Rules&, Scratch&, EntryBlock&);

ParseLines parser_for(const MmHeader& header) {
  switch (header.field) {
    case Field::pattern: return parse_lines<Field::pattern, false>;
    case Field::integer: return header.array ? parse_lines<Field::integer, true> : parse_lines<Field::integer, false>;
    case Field::complex: return header.array ? parse_lines<Field::complex, true> : parse_lines<Field::complex, false>;
    default: return header.array ? parse_lines<Field::real, true> : parse_lines<Field::real, false>;
  }
}

void pack(const Scratch& scratch, std::size_t ids, std::size_t values, BlockArena& arena, EntryBlock& block) {
  const std::span rows(scratch.rows.data(), ids), cols(scratch.cols.data(), ids);
  block.rows = PackedIds(rows);
  block.cols = PackedIds(cols);
  const std::size_t value_bytes = values * sizeof(double);
  const auto aligned = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  BlockArena::Piece piece = arena.take(value_bytes + aligned(block.rows.bytes()) + block.cols.bytes());
  if (value_bytes > 0) std::memcpy(piece.data, scratch.values.data(), value_bytes);
  block.values = reinterpret_cast<const double*>(piece.data);
  block.rows.write(rows, piece.data + value_bytes);
  block.cols.write(cols, piece.data + value_bytes + aligned(block.rows.bytes()));
  block.memory = std::move(piece.owner);
}

/// Parses blocks until the text ends, an error turns up or there are more entries than there should be.
class BodyReader {
 public:
  BodyReader(LineBlocks& source, const MmHeader& header)
      : source_(source), header_(header), rules_(header), parse_(parser_for(header)) {}

  void work() {
    TextBlock text;
    Scratch scratch;
    BlockArena arena;
    std::vector<EntryBlock> blocks;
    while (!stop_.load(std::memory_order_relaxed)) {
      auto more = source_.next(text);
      if (more.ok() && !*more) break;
      blocks.push_back(more.ok() ? parse(text, scratch, arena) : failed(text, std::move(more).error()));
      const EntryBlock& block = blocks.back();
      const std::uint64_t total = entries_.fetch_add(block.entries, std::memory_order_relaxed) + block.entries;
      if (block.error != nullptr || total > header_.entries) stop_.store(true, std::memory_order_relaxed);
    }
    const std::lock_guard lock(mutex_);
    std::move(blocks.begin(), blocks.end(), std::back_inserter(blocks_));
  }

  /// All blocks in order. Blocks are handed out in order and each that was handed out is parsed, so whatever stopped
  /// the threads, all blocks up to the first error are here.
  std::vector<EntryBlock> take() {
    std::sort(blocks_.begin(), blocks_.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
    return std::move(blocks_);
  }

 private:
  EntryBlock parse(const TextBlock& text, Scratch& scratch, BlockArena& arena) const {
    EntryBlock block;
    block.index = text.index;
    scratch.reserve(static_cast<std::size_t>(text.end - text.begin));
    parse_(text, rules_, scratch, block);
    const std::size_t per_entry = header_.field == Field::pattern ? 0 : header_.field == Field::complex ? 2 : 1;
    pack(scratch, header_.array ? 0 : block.entries, block.entries * per_entry, arena, block);
    return block;
  }

  static EntryBlock failed(const TextBlock& text, Error error) {
    EntryBlock block;
    block.index = text.index;
    block.lines = text.failed_line;
    block.error = std::make_unique<Error>(std::move(error));
    return block;
  }

  LineBlocks& source_;
  const MmHeader& header_;
  Rules rules_;
  ParseLines parse_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> entries_{0};
  std::mutex mutex_;
  std::vector<EntryBlock> blocks_;
};

/// The line within the block that holds its n-th entry, both from 1.
std::uint64_t line_of_entry(const EntryBlock& block, std::uint64_t n) {
  std::uint64_t line = n;
  for (const auto& run : block.skipped)
    if (run.first <= line) line += run.count;
  return line;
}

/// The first error in the order of the text.
Status check_blocks(const std::vector<EntryBlock>& blocks, const MmHeader& header, std::uint64_t lines) {
  std::uint64_t entries = 0;
  for (const EntryBlock& block : blocks) {
    if (block.entries > header.entries - entries)
      return Error{ErrorCode::syntax,
                   "there are more entries than the " + std::to_string(header.entries) + " that the size line says",
                   {},
                   lines + line_of_entry(block, header.entries - entries + 1)};
    entries += block.entries;
    lines += block.lines;
    if (block.error != nullptr) {
      Error error = *block.error;
      error.line = block.lines > 0 ? lines : 0;
      return error;
    }
  }
  if (entries < header.entries)
    return Error{ErrorCode::truncated,
                 "ends after " + std::to_string(entries) + " of the " + std::to_string(header.entries) +
                     " entries that the size line says",
                 {},
                 lines};
  return Ok{};
}

}  // namespace

std::uint64_t line_of_entry(const std::vector<EntryBlock>& blocks, std::uint64_t n, std::uint64_t lines_before) {
  for (const EntryBlock& block : blocks) {
    if (n < block.entries) return lines_before + line_of_entry(block, n + 1);
    n -= block.entries;
    lines_before += block.lines;
  }
  return lines_before;
}

Result<std::vector<EntryBlock>> read_mm_body(LineBlocks& source, const MmHeader& header, std::uint64_t lines_before,
                                             int threads) {
  BodyReader reader(source, header);
  run_on_threads(threads, [&](int) { reader.work(); });
  auto blocks = reader.take();
  SPRESS_CHECK(check_blocks(blocks, header, lines_before));
  return blocks;
}

}  // namespace spress::io
