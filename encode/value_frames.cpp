#include "encode/value_frames.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace spress {
namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
constexpr auto most_exact = static_cast<double>(largest_decimal);

double fused(double a, double b, double c) { return std::fma(a, b, c); }

/// u of a double in a frame of shared bits, unless it has bits below the scale.
std::optional<std::uint64_t> shared_number(std::uint64_t bits, std::uint32_t scale) {
  const std::uint64_t magnitude = bits & ~sign_bit;
  if ((magnitude & ((std::uint64_t{1} << scale) - 1)) != 0) return std::nullopt;
  return magnitude >> scale << 1 | bits >> 63;
}

/// The integer of which a double is the quotient by 10^digits, if the kernels' way to divide gives it back.
std::optional<std::uint64_t> decimal_number(std::uint64_t bits, std::uint32_t digits) {
  const auto value = std::bit_cast<double>(bits);
  const double power = powers_of_ten.power[digits], number = std::nearbyint(value * power);
  if (!(std::abs(number) <= most_exact) || number / power != value) return std::nullopt;  // NaN too
  const double back = scaled_decimal(number, power, powers_of_ten.inverse[digits], fused);
  if (std::bit_cast<std::uint64_t>(back) != bits) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

std::optional<std::uint64_t> number_in(const ValueFrame& frame, std::uint64_t bits) {
  return frame.decimal ? decimal_number(bits, frame.scale) : shared_number(bits, frame.scale);
}

/// No decimal of the double has fewer digits behind the point: as many as keep it far below largest_decimal would do
/// wherever fewer do, so that one look at those rules out all.
std::uint32_t least_digits(std::uint64_t bits) {
  constexpr int far_below = 50, bias = 1022;  // in bits; of exponents
  constexpr double integers_from = 0x1.8p52;  // on
  const int room = far_below - (static_cast<int>(bits >> 52 & 0x7FF) - bias);
  if (room < 0) return 0;
  const auto digits = std::min(static_cast<std::uint32_t>(room) * 1233 / 4096, ValueFrame::most_digits);  // log10(2)
  const auto value = std::bit_cast<double>(bits);
  const double power = powers_of_ten.power[digits], number = (value * power + integers_from) - integers_from;
  return number / power == value ? 0 : digits + 1;
}

/// The fewest digits behind the point with which the double is written exactly, or none.
std::optional<std::uint32_t> fewest_digits(std::uint64_t bits) {
  const auto magnitude = std::bit_cast<double>(bits & ~sign_bit);
  for (std::uint32_t digits = least_digits(bits); digits <= ValueFrame::most_digits; ++digits) {
    if (!(magnitude * powers_of_ten.power[digits] < most_exact + 2)) return std::nullopt;  // NaN too
    if (decimal_number(bits, digits)) return digits;
  }
  return std::nullopt;
}

}  // namespace

/// The longest run of numbers_ (sorted) of which the last is less than `codes` above the first; of several the first
/// one. A length that was found is never given up: the run that is looked at only moves on.
FrameFinder::Run FrameFinder::longest_run(std::uint64_t codes) const {
  std::size_t begin = 0, first = 0;
  for (std::size_t end = 0; end < numbers_.size(); ++end) {
    const bool fits = numbers_[end] - numbers_[begin] < codes;
    first = fits ? begin : first;
    begin += fits ? 0 : 1;
  }
  const std::size_t length = numbers_.size() - begin;
  return {numbers_[first], numbers_[first + length - 1], length};
}

/// The window of numbers_ (sorted, at least one) to be coded in the fewest bytes. strangers: exceptions in any case.
/// Of no use where none costs less than `limit`. Requires: code_bytes that do not fall, the last no less than the
/// limit.
FrameFinder::Window FrameFinder::cheapest_window(std::uint64_t strangers, const CodeBytes& code_bytes,
                                                 std::uint64_t limit) const {
  const std::uint64_t all = numbers_.size() + strangers, range = numbers_.back() - numbers_.front();
  if (strangers == 0 && range == 0) return {numbers_.front(), code_bytes[0], 0, 0};
  Window best{0, limit, 8, 0};
  const auto window = [&](std::uint64_t base, std::uint32_t bytes, std::uint64_t exceptions) {
    const ValueFrame frame{.exceptions = static_cast<std::uint32_t>(exceptions)};
    return Window{base, code_bytes[bytes] + frame.exception_bytes(), bytes, frame.exceptions};
  };
  const auto codes = [](std::uint32_t bytes) { return std::uint64_t{1} << 8 * bytes; };
  const auto most_exceptions = [&](std::uint32_t bytes) {
    return std::min<std::uint64_t>(codes(bytes) - 1, ValueFrame::most_exceptions);
  };
  std::uint32_t enough = 1;  // bytes for all numbers
  while (enough < 8 && (strangers > most_exceptions(enough) || range >= codes(enough) - strangers)) ++enough;
  const std::optional<Window> whole =
      enough < 8 ? std::optional(window(numbers_.front(), enough, strangers)) : std::nullopt;
  if (whole) limit = std::min(limit, whole->cost + 1);  // as many of fewer bytes will do
  for (std::uint32_t bytes = 1; bytes < enough; ++bytes) {
    std::uint64_t exceptions = strangers + 1, first = 0;
    // The more exceptions, the fewer codes, the shorter the window.
    while (exceptions <= most_exceptions(bytes) && window(first, bytes, exceptions).cost < limit) {
      const Run run = longest_run(codes(bytes) - exceptions);
      first = run.first;
      const bool shorter = all - run.length > exceptions;
      exceptions = all - run.length;
      if (!shorter || run.last - run.first < codes(bytes) - exceptions) break;
    }
    if (exceptions > most_exceptions(bytes)) continue;
    const Window found = window(first, bytes, exceptions);
    if (found.cost >= limit) continue;
    best = found;
    limit = found.cost;
  }
  return whole && whole->cost < limit ? *whole : best;
}

/// Takes the frames that hold numbers as `way` does, if the best of them is smaller.
void FrameFinder::try_way(const ValueFrame& way, std::span<const std::uint64_t> bits, const CodeBytes& code_bytes,
                          Found& best) {
  const std::uint64_t flip = way.decimal ? sign_bit : 0;  // which puts signed numbers in the order of unsigned ones
  numbers_.clear();
  for (const std::uint64_t b : bits)
    if (const auto u = number_in(way, b)) numbers_.push_back(*u ^ flip);
  if (numbers_.empty()) return;
  std::sort(numbers_.begin(), numbers_.end());
  const Window window = cheapest_window(bits.size() - numbers_.size(), code_bytes, best.bytes);
  if (window.cost >= best.bytes) return;
  best = {way, window.cost};
  best.frame.base = window.base ^ flip;
  best.frame.bytes = window.bytes;
  best.frame.exceptions = window.exceptions;
}

/// Tries the numbers of digits that a sample needs most often, and the most.
void FrameFinder::try_decimals(std::span<const std::uint64_t> bits, const CodeBytes& code_bytes, Found& best) {
  constexpr std::size_t samples = 32;
  std::array<std::uint32_t, ValueFrame::most_digits + 1> needed = {};
  std::uint32_t most = 0, found = 0;
  const std::size_t step = std::max<std::size_t>(1, bits.size() / samples);
  for (std::size_t k = 0; k < bits.size(); k += step)
    if (const auto digits = fewest_digits(bits[k])) {
      ++needed[*digits];
      most = std::max(most, *digits);
      ++found;
    }
  if (found == 0) return;
  const auto often = static_cast<std::uint32_t>(std::max_element(needed.begin(), needed.end()) - needed.begin());
  try_way({.decimal = true, .scale = most}, bits, code_bytes, best);
  if (often != most) try_way({.decimal = true, .scale = often}, bits, code_bytes, best);
}

FrameFinder::Found FrameFinder::find(std::span<const std::uint64_t> bits, const CodeBytes& code_bytes, bool decimals) {
  if (bits.empty()) return {};
  Found best{{.bytes = 8}, code_bytes[8]};
  // Zeros below the lowest bit set: of all values, and of all but a few.
  std::array<std::uint32_t, 65> zeros = {};
  for (const std::uint64_t b : bits) ++zeros[static_cast<std::uint32_t>(std::countr_zero(b & ~sign_bit))];
  std::uint32_t of_all = 0, of_most = 0, below = 0;
  while (of_all < ValueFrame::most_bits && zeros[of_all] == 0) ++of_all;
  for (std::uint32_t z = 0; z <= ValueFrame::most_bits; ++z) {
    of_most = z;
    below += zeros[z];
    if (below > bits.size() / 16) break;
  }
  try_way({.scale = of_all}, bits, code_bytes, best);
  if (of_most > of_all) try_way({.scale = of_most}, bits, code_bytes, best);
  if (decimals) try_decimals(bits, code_bytes, best);
  return best;
}

double least_frame_bytes(std::span<const std::uint64_t> bits, bool decimals) {
  constexpr double part = 0.75;  // few values take less than many of the kind
  const std::size_t length = std::min(std::clamp<std::size_t>(bits.size() / 1024, 16, 64), bits.size());
  if (length == 0) return 0;
  const std::size_t runs = bits.size() < 4 * length ? 1 : bits.size() < 8192 ? 3 : 5, last = bits.size() - length;
  CodeBytes code_bytes = {};
  for (std::size_t bytes = 0; bytes < code_bytes.size(); ++bytes) code_bytes[bytes] = bytes * length;
  FrameFinder finder;
  std::uint64_t least = 8 * length;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t begin = runs == 1 ? 0 : last * run / (runs - 1);
    least = std::min(least, finder.find(bits.subspan(begin, length), code_bytes, decimals).bytes);
  }
  return part * static_cast<double>(least) / static_cast<double>(length) * static_cast<double>(bits.size());
}

std::uint64_t code_in(const ValueFrame& frame, std::uint64_t bits) {
  const auto number = number_in(frame, bits);
  return number ? *number - frame.base : ~std::uint64_t{0};
}

void write_codes(const ValueFrame& frame, std::span<const std::uint64_t> bits, std::uint8_t* out,
                 std::uint8_t* exceptions, std::uint32_t& met) {
  const auto entries = static_cast<std::uint32_t>(bits.size());
  std::fill_n(out, turn_code_bytes(entries, frame.bytes), std::uint8_t{0});
  for (std::uint32_t e = 0; e < entries; ++e) {
    std::uint64_t code = code_in(frame, bits[e]);
    if (code > frame.last_code()) {
      std::memcpy(exceptions + 8 * met, &bits[e], sizeof bits[e]);
      code = frame.top_code() - met++;
    }
    for (std::uint32_t part = 8, done = 0; part != 0; part /= 2) {
      if ((frame.bytes & part) == 0) continue;
      const std::uint64_t plane = code >> 8 * done;
      std::memcpy(out + std::uint64_t{done} * entries + std::uint64_t{part} * e, &plane, part);
      done += part;
    }
  }
}

}  // namespace spress
