#include "formats/io/readers/npy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "formats/core/checks.hpp"
#include "formats/io/bytes/digits.hpp"
#include "formats/io/entries/assemble.hpp"
#include "formats/io/entries/exact_integer.hpp"
#include "formats/io/entries/numbers.hpp"
#include "formats/io/entries/words.hpp"
#include "formats/io/readers/binary.hpp"

namespace spress::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 16;

/// What stands behind 'key': in the dictionary, without blanks before it.
std::string_view behind_key(std::string_view text, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string wanted = quote + std::string(key) + quote;
    const std::size_t at = text.find(wanted);
    if (at == std::string_view::npos) continue;
    std::string_view rest = text.substr(at + wanted.size());
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':')) rest.remove_prefix(1);
    return rest;
  }
  return {};
}

/// '<f8'
Status parse_type(std::string_view text, NpyHeader& header) {
  const auto unsupported = [](std::string_view what) {
    return Error{ErrorCode::unsupported,
                 "has elements of the type " + printable(what) + ", which are no numbers that a matrix holds"};
  };
  if (text.empty() || (text.front() != '\'' && text.front() != '"')) return unsupported(text.substr(0, 30));
  const std::string_view type = text.substr(1, text.find(text.front(), 1) - 1);
  if (type.size() < 2) return unsupported(type);
  std::string_view rest = type;
  if (std::string_view("<>=|").find(rest.front()) != std::string_view::npos) {
    header.order = rest.front() == '>' ? std::endian::big : std::endian::little;
    rest.remove_prefix(1);
  }
  header.kind = rest.front();
  const auto width = parse_number(rest.substr(1), 10);
  if (!width || *width == 0 || *width > 4096) return unsupported(type);
  header.width = static_cast<std::size_t>(*width);
  if (header.kind == 'U') header.width *= 4;
  const auto is_one_of = [&](std::initializer_list<std::size_t> widths) {
    return std::find(widths.begin(), widths.end(), header.width) != widths.end();
  };
  const bool known = header.kind == 'b'                         ? is_one_of({1})
                     : header.kind == 'i' || header.kind == 'u' ? is_one_of({1, 2, 4, 8})
                     : header.kind == 'f'                       ? is_one_of({2, 4, 8, 16})
                     : header.kind == 'c'                       ? is_one_of({8, 16, 32})
                                                                : header.kind == 'S' || header.kind == 'U';
  return known ? Status(Ok{}) : unsupported(type);
}

/// (3, 4)
Status parse_shape(std::string_view text, NpyHeader& header) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) return syntax("its head has no shape such as (3, 4)");
  std::string numbers(text.substr(1, end - 1));
  std::replace(numbers.begin(), numbers.end(), ',', ' ');
  for (std::string_view word : split_words(numbers)) {
    if (word.ends_with('L')) word.remove_suffix(1);  // of Python 2
    SPRESS_TRY(const std::uint64_t side, parse_count(word));
    header.shape.push_back(side);
    if (side != 0 && header.count > (std::uint64_t{1} << 56) / side)
      return Error{ErrorCode::too_large, "has a shape of more elements than any file holds"};
    header.count *= side;
  }
  return Ok{};
}

double half_at(const std::uint8_t* at, std::endian order) {
  const auto bits = number_at<std::uint16_t>(at, order);
  const int exponent = bits >> 10 & 31;
  const std::uint32_t fraction = bits & 1023u, sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);  // keeps a NaN's payload
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(static_cast<double>(fraction + 1024), exponent - 25);
  return sign != 0 ? -magnitude : magnitude;
}

Error not_representable(const std::string& what) { return {ErrorCode::not_representable, "holds " + what}; }
Error beyond_exact(const std::string& number) {
  return not_representable("the integer " + number + ", beyond 2^53, where double no longer holds every integer");
}

/// An IEEE number of `width` bytes.
Result<double> real_at(const std::uint8_t* at, std::size_t width, std::endian order) {
  if (width == 2) return half_at(at, order);
  if (width == 4) return double{number_at<float>(at, order)};
  if (width == 8) return number_at<double>(at, order);
  if constexpr (sizeof(long double) == 16) {
    if (order == std::endian::native) {
      const auto number = number_at<long double>(at, order);
      const auto rounded = static_cast<double>(number);
      if (std::isnan(rounded) || static_cast<long double>(rounded) == number) return rounded;
      return not_representable("a long double that no double is equal to");
    }
  }
  return Error{ErrorCode::unsupported, "has long doubles of another machine; save it with float64"};
}

template <class T>
Result<std::int64_t> checked(T number) {
  if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>)
    if (number > static_cast<T>(std::numeric_limits<std::int64_t>::max())) return beyond_exact(std::to_string(number));
  return static_cast<std::int64_t>(number);
}

Result<std::int64_t> integer_at(const std::uint8_t* at, const NpyHeader& header) {
  const bool is_signed = header.kind == 'i';
  switch (header.width) {
    case 1: return is_signed ? checked(static_cast<std::int8_t>(*at)) : checked(*at);
    case 2:
      return is_signed ? checked(number_at<std::int16_t>(at, header.order))
                       : checked(number_at<std::uint16_t>(at, header.order));
    case 4:
      return is_signed ? checked(number_at<std::int32_t>(at, header.order))
                       : checked(number_at<std::uint32_t>(at, header.order));
    default:
      return is_signed ? checked(number_at<std::int64_t>(at, header.order))
                       : checked(number_at<std::uint64_t>(at, header.order));
  }
}

Status check_integers(const NpyHeader& header) {
  if (header.kind == 'i' || header.kind == 'u') return Ok{};
  return syntax("has elements " + header.type_text() + ", not integers");
}

/// Calls use(at) for each element, which appends `parts` numbers to `to`.
template <class T, class Use>
Status append_elements(ByteStream& stream, const NpyHeader& header, std::vector<T>& to, std::size_t parts,
                       const Use& use) {
  return for_pieces(stream, header.count, header.width, "elements",
                    [&](const std::uint8_t* bytes, std::size_t n, std::uint64_t) -> Status {
                      SPRESS_CHECK(make_room(to, n * parts, "an array"));
                      for (std::size_t k = 0; k < n; ++k)
                        if (Status used = use(bytes + k * header.width); !used.ok()) return used;
                      return Ok{};
                    });
}

/// Calls use(at) for each element.
template <class Use>
Status for_elements(ByteStream& stream, const NpyHeader& header, const Use& use) {
  std::vector<char> none;
  return append_elements(stream, header, none, 0, use);
}

Status take_integer(const std::uint8_t* at, const NpyHeader& header, std::vector<double>& numbers) {
  SPRESS_TRY(const std::int64_t number, integer_at(at, header));
  if (number > largest_exact_integer || number < -largest_exact_integer) return beyond_exact(std::to_string(number));
  numbers.push_back(static_cast<double>(number));
  return Ok{};
}

Status take_reals(const std::uint8_t* at, const NpyHeader& header, std::vector<double>& numbers) {
  const std::size_t width = header.kind == 'c' ? header.width / 2 : header.width;
  for (std::size_t part = 0; part < header.width; part += width) {
    SPRESS_TRY(const double number, real_at(at + part, width, header.order));
    numbers.push_back(number);
  }
  return Ok{};
}

}  // namespace

std::string NpyHeader::type_text() const {
  return (order == std::endian::big ? ">" : "<") + std::string(1, kind) + std::to_string(width);
}

bool begins_npy(std::string_view head) { return head.starts_with(magic); }

Result<NpyHeader> read_npy_header(ByteStream& stream) {
  std::uint8_t begin[12];
  constexpr std::size_t fixed = 8;  // magic and version
  SPRESS_TRY(std::size_t got, stream.read(reinterpret_cast<char*>(begin), fixed));
  const std::string_view head(reinterpret_cast<const char*>(begin), std::min(got, magic.size()));
  if (head != magic.substr(0, head.size())) return syntax("is no array of NumPy's: it does not begin with \\x93NUMPY");
  const std::size_t length_width = got == fixed && begin[6] >= 2 ? 4 : 2;
  if (got == fixed) {
    SPRESS_TRY(got, stream.read(reinterpret_cast<char*>(begin), length_width));
  } else {
    got = 0;
  }
  if (got < length_width) return Error{ErrorCode::truncated, "ends within the head of an array"};
  const std::size_t length = length_width == 2 ? number_at<std::uint16_t>(begin, std::endian::little)
                                               : number_at<std::uint32_t>(begin, std::endian::little);
  if (length > longest_header) return syntax("has a head of " + std::to_string(length) + " bytes, more than any array");
  std::string text(length, '\0');
  SPRESS_TRY(got, stream.read(text.data(), length));
  if (got < length) return Error{ErrorCode::truncated, "ends within the head of an array"};
  NpyHeader header;
  const std::string_view by_columns = behind_key(text, "fortran_order");
  if (by_columns.empty()) return syntax("has a head without fortran_order");
  header.by_columns = by_columns.starts_with("True");
  SPRESS_CHECK(parse_type(behind_key(text, "descr"), header));
  SPRESS_CHECK(parse_shape(behind_key(text, "shape"), header));
  return header;
}

Result<std::vector<std::int64_t>> read_npy_integers(ByteStream& stream, const NpyHeader& header) {
  SPRESS_CHECK(check_integers(header));
  std::vector<std::int64_t> numbers;
  SPRESS_CHECK(append_elements(stream, header, numbers, 1, [&](const std::uint8_t* at) -> Status {
    SPRESS_TRY(const std::int64_t number, integer_at(at, header));
    numbers.push_back(number);
    return Ok{};
  }));
  return numbers;
}

Result<std::vector<std::uint32_t>> read_npy_ids(ByteStream& stream, const NpyHeader& header) {
  SPRESS_CHECK(check_integers(header));
  std::vector<std::uint32_t> ids;
  SPRESS_CHECK(append_elements(stream, header, ids, 1, [&](const std::uint8_t* at) -> Status {
    SPRESS_TRY(const std::int64_t id, integer_at(at, header));
    if (id < 0 || id > static_cast<std::int64_t>(checks::largest_side))
      return Error{ErrorCode::out_of_range, "holds the id " + std::to_string(id)};
    ids.push_back(static_cast<std::uint32_t>(id));
    return Ok{};
  }));
  return ids;
}

Result<std::string> read_npy_text(ByteStream& stream, const NpyHeader& header) {
  if ((header.kind != 'S' && header.kind != 'U') || header.count != 1) return syntax("is no text");
  std::string text;
  const std::size_t step = header.kind == 'U' ? 4 : 1;
  const std::size_t lowest = header.kind == 'U' && header.order == std::endian::big ? 3 : 0;
  SPRESS_CHECK(for_elements(stream, header, [&](const std::uint8_t* at) -> Status {
    for (std::size_t k = 0; k < header.width; k += step)
      if (at[k + lowest] != 0) text += static_cast<char>(at[k + lowest]);
    return Ok{};
  }));
  return text;
}

Result<NpyValues> read_npy_values(ByteStream& stream, const NpyHeader& header) {
  NpyValues out;
  if (header.kind == 'S' || header.kind == 'U')
    return Error{ErrorCode::unsupported, "has elements of text, not numbers"};
  out.booleans = header.kind == 'b';
  const bool integers = header.kind == 'i' || header.kind == 'u';
  out.field = header.kind == 'c' ? Field::complex : integers ? Field::integer : Field::real;
  const std::size_t parts = header.kind == 'c' ? 2 : 1;
  SPRESS_CHECK(append_elements(stream, header, out.numbers, parts, [&](const std::uint8_t* at) -> Status {
    if (integers) return take_integer(at, header, out.numbers);
    if (!out.booleans) return take_reals(at, header, out.numbers);
    out.numbers.push_back(*at != 0 ? 1 : 0);
    return Ok{};
  }));
  if (out.booleans) {
    const bool all = std::all_of(out.numbers.begin(), out.numbers.end(), [](double number) { return number == 1; });
    out.field = all ? Field::pattern : Field::integer;
  }
  return out;
}

Result<Matrix> read_dense(ByteStream& stream, const NpyHeader& header, int threads) {
  if (header.shape.size() != 2)
    return Error{ErrorCode::not_applicable,
                 "is an array of " + std::to_string(header.shape.size()) + " dimensions; a matrix has 2"};
  MatrixHead what;
  what.rows = header.shape[0];
  what.cols = header.shape[1];
  SPRESS_CHECK(checks::sides(what.rows, what.cols));
  SPRESS_TRY(const NpyValues values, read_npy_values(stream, header));
  what.field = values.booleans ? Field::pattern : values.field;
  auto entries = nonzeros_of(values.numbers.data(), what, values.field, header.by_columns);
  what.entries = entries.entries();
  auto blocks = entries.take();
  return matrix_of_entries(what, blocks, threads);
}

Result<Matrix> read_npy(MatrixInput& input, const ReadOptions& options) {
  SPRESS_TRY(const NpyHeader header, read_npy_header(input.stream()));
  SPRESS_TRY(Matrix matrix, read_dense(input.stream(), header, options.threads));
  char more = 0;
  SPRESS_TRY(const std::size_t left, input.stream().read(&more, 1));
  if (left != 0) return Error{ErrorCode::damaged, "has bytes behind its last element"};
  return matrix;
}

void or_booleans(Matrix& matrix) {
  auto* values = reinterpret_cast<double*>(matrix.csr.values.codes.memory.data());
  for (std::uint64_t k = 0; k < matrix.csr.nnz; ++k) values[k] = values[k] != 0 ? 1 : 0;
}

std::string npy_header_text(std::string_view type, const std::vector<std::uint64_t>& shape) {
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (const std::uint64_t side : shape) text += std::to_string(side) + ',';
  text += "), }";
  constexpr std::size_t fixed = 10, alignment = 64;
  text.append(alignment - 1 - (fixed + text.size()) % alignment, ' ').push_back('\n');
  const auto length = static_cast<unsigned>(text.size());
  std::string out(magic);
  for (const unsigned byte : {1u, 0u, length & 255u, length >> 8}) out += static_cast<char>(byte);
  return out + text;
}

}  // namespace spress::io
