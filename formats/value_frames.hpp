// Frames: numbers that lie near one another, each held as what it is beyond a base that all share, in as many bytes as
// most of them need. The few that need more are exceptions, which stand apart. Lossless by bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "formats/array.hpp"

namespace spress {

/// How the doubles of one item of a format are coded: two words of the format's `frames`.
///
/// A double is first an integer u: its bits but the sign, without their lowest `scale` ones, which are 0, and the sign
/// as the lowest bit; or, where `decimal` is set, the integer, of at most 2^53, of which it is the quotient by
/// 10^scale. Its code is u - base (modulo 2^64), of `bytes` bytes. The largest code stands for the first exception, the
/// next lower one for the second, and so on. The exceptions stand in front of the item's codes, eight bytes each, the
/// codes from the next multiple of 16 bytes on.
struct ValueFrame {
  static constexpr std::uint32_t words = 2;
  static constexpr std::uint32_t alignment = 16;  ///< of exceptions and of the codes of each turn, in bytes
  static constexpr std::uint32_t most_bits = 52, most_digits = 22;
  static constexpr std::uint32_t most_exceptions = (1u << 16) - 1;

  std::uint64_t base = 0;        ///< word 0
  std::uint32_t bytes = 0;       ///< word 1, bits 0 to 3: 0 to 8
  bool decimal = false;          ///< bit 4
  std::uint32_t scale = 0;       ///< bits 5 to 10
  std::uint32_t exceptions = 0;  ///< bits 11 to 26
  std::uint64_t first = 0;       ///< bits 27 to 63: where the exceptions begin, in units of 16 bytes

  [[nodiscard]] SPRESS_HD static ValueFrame read(const std::uint64_t* word) {
    const auto bits = static_cast<std::uint32_t>(word[1]);
    return {word[0], bits & 15u, (bits & 16u) != 0, bits >> 5 & 63u, bits >> 11 & 0xFFFFu, word[1] >> 27};
  }
  void write(std::uint64_t* word) const {
    word[0] = base;
    word[1] = bytes | (decimal ? 16u : 0u) | scale << 5 | exceptions << 11 | first << 27;
  }

  /// Bytes from the beginning of the codes array.
  [[nodiscard]] SPRESS_HD std::uint64_t first_exception() const { return first * alignment; }
  [[nodiscard]] SPRESS_HD std::uint64_t first_code() const { return first_exception() + exception_bytes(); }
  /// Of all exceptions, with what follows to the codes.
  [[nodiscard]] SPRESS_HD std::uint32_t exception_bytes() const {
    return (8 * exceptions + alignment - 1) / alignment * alignment;
  }

  /// The largest code, which is that of the first exception if there is one.
  [[nodiscard]] SPRESS_HD std::uint64_t top_code() const {
    return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
  }
  /// The largest code that is not an exception's.
  [[nodiscard]] SPRESS_HD std::uint64_t last_code() const { return top_code() - exceptions; }
};

/// Bytes that the codes of a turn of `entries` entries take, with what follows to the next multiple of 16.
[[nodiscard]] SPRESS_HD constexpr std::uint32_t turn_code_bytes(std::uint32_t entries, std::uint32_t bytes) {
  return (entries * bytes + ValueFrame::alignment - 1) / ValueFrame::alignment * ValueFrame::alignment;
}

/// The double of u in a frame without decimals.
[[nodiscard]] SPRESS_HD inline std::uint64_t bits_of_shared(std::uint64_t u, std::uint32_t scale) {
  return (u >> 1) << scale | u << 63;
}

/// 10^k and its nearest reciprocal, k up to most_digits; all the powers are exact.
struct PowersOfTen {
  double power[ValueFrame::most_digits + 1] = {}, inverse[ValueFrame::most_digits + 1] = {};
  constexpr PowersOfTen() {
    double p = 1;
    for (std::uint32_t k = 0; k <= ValueFrame::most_digits; ++k, p *= 10) {
      power[k] = p;
      inverse[k] = 1 / p;
    }
  }
};
inline constexpr PowersOfTen powers_of_ten;

/// number / power, in three operations: encoders take as decimals only what these give back bit for bit, and for what
/// they take that is the nearest double to the quotient.
template <class Fma>
[[nodiscard]] SPRESS_HD double scaled_decimal(double number, double power, double inverse, Fma&& fma) {
  const double near = number * inverse;
  return fma(fma(-near, power, number), inverse, near);
}
/// Integers up to here are doubles: so far u goes in a frame of decimals.
inline constexpr std::int64_t largest_decimal = std::int64_t{1} << 53;

/// The bits of the double whose code is given. exceptions: the frame's; powers: powers_of_ten, wherever they lie.
template <class Fma>
[[nodiscard]] SPRESS_HD std::uint64_t bits_of_code(const ValueFrame& frame, std::uint64_t code,
                                                   const std::uint8_t* exceptions, const PowersOfTen& powers,
                                                   Fma&& fma) {
  if (code > frame.last_code()) return reinterpret_cast<const std::uint64_t*>(exceptions)[frame.top_code() - code];
  const std::uint64_t u = frame.base + code;
  if (!frame.decimal) return bits_of_shared(u, frame.scale);
  const double value = scaled_decimal(static_cast<double>(static_cast<std::int64_t>(u)), powers.power[frame.scale],
                                      powers.inverse[frame.scale], fma);
  std::uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The codes of a turn, in parts of 8, 4, 2 and 1 bytes, those of which `bytes` is the sum: first the part that is
/// largest, and lowest, of all codes; then the next. Requires: `at` is aligned to 16 bytes, as turns are.
struct TurnCodes {
  const std::uint8_t* at;
  std::uint32_t entries, bytes;

  [[nodiscard]] SPRESS_HD std::uint64_t operator[](std::uint32_t e) const {
    if (bytes == 8) return reinterpret_cast<const std::uint64_t*>(at)[e];
    const std::uint8_t* part = at;
    std::uint64_t code = 0;
    std::uint32_t done = 0;
    if ((bytes & 4) != 0) {
      code = reinterpret_cast<const std::uint32_t*>(part)[e];
      part += std::uint64_t{4} * entries;
      done = 32;
    }
    if ((bytes & 2) != 0) {
      code |= std::uint64_t{reinterpret_cast<const std::uint16_t*>(part)[e]} << done;
      part += std::uint64_t{2} * entries;
      done += 16;
    }
    if ((bytes & 1) != 0) code |= std::uint64_t{part[e]} << done;
    return code;
  }
};
static_assert(std::endian::native == std::endian::little);

}  // namespace spress
