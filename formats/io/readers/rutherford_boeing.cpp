#include "formats/io/readers/rutherford_boeing.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/io/entries/assemble.hpp"
#include "formats/io/entries/line_blocks.hpp"
#include "formats/io/entries/numbers.hpp"
#include "formats/io/readers/rb_header.hpp"

namespace spress::io {
namespace {

enum SectionName : std::size_t { pointers, ids, values };

/// Lines of fields in one format.
struct Section {
  FortranFormat format;
  std::uint64_t fields = 0, first_line = 0;  ///< first_line: of the body, from 0

  [[nodiscard]] std::uint64_t lines() const {
    return fields / format.per_line + (fields % format.per_line != 0 ? 1 : 0);
  }
  [[nodiscard]] std::uint64_t end() const { return first_line + lines(); }
  /// The line of the body that holds a field.
  [[nodiscard]] std::uint64_t line_of(std::uint64_t field) const { return first_line + field / format.per_line; }
  /// How many fields a line of the body holds.
  [[nodiscard]] std::uint64_t fields_in(std::uint64_t line) const {
    return std::min(format.per_line, fields - (line - first_line) * format.per_line);
  }
};

/// The numbers of one block of lines. Each section's follow those of the block before.
struct Piece {
  std::uint64_t index = 0;
  std::vector<std::uint64_t> pointers;
  std::vector<std::uint32_t> ids;
  std::vector<double> values;
};

/// All numbers of the body.
struct Body {
  std::vector<std::uint64_t> pointers;
  HostArray<std::uint32_t> ids;
  HostArray<double> values;
};

Error at_line(Error error, std::uint64_t line) {
  error.line = line;
  return error;
}

class BodyParser {
 public:
  BodyParser(const RbHeader& header, std::uint64_t lines_before) : header_(header), lines_before_(lines_before) {
    sections_[pointers] = {header.pointers, header.cols + 1, 0};
    sections_[ids] = {header.ids, header.entries, sections_[pointers].end()};
    sections_[values] = {header.values, header.entries * values_per_entry(header.field), sections_[ids].end()};
  }

  Result<Body> read(LineBlocks& source, int threads) {
    run_on_threads(threads, [&](int) { work(source); });
    if (error_) return std::move(*error_);
    if (lines_ < sections_[values].end())
      return at_line({ErrorCode::truncated, "ends before the last of its " + what_is_missing()},
                     lines_before_ + lines_);
    return join();
  }

  /// The line of the file that holds a field.
  [[nodiscard]] std::uint64_t line_of(SectionName section, std::uint64_t field) const {
    return lines_before_ + sections_[section].line_of(field) + 1;
  }

 private:
  [[nodiscard]] std::string what_is_missing() const {
    if (lines_ < sections_[pointers].end()) return std::to_string(header_.cols + 1) + " column pointers";
    if (lines_ < sections_[ids].end()) return std::to_string(header_.entries) + " row ids";
    return std::to_string(sections_[values].fields) + " values";
  }

  void work(LineBlocks& source) {
    TextBlock text;
    for (;;) {
      std::uint64_t line = 0;
      {
        const std::lock_guard lock(mutex_);  // blocks are counted in the order of the text
        if (error_ || lines_ >= sections_[values].end()) return;
        auto more = source.next(text);
        if (!more.ok()) {
          const std::uint64_t failed = text.failed_line > 0 ? lines_before_ + lines_ + text.failed_line : 0;
          error_ = at_line(std::move(more).error(), failed);
          return;
        }
        if (!*more) return;
        line = lines_;
        lines_ += static_cast<std::uint64_t>(std::count(text.begin, text.end, '\n'));
      }
      Piece piece;
      piece.index = text.index;
      auto parsed = parse(text, line, piece);
      const std::lock_guard lock(mutex_);
      if (!parsed.ok() && (!error_ || parsed.error().line < error_->line)) error_ = std::move(parsed).error();
      pieces_.push_back(std::move(piece));
    }
  }

  Status parse(const TextBlock& text, std::uint64_t line, Piece& piece) const {
    for (const char* p = text.begin; p != text.end && line < sections_[values].end(); ++line) {
      const auto* end = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(text.end - p)));
      const std::string_view whole(p, static_cast<std::size_t>(end - p));
      auto parsed = text.unterminated && end + 1 == text.end ? check_width(whole, line) : Status(Ok{});
      if (parsed.ok()) parsed = parse_line(whole, line, piece);
      if (!parsed.ok()) return at_line(std::move(parsed).error(), lines_before_ + line + 1);
      p = end + 1;
    }
    return Ok{};
  }

  [[nodiscard]] const Section& section_of(std::uint64_t line) const {
    return sections_[line < sections_[pointers].end() ? pointers : line < sections_[ids].end() ? ids : values];
  }

  /// A last line without an end is whole only where its last number is as wide as its format says: a number that was
  /// cut is a number, too.
  Status check_width(std::string_view text, std::uint64_t line) const {
    const Section& section = section_of(line);
    const std::uint64_t wanted = section.fields_in(line) * section.format.width;
    if (text.size() >= wanted) return Ok{};
    return Error{ErrorCode::truncated, "ends after " + std::to_string(text.size()) + " of the " +
                                           std::to_string(wanted) + " characters of its last line"};
  }

  Status parse_line(std::string_view text, std::uint64_t line, Piece& piece) const {
    if (line < sections_[pointers].end())
      return for_fields(text, sections_[pointers], line, [&](std::string_view field) -> Status {
        SPRESS_TRY(const std::uint64_t pointer, whole_number(field));
        piece.pointers.push_back(pointer);
        return Ok{};
      });
    if (line < sections_[ids].end())
      return for_fields(text, sections_[ids], line, [&](std::string_view field) -> Status {
        SPRESS_TRY(const std::uint64_t id, whole_number(field));
        if (id - 1 >= header_.rows)
          return Error{ErrorCode::out_of_range, "row " + printable(field) + " does not exist: 1 to " +
                                                    std::to_string(header_.rows) + " are valid"};
        piece.ids.push_back(static_cast<std::uint32_t>(id - 1));
        return Ok{};
      });
    const Section& section = sections_[values];
    return for_fields(text, section, line, [&](std::string_view field) -> Status {
      const auto parse_value = [&] {
        return header_.field == Field::integer ? parse_integer(field) : parse_fortran_real(field, section.format);
      };
      SPRESS_TRY(const double value, parse_value());
      piece.values.push_back(value);
      return Ok{};
    });
  }

  /// Calls use(field) for the fields of a line; a field that is blank, or missing, is an error.
  template <class Use>
  static Status for_fields(std::string_view text, const Section& section, std::uint64_t line, const Use& use) {
    const std::uint64_t count = section.fields_in(line);
    const FortranFormat format = format_of_line(text, section.format, count);
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::string_view field = field_of(text, format, k);
      if (field.empty())
        return Error{ErrorCode::syntax, "the line has " + std::to_string(k) + " numbers in columns of " +
                                            std::to_string(section.format.width) + " where " + std::to_string(count) +
                                            " are wanted"};
      SPRESS_CHECK(use(field));
    }
    return Ok{};
  }

  static Result<std::uint64_t> whole_number(std::string_view field) {
    // Fields may touch, so the fast way reads a copy.
    char copy[widest_field + 32] = {};
    std::memcpy(copy, field.data(), field.size());
    std::uint64_t number = 0;
    if (numbers::fast_unsigned(copy, number, 18) == copy + field.size()) return number;
    return parse_count(field);
  }

  Result<Body> join() {
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.index < b.index; });
    Body body;
    body.ids = HostArray<std::uint32_t>(sections_[ids].fields);
    body.values = HostArray<double>(sections_[values].fields);
    std::uint32_t* next_id = body.ids.data();
    double* next_value = body.values.data();
    for (Piece& piece : pieces_) {
      body.pointers.insert(body.pointers.end(), piece.pointers.begin(), piece.pointers.end());
      next_id = std::copy(piece.ids.begin(), piece.ids.end(), next_id);
      next_value = std::copy(piece.values.begin(), piece.values.end(), next_value);
      piece = {};
    }
    return body;
  }

  const RbHeader& header_;
  std::uint64_t lines_before_;
  Section sections_[3];
  std::mutex mutex_;            // guards what follows, and the order of blocks
  std::uint64_t lines_ = 0;     ///< of the blocks handed out
  std::optional<Error> error_;  ///< the first in the order of the text
  std::vector<Piece> pieces_;
};

/// Pointers from 1 to 0-based ones. Errors: with the line.
Status check_pointers(const RbHeader& header, const BodyParser& parser, std::vector<std::uint64_t>& all) {
  std::uint64_t before = 1;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool right = k == 0 ? all[k] == 1 : all[k] >= before && all[k] - 1 <= header.entries;
    const bool last = k + 1 == all.size();
    if (!right || (last && all[k] - 1 != header.entries))
      return at_line({ErrorCode::out_of_range,
                      "column pointer " + std::to_string(k + 1) + " is " + std::to_string(all[k]) +
                          "; pointers begin with 1, never fall, and end with " + std::to_string(header.entries + 1)},
                     parser.line_of(pointers, k));
    before = all[k];
    --all[k];
  }
  return Ok{};
}

/// What a symmetry asks of entries beside the ids.
Status check_triangle(const RbHeader& header, const BodyParser& parser, const Body& body) {
  if (header.symmetry == Symmetry::general) return Ok{};
  const bool no_diagonal = header.symmetry == Symmetry::skew_symmetric;
  const bool real_diagonal = header.symmetry == Symmetry::hermitian;
  for (std::uint64_t c = 0; c < header.cols; ++c)
    for (std::uint64_t k = body.pointers[c]; k < body.pointers[c + 1]; ++k) {
      const std::uint32_t row = body.ids[k];
      const auto place = [&] { return "entry (" + std::to_string(row + 1) + ", " + std::to_string(c + 1) + ')'; };
      if (row < c || (no_diagonal && row == c))
        return at_line({ErrorCode::out_of_range,
                        place() + (row == c ? " is on the diagonal, which a skew-symmetric file leaves out"
                                            : " is above the diagonal; the file gives the lower triangle only")},
                       parser.line_of(ids, k));
      if (real_diagonal && row == c && body.values[2 * k + 1] != 0)
        return at_line({ErrorCode::syntax, place() + " is on the diagonal of a hermitian matrix and not real"},
                       parser.line_of(values, 2 * k + 1));
    }
  return Ok{};
}

}  // namespace

Result<Matrix> read_rutherford_boeing(MatrixInput& input, const ReadOptions& options) {
  LineReader lines(input.stream());
  SPRESS_TRY(const RbHeader header, read_rb_header(lines));
  const auto source = input.text_blocks(lines.offset(), lines.rest());
  BodyParser parser(header, lines.lines());
  SPRESS_TRY(Body body, parser.read(*source, thread_count(options.threads)));
  SPRESS_CHECK(check_pointers(header, parser, body.pointers));
  SPRESS_CHECK(check_triangle(header, parser, body));
  const std::span all_ids(body.ids.data(), body.ids.size());
  auto blocks = blocks_of_compressed(body.pointers, all_ids, body.values.data(), header.field, true);
  SPRESS_TRY(Matrix matrix, matrix_of_entries(header, blocks, options.threads));
  if (!header.title.empty()) matrix.info.comments = "% " + header.title + '\n';
  return matrix;
}

}  // namespace spress::io
