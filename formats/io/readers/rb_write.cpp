#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "formats/csr/transpose.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/entries/declaration.hpp"
#include "formats/io/entries/entries.hpp"
#include "formats/io/readers/rutherford_boeing.hpp"

namespace spress::io {
namespace {

constexpr std::size_t line_length = 80;

/// Fields of one width, as many as fit a line.
struct Columns {
  std::size_t width;
  [[nodiscard]] std::size_t per_line() const { return line_length / width; }
  [[nodiscard]] std::uint64_t lines(std::uint64_t fields) const { return (fields + per_line() - 1) / per_line(); }
};

/// Digits and a blank before them.
Columns columns_for(std::uint64_t largest) { return {std::to_string(largest).size() + 1}; }

/// Sign, digit, point, 16 digits, and an exponent of three: what every double needs to come back; a blank before it.
constexpr Columns real_columns = {25};

/// Writes fields, right-aligned, in lines.
class FieldWriter {
 public:
  explicit FieldWriter(OutputFile& file) : file_(file) {}

  void begin(Columns columns) { columns_ = columns; }
  Status field(std::string_view text) {
    text_.append(columns_.width - text.size(), ' ').append(text);
    if (++in_line_ == columns_.per_line()) return end_line();
    return Ok{};
  }
  Status end_section() { return in_line_ > 0 ? end_line() : Status(Ok{}); }
  Status line(std::string_view text) {
    text_.append(text).push_back('\n');
    return flush(1 << 20);
  }
  Status finish() { return flush(0); }

 private:
  Status end_line() {
    in_line_ = 0;
    return line("");
  }
  Status flush(std::size_t most) {
    if (text_.size() <= most) return Ok{};
    SPRESS_CHECK(file_.write(text_.data(), text_.size()));
    text_.clear();
    return Ok{};
  }

  OutputFile& file_;
  Columns columns_{1};
  std::size_t in_line_ = 0;
  std::string text_;
};

/// 1.2345678901234567E+005
std::string_view real_text(double value, char* at) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char* end = std::to_chars(at, at + 40, value, std::chars_format::scientific, 16).ptr;
  char* exponent = end;
  while (exponent[-1] != 'e') --exponent;
  exponent[-1] = 'E';
  const auto digits = static_cast<std::size_t>(end - exponent) - 1;
  if (digits == 2) {  // E+05 becomes E+005: a width of its own would be ambiguous in Fortran
    exponent[3] = exponent[2];
    exponent[2] = exponent[1];
    exponent[1] = '0';
    ++end;
  }
  return {at, static_cast<std::size_t>(end - at)};
}

char type_letter(Field field) {
  return field == Field::real ? 'r' : field == Field::complex ? 'c' : field == Field::integer ? 'i' : 'p';
}
char type_letter(Symmetry symmetry, bool square) {
  if (symmetry == Symmetry::general) return square ? 'u' : 'r';
  return symmetry == Symmetry::symmetric ? 's' : symmetry == Symmetry::hermitian ? 'h' : 'z';
}

/// Calls use(column, k) for the entries that are written, column by column: all, or the lower triangle.
template <class Use>
Status for_kept(const Csr<Viewed>& columns, Symmetry symmetry, const Use& use) {
  return with_positions(columns.row_ptr, [&](const auto* pointers) -> Status {
    for (std::uint64_t c = 0; c < columns.rows; ++c)
      for (std::uint64_t k = pointers[c]; k < pointers[c + 1]; ++k)
        if (symmetry == Symmetry::general || columns.col_idx[k] >= c)
          if (Status used = use(c, k); !used.ok()) return used;
    return Ok{};
  });
}

class Writer {
 public:
  Writer(const Csr<Viewed>& a, const MatrixInfo& info)
      : info_(info), said_(declare(a, info)), transposed_(transpose(a)), columns_(view_of(transposed_)) {}

  Status write_to(OutputFile& file) {
    SPRESS_CHECK(count());
    FieldWriter out(file);
    SPRESS_CHECK(write_head(out));
    char digits[48];
    const auto number = [&](std::uint64_t value) {
      return out.field({digits, static_cast<std::size_t>(std::to_chars(digits, digits + 24, value).ptr - digits)});
    };
    out.begin(pointer_columns_);
    for (const std::uint64_t pointer : pointers_) SPRESS_CHECK(number(pointer));
    SPRESS_CHECK(out.end_section());
    out.begin(id_columns_);
    SPRESS_CHECK(for_kept(columns_, said_.symmetry, [&](std::uint64_t, std::uint64_t k) {
      return number(std::uint64_t{columns_.col_idx[k]} + 1);
    }));
    SPRESS_CHECK(out.end_section());
    SPRESS_CHECK(write_values(out));
    return out.finish();
  }

 private:
  /// The pointers, and the width of integers.
  Status count() {
    pointers_.assign(columns_.rows + 1, 1);
    std::size_t widest = 1;
    SPRESS_CHECK(for_kept(columns_, said_.symmetry, [&](std::uint64_t c, std::uint64_t k) -> Status {
      ++pointers_[c + 1];
      if (said_.field == Field::integer) widest = std::max(widest, std::to_string(integer_at(k)).size());
      return Ok{};
    }));
    for (std::uint64_t c = 0; c < columns_.rows; ++c) pointers_[c + 1] += pointers_[c] - 1;
    pointer_columns_ = columns_for(pointers_.back());
    id_columns_ = columns_for(std::max<std::uint64_t>(columns_.cols, 1));
    value_columns_ = said_.field == Field::integer ? Columns{widest + 1} : real_columns;
    return Ok{};
  }

  [[nodiscard]] std::int64_t integer_at(std::uint64_t k) const {
    return static_cast<std::int64_t>(columns_.values.codes.as<double>()[k]);
  }
  [[nodiscard]] std::uint64_t value_fields() const { return said_.entries * values_per_entry(said_.field); }

  Status write_head(FieldWriter& out) const {
    std::string name = info_.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');  // also line ends
    std::string title = name.substr(0, 72);
    title.resize(72, ' ');
    const std::string key = name.substr(0, 8);
    SPRESS_CHECK(out.line(title + key));
    const std::uint64_t lines[] = {pointer_columns_.lines(pointers_.size()), id_columns_.lines(said_.entries),
                                   value_columns_.lines(value_fields())};
    SPRESS_CHECK(
        out.line(aligned(lines[0] + lines[1] + lines[2]) + aligned(lines[0]) + aligned(lines[1]) + aligned(lines[2])));
    const std::string type = {type_letter(said_.field), type_letter(said_.symmetry, columns_.rows == columns_.cols),
                              'a'};
    SPRESS_CHECK(out.line(type + std::string(11, ' ') + aligned(columns_.cols) + aligned(columns_.rows) +
                          aligned(said_.entries) + aligned(0)));
    const auto format = [](Columns columns, const std::string& letters, std::size_t room) {
      std::string text = '(' + std::to_string(columns.per_line()) + letters + ')';
      text.resize(std::max(room, text.size()), ' ');
      return text;
    };
    const auto whole = [&](Columns columns, std::size_t room) {
      return format(columns, 'I' + std::to_string(columns.width), room);
    };
    const std::string of_values = said_.field == Field::pattern   ? ""
                                  : said_.field == Field::integer ? whole(value_columns_, 20)
                                                                  : format(real_columns, "E25.16E3", 20);
    return out.line(whole(pointer_columns_, 16) + whole(id_columns_, 16) + of_values);
  }

  static std::string aligned(std::uint64_t number) {
    const std::string digits = std::to_string(number);
    return std::string(digits.size() < 14 ? 14 - digits.size() : 1, ' ') + digits;
  }

  Status write_values(FieldWriter& out) const {
    if (said_.field == Field::pattern) return Ok{};
    out.begin(value_columns_);
    char digits[48];
    const auto real = [&](double value) { return out.field(real_text(value, digits)); };
    const auto write_value = [&](std::uint64_t, std::uint64_t k) -> Status {
      if (said_.field == Field::integer) return out.field(std::to_string(integer_at(k)));
      if (said_.field == Field::real) return real(columns_.values.codes.as<double>()[k]);
      const auto value = columns_.values.codes.as<std::complex<double>>()[k];
      SPRESS_CHECK(real(value.real()));
      return real(value.imag());
    };
    if (Status written = for_kept(columns_, said_.symmetry, write_value); !written.ok()) return written;
    return out.end_section();
  }

  const MatrixInfo& info_;
  Declaration said_;
  Csr<Owned> transposed_;
  Csr<Viewed> columns_;  ///< of the matrix, as rows
  std::vector<std::uint64_t> pointers_;
  Columns pointer_columns_{1}, id_columns_{1}, value_columns_{1};
};

}  // namespace

Status write_rutherford_boeing(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  return write_plain(a, path, [&](const Csr<Viewed>& plain) -> Status {
    SPRESS_TRY(OutputFile file, OutputFile::create(path));
    SPRESS_CHECK(Writer(plain, info).write_to(file));
    return file.commit();
  });
}

}  // namespace spress::io
