#include "formats/io/readers/fortran_format.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "formats/io/entries/numbers.hpp"

namespace spress::io {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_of_number(char c) { return is_digit(c) || c == '.'; }

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

/// Takes a number off the front of `text`, or gives `otherwise`.
std::uint64_t take_number(std::string_view& text, std::uint64_t otherwise) {
  std::uint64_t number = 0;
  std::size_t digits = 0;
  while (digits < text.size() && digits < 9 && is_digit(text[digits]))
    number = number * 10 + static_cast<std::uint64_t>(text[digits++] - '0');
  text.remove_prefix(digits);
  return digits == 0 ? otherwise : number;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// [kP[,]]
void take_scale(std::string_view& text, int& scale) {
  std::string_view rest = text;
  const bool negative = take(rest, '-');
  const std::uint64_t k = take_number(rest, 0);
  if (!take(rest, 'P')) return;
  take(rest, ',');
  scale = negative ? -static_cast<int>(k) : static_cast<int>(k);
  text = rest;
}

Error bad_format(std::string_view text) {
  return {ErrorCode::syntax,
          '\'' + printable(text) + "' is no Fortran format of one kind of number, such as (16I5) or (4E20.12)"};
}

/// A field taken apart. Mantissa and exponent have no blanks, which mean nothing within a number.
struct Parts {
  std::string mantissa, exponent;
  bool pointed = false, has_letter = false;
  bool split = false;  ///< a blank stands as between two numbers: after a digit or point, before another or a sign
};

Parts parts_of(std::string_view field) {
  Parts parts;
  std::string* part = &parts.mantissa;
  char before = 0;
  bool blank = false;
  for (const char raw : field) {
    const char c = upper(raw);
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    const bool letter = c == 'E' || c == 'D' || c == 'Q';
    const bool sign = c == '+' || c == '-';
    parts.split |= std::exchange(blank, false) && is_of_number(before) && (is_of_number(c) || sign);
    before = c;
    if (part == &parts.mantissa && !parts.mantissa.empty() && (letter || sign)) {
      part = &parts.exponent;
      parts.has_letter = letter;
      if (letter) continue;
    }
    parts.pointed |= c == '.' && part == &parts.mantissa;
    *part += raw;
  }
  return parts;
}

bool is_word(std::string_view field) {
  return std::any_of(field.begin(), field.end(), [](char c) { return upper(c) == 'N'; });  // inf, infinity, nan
}

Result<double> careful_real(std::string_view field, const FortranFormat& format) {
  if (is_word(field)) return parse_real(field);
  const Parts parts = parts_of(field);
  if (parts.split)
    return Error{ErrorCode::syntax, "'" + printable(field) + "' holds a blank: numbers do not stand in columns of " +
                                        std::to_string(format.width) + ", as the head of the file says"};
  const std::string_view digits = parts.exponent;
  std::string_view rest = digits;
  const bool down = take(rest, '-');
  if (!down) take(rest, '+');
  const bool plain = std::all_of(rest.begin(), rest.end(), is_digit) && rest.size() <= 6;
  if (!plain || (rest.empty() && (!digits.empty() || parts.has_letter)))
    return parse_real(field);  // which says what is wrong
  auto power = static_cast<std::int64_t>(take_number(rest, 0));
  if (down) power = -power;
  if (digits.empty()) power -= format.scale;
  if (!parts.pointed) power -= format.decimals;
  auto value = parse_real(parts.mantissa + 'e' + std::to_string(power));
  if (!value.ok() && value.error().code == ErrorCode::syntax)
    return Error{ErrorCode::syntax, '\'' + printable(field) + "' is no number"};
  return value;
}

}  // namespace

Result<FortranFormat> parse_fortran_format(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (c != ' ' && c != '\t') plain += upper(c);
  std::string_view rest = plain;
  FortranFormat format;
  if (!take(rest, '(')) return bad_format(text);
  take_scale(rest, format.scale);
  std::uint64_t repeat = take_number(rest, 1);
  const bool nested = take(rest, '(');
  if (nested) {
    take_scale(rest, format.scale);
    repeat *= take_number(rest, 1);
  }
  if (rest.empty() || std::string_view("IDEFG").find(rest.front()) == std::string_view::npos) return bad_format(text);
  format.integer = rest.front() == 'I';
  rest.remove_prefix(1);
  format.width = take_number(rest, 0);
  if (take(rest, '.')) format.decimals = static_cast<int>(take_number(rest, 0));
  if (take(rest, 'E')) take_number(rest, 0);  // digits of the exponent, which only writing needs
  if (format.integer) format.decimals = 0;
  format.per_line = repeat;
  if ((nested && !take(rest, ')')) || rest != ")" || repeat == 0 || format.width == 0) return bad_format(text);
  if (format.width > widest_field || format.decimals > static_cast<int>(widest_field) || repeat > 10000)
    return bad_format(text);
  return format;
}

FortranFormat format_of_line(std::string_view line, const FortranFormat& format, std::uint64_t fields) {
  FortranFormat narrow = format;
  if (format.integer || format.width < 2 || fields == 0) return narrow;
  --narrow.width;
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  if (line.size() != fields * narrow.width) return format;
  for (std::size_t end = narrow.width; end <= line.size(); end += narrow.width)
    if (line[end - 1] == ' ') return format;
  for (std::uint64_t k = 0; k < fields; ++k)
    if (!parse_fortran_real(field_of(line, format, k), format).ok()) return narrow;
  return format;
}

std::string_view field_of(std::string_view line, const FortranFormat& format, std::uint64_t k) {
  const std::size_t begin = k * format.width;
  if (begin >= line.size()) return {};
  std::string_view field = line.substr(begin, format.width);
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t' || field.back() == '\r'))
    field.remove_suffix(1);
  return field;
}

Result<double> parse_fortran_real(std::string_view field, const FortranFormat& format) {
  // Fields may touch, so a field is copied before it is read beyond its end; zeros behind it end any number.
  std::array<char, widest_field + 32> copy;
  std::memset(copy.data(), 0, copy.size());
  std::memcpy(copy.data(), field.data(), std::min(field.size(), widest_field));
  bool pointed = false, exponent = false;
  for (std::size_t k = 0; k < field.size(); ++k) {
    pointed |= copy[k] == '.';
    if (upper(copy[k]) == 'D') copy[k] = 'e';
    exponent |= (copy[k] | 0x20) == 'e';
  }
  double value = 0;
  if ((pointed || format.decimals == 0) && (exponent || format.scale == 0) &&
      numbers::fast_real(copy.data(), value) == copy.data() + field.size())
    return value;
  return careful_real(field, format);
}

}  // namespace spress::io
