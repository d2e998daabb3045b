#include "formats/io/matrix_file/values/numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/container/sampling.hpp"
#include "formats/io/matrix_file/values/decimal.hpp"

namespace spress::io {
namespace {

using layout::damaged;
using Doubles = std::span<const double>;
using Bytes = std::vector<std::uint8_t>;
using Kind = StreamEncoder::Kind;

std::span<const std::uint64_t> bits_of(Doubles numbers) {
  return {reinterpret_cast<const std::uint64_t*>(numbers.data()), numbers.size()};
}

/// The bits of a number as a single, if it is one.
std::optional<std::uint32_t> as_single(double number) {
  const auto single = static_cast<float>(number);
  const bool same = std::bit_cast<std::uint64_t>(static_cast<double>(single)) == std::bit_cast<std::uint64_t>(number);
  return same ? std::optional(std::bit_cast<std::uint32_t>(single)) : std::nullopt;
}

// --- Ways to encode --------------------------------------------------------------------------------------------------

/// A form of decimals: the choice of their digits. All forms read back the same way.
struct DecimalForm {
  enum class By : std::uint8_t { shortest, exponent, digits } by = By::shortest;
  int wanted = 0;  ///< the exponent, or the number of digits, that all shall have

  [[nodiscard]] std::optional<Decimal> of(double number, ShortestDecimals& decimals) const {
    if (by == By::exponent && wanted <= 0 && wanted >= -largest_exact_power)
      if (const auto digits = digits_with_places(number, -wanted); digits != 0) return Decimal{digits, wanted};
    const auto shortest = decimals.of(number);
    if (!shortest || by == By::shortest || shortest->digits == 0) return shortest;
    if (by == By::exponent) return with_more_digits(*shortest, shortest->exponent - wanted);
    const int more = wanted - digit_count(shortest->digits);
    return more > 0 ? with_more_digits(*shortest, more) : shortest;
  }
};

void put_decimals(Doubles numbers, DecimalForm form, StreamEncoder& encoder, Bytes& out) {
  HostArray<std::uint64_t> digits(numbers.size());
  HostArray<std::uint16_t> exponents(numbers.size());
  std::vector<std::uint64_t> others;
  std::vector<std::uint32_t> gaps;
  int exponent = form.by == DecimalForm::By::exponent ? form.wanted : 0;
  std::size_t last = 0;  // one behind the last of the others
  ShortestDecimals decimals;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto decimal = form.of(numbers[i], decimals);
    if (decimal && decimal->digits != 0) exponent = decimal->exponent;  // 0 and others have that of the one before
    digits[i] = decimal ? zigzag(decimal->digits) : 0;
    exponents[i] = static_cast<std::uint16_t>(zigzag(exponent));
    if (decimal) continue;
    others.push_back(std::bit_cast<std::uint64_t>(numbers[i]));
    gaps.push_back(static_cast<std::uint32_t>(i - last));
    last = i + 1;
  }
  out.push_back(static_cast<std::uint8_t>(NumbersKind::decimal));
  encoder.put(digits.span(), out);
  encoder.put(exponents.span(), out);
  put_varint(others.size(), out);
  encoder.put(std::span<const std::uint32_t>(gaps), out);
  encoder.put(std::span<const std::uint64_t>(others), out, Kind::floating);
}

void put_words(Doubles numbers, bool ascending, StreamEncoder& encoder, Bytes& out) {
  out.push_back(static_cast<std::uint8_t>(NumbersKind::words));
  encoder.put(bits_of(numbers), out, ascending ? Kind::integers : Kind::floating);
}

/// False, and nothing appended, where they are not singles.
bool put_singles(Doubles numbers, bool ascending, StreamEncoder& encoder, Bytes& out) {
  HostArray<std::uint32_t> singles(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto single = as_single(numbers[i]);
    if (!single) return false;
    singles[i] = *single;
  }
  out.push_back(static_cast<std::uint8_t>(NumbersKind::singles));
  encoder.put(singles.span(), out, ascending ? Kind::integers : Kind::floating);
  return true;
}

struct Way {
  NumbersKind kind = NumbersKind::words;
  DecimalForm form = {};
};

/// Appends the numbers in that way; where they cannot be put so, as words.
void put(Doubles numbers, Way way, bool ascending, StreamEncoder& encoder, Bytes& out) {
  if (way.kind == NumbersKind::decimal) return put_decimals(numbers, way.form, encoder, out);
  if (way.kind == NumbersKind::singles && put_singles(numbers, ascending, encoder, out)) return;
  put_words(numbers, ascending, encoder, out);
}

// --- Choosing --------------------------------------------------------------------------------------------------------

/// A sample of so many numbers shows which way is best for all.
constexpr std::size_t sample_numbers = 4 << 10;

/// At most `most` of the numbers, of which each `together` in turn stay together.
std::vector<double> sample_of(Doubles numbers, std::size_t most, std::size_t together = 1) {
  if (numbers.size() <= most) return {numbers.begin(), numbers.end()};
  std::vector<double> sample(most);
  const std::size_t count = copy_sample(numbers.data(), numbers.size() / together, together * sizeof(double),
                                        most * sizeof(double), sample.data());
  sample.resize(together * count);
  return sample;
}

/// Decimals are read more slowly than words: they are taken where they save this part, or anything at patient levels.
constexpr double decimal_gain = 0.03;

/// Forms of decimals worth trying; none where most numbers need more digits than a double holds bits for.
std::vector<DecimalForm> decimal_forms(Doubles sample) {
  std::size_t digits = 0, others = 0;
  int least = std::numeric_limits<int>::max(), most = 0;
  ShortestDecimals decimals;
  for (const double number : sample) {
    const auto decimal = decimals.of(number);
    others += decimal ? 0 : 1;
    if (!decimal || decimal->digits == 0) continue;
    const int count = digit_count(decimal->digits);
    digits += static_cast<std::size_t>(count);
    most = std::max(most, count);
    least = std::min(least, decimal->exponent);
  }
  constexpr std::size_t too_many = 15;
  if (others > sample.size() / 8 || digits > too_many * sample.size()) return {};
  std::vector<DecimalForm> forms = {{DecimalForm::By::shortest, 0}};
  if (most != 0) {
    forms.push_back({DecimalForm::By::exponent, least});
    forms.push_back({DecimalForm::By::digits, most});
  }
  return forms;
}

/// The best way for a sample.
Way best_way(Doubles numbers, bool ascending, StreamEncoder& encoder) {
  const std::vector<double> sample = sample_of(numbers, sample_numbers * encoder.patience());
  Way best;
  double least = std::numeric_limits<double>::infinity();
  const auto weigh = [&](Way way, double factor) {
    Bytes bytes;
    put(sample, way, ascending, encoder.judge(), bytes);
    const double size = static_cast<double>(bytes.size()) * factor;
    if (size >= least) return;
    least = size;
    best = way;
  };
  weigh({NumbersKind::words}, 1);
  if (std::all_of(sample.begin(), sample.end(), [](double number) { return as_single(number).has_value(); }))
    weigh({NumbersKind::singles}, 1);
  for (const DecimalForm& form : decimal_forms(sample))
    weigh({NumbersKind::decimal, form}, encoder.is_patient() ? 1 : 1 + decimal_gain);
  return best;
}

/// A single as a double. The bits of a NaN are moved, since a conversion may change them.
double widened(std::uint32_t bits) {
  const auto single = std::bit_cast<float>(bits);
  if (single == single) return static_cast<double>(single);
  const std::uint64_t sign = std::uint64_t{bits >> 31} << 63, fraction = bits & 0x7FFFFFu;
  return std::bit_cast<double>(sign | std::uint64_t{0x7FF} << 52 | fraction << 29);
}

/// A list of all real parts, and one of all imaginary parts.
void put_apart(Doubles parts, StreamEncoder& encoder, Bytes& out) {
  std::vector<double> each(parts.size() / 2);
  for (const std::size_t first : {0, 1}) {
    for (std::size_t i = 0; i < each.size(); ++i) each[i] = parts[2 * i + first];
    encode_numbers(each, false, encoder, out);
  }
}

void put_together(Doubles parts, StreamEncoder& encoder, Bytes& out) {
  out.push_back(static_cast<std::uint8_t>(NumbersKind::pairs));
  encode_numbers(parts, false, encoder, out);
}

// --- Decoding --------------------------------------------------------------------------------------------------------

Status take_others(std::uint64_t count, ByteReader& in, StreamDecoder& decoder, double* out) {
  std::uint64_t others = 0;
  if (!in.varint(others) || others > count) return damaged("says that more numbers are no decimals than there are");
  std::vector<std::uint32_t> gaps(others);
  std::vector<std::uint64_t> words(others);
  SPRESS_CHECK(decoder.next("other places", in, others, gaps.data()));
  SPRESS_CHECK(decoder.next("other numbers", in, others, words.data()));
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < others; ++i, ++at) {
    at += gaps[i];
    if (at >= count) return damaged("a number that is no decimal is out of range");
    out[at] = std::bit_cast<double>(words[i]);
  }
  return Ok{};
}

Status take_decimals(std::uint64_t count, ByteReader& in, StreamDecoder& decoder, double* out) {
  auto* digits = reinterpret_cast<std::uint64_t*>(out);  // each is replaced by the number that it makes
  SPRESS_CHECK(decoder.next("digits", in, count, digits));
  auto* exponents = decoder.room<std::uint16_t>(count);
  SPRESS_CHECK(decoder.next("exponents", in, count, exponents));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto exponent = static_cast<int>(unzigzag(exponents[i]));
    if (exponent < -largest_exponent || exponent > largest_exponent) return damaged("an exponent is out of range");
    std::uint64_t word = 0;
    std::memcpy(&word, out + i, sizeof word);
    out[i] = nearest_double({unzigzag(word), exponent});
  }
  return take_others(count, in, decoder, out);
}

}  // namespace

void encode_numbers(Doubles numbers, bool ascending, StreamEncoder& encoder, Bytes& out) {
  if (numbers.empty()) return;
  const Way best = best_way(numbers, ascending, encoder);
  const std::size_t begin = out.size();
  put(numbers, best, ascending, encoder, out);
  if (!encoder.is_patient() || best.kind == NumbersKind::words) return;
  Bytes words;  // may repeat what stands far before, which a sample does not show
  put_words(numbers, ascending, encoder, words);
  if (words.size() >= out.size() - begin) return;
  out.resize(begin);
  out.insert(out.end(), words.begin(), words.end());
}

void encode_complex(Doubles parts, StreamEncoder& encoder, Bytes& out) {
  if (parts.empty()) return;
  const auto sample = sample_of(parts, encoder.is_patient() ? parts.size() : 2 * sample_numbers, 2);
  Bytes apart, together;
  put_apart(sample, encoder, apart);
  put_together(sample, encoder, together);
  const bool are_pairs = together.size() < apart.size();
  if (sample.size() < parts.size())
    return are_pairs ? put_together(parts, encoder, out) : put_apart(parts, encoder, out);
  const Bytes& best = are_pairs ? together : apart;
  out.insert(out.end(), best.begin(), best.end());
}

Status decode_numbers(std::uint64_t count, ByteReader& in, StreamDecoder& decoder, double* out) {
  if (count == 0) return Ok{};
  std::uint8_t kind = 0;
  if (!in.byte(kind)) return damaged("its values are missing");
  switch (static_cast<NumbersKind>(kind)) {
    case NumbersKind::words: return decoder.next("values", in, count, reinterpret_cast<std::uint64_t*>(out));
    case NumbersKind::singles: {
      auto* singles = decoder.room<std::uint32_t>(count);
      SPRESS_CHECK(decoder.next("values", in, count, singles));
      for (std::uint64_t i = 0; i < count; ++i) out[i] = widened(singles[i]);
      return Ok{};
    }
    case NumbersKind::decimal: return take_decimals(count, in, decoder, out);
    case NumbersKind::pairs: break;
  }
  return damaged("its values are of an unknown kind");
}

Status decode_complex(std::uint64_t count, ByteReader& in, StreamDecoder& decoder, double* out) {
  if (count != 0 && in.pass(static_cast<std::uint8_t>(NumbersKind::pairs)))
    return decode_numbers(2 * count, in, decoder, out);
  HostArray<double> each(count);  // touched only once a stream is known to hold so many
  for (const std::size_t first : {0, 1}) {
    SPRESS_CHECK(decode_numbers(count, in, decoder, each.data()));
    for (std::uint64_t i = 0; i < count; ++i) out[2 * i + first] = each[i];
  }
  return Ok{};
}

}  // namespace spress::io
