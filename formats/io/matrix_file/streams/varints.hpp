// Numbers of seven bits a byte: the layout varint of streams. Private to formats/io; see container_v2.md.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "formats/io/matrix_file/bytes.hpp"

namespace spress::io {

[[nodiscard]] constexpr std::size_t most_varint_bytes(std::size_t width) { return (8 * width + 6) / 7; }

/// The difference of two numbers of type T as a number from 0, and back.
template <class T>
[[nodiscard]] T folded(T difference) {
  using Signed = std::make_signed_t<T>;
  return static_cast<T>(zigzag(static_cast<Signed>(difference)));
}

/// Lays out numbers, or their differences, and returns the bytes. out: count * most_varint_bytes(sizeof(T)) of room.
template <class T>
[[nodiscard]] std::size_t lay_varints(const T* numbers, std::size_t count, bool delta, std::uint8_t* out) {
  std::uint8_t* const begin = out;
  T before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t number = delta ? folded<T>(static_cast<T>(numbers[i] - before)) : numbers[i];
    before = numbers[i];
    for (; number >= 128; number >>= 7) *out++ = static_cast<std::uint8_t>(number | 128);
    *out++ = static_cast<std::uint8_t>(number);
  }
  return static_cast<std::size_t>(out - begin);
}

/// The number of at most `most` bytes at `at` that ends before `end`, and where it ends; nullptr if there is none.
template <std::size_t most>
[[nodiscard]] inline const std::uint8_t* take_varint(const std::uint8_t* at, const std::uint8_t* end,
                                                     std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; at != end && shift < 7 * most; shift += 7) {
    const std::uint64_t byte = *at++;
    if (shift == 63 && byte > 1) return nullptr;
    number |= (byte & 127) << shift;
    if (byte < 128) return at;
  }
  return nullptr;
}

/// The lower seven bits of eight bytes, side by side.
[[nodiscard]] inline std::uint64_t joined_sevens(std::uint64_t word) {
  word = (word & 0x007F007F007F007Fu) | (word & 0x7F007F007F007F00u) >> 1;
  word = (word & 0x00003FFF00003FFFu) | (word & 0x3FFF00003FFF0000u) >> 2;
  return (word & 0x000000000FFFFFFFu) | (word & 0x0FFFFFFF00000000u) >> 4;
}

/// As take_varint where at least 8 bytes are left. It has no branch for each byte, because the length of the next
/// number cannot be foreseen.
template <std::size_t most>
[[nodiscard]] inline const std::uint8_t* take_short_varint(const std::uint8_t* at, const std::uint8_t* end,
                                                           std::uint64_t& number) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const std::uint64_t ends = ~word & 0x8080808080808080u;
  if (most > 8 && ends == 0) return take_varint<most>(at, end, number);
  const std::uint64_t first_end = ends & (0 - ends);
  number = joined_sevens(word & (first_end - 1));
  const auto bytes = static_cast<std::size_t>(std::countr_zero(first_end) / 8) + 1;  // 9 if there is no end
  return bytes <= most ? at + bytes : nullptr;
}

/// The numbers that `word`, eight bytes, begins with, if as many end in it. Answers how many bytes they take; 0 if
/// fewer end in it, or one has more than `most` bytes. No number waits for the end of the one before to be read.
template <std::size_t numbers, std::size_t most>
[[nodiscard]] inline std::size_t take_together(std::uint64_t word, std::array<std::uint64_t, numbers>& out) {
  std::uint64_t ends = ~word & 0x8080808080808080u, last = ends;
  for (std::size_t i = 1; i < numbers; ++i) last &= last - 1;
  if (last == 0) return 0;
  unsigned begin = 0;
  bool good = true;
  for (std::uint64_t& number : out) {
    const auto end = static_cast<unsigned>(std::countr_zero(ends));  // the highest bit of its last byte
    number = joined_sevens((word >> begin) & ((std::uint64_t{1} << (end - begin)) - 1));
    good &= end + 1 - begin <= 8 * most;
    begin = end + 1;
    ends &= ends - 1;
  }
  return good ? begin / 8 : 0;
}

/// Reads numbers, or sums up differences. False if the bytes are not `count` numbers of type T, no more and no less.
template <class T, class Out>
[[nodiscard]] bool take_varints(std::span<const std::uint8_t> bytes, std::size_t count, bool delta, Out* out) {
  constexpr std::size_t most = most_varint_bytes(sizeof(T)), together = 4;
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  T before = 0;
  std::uint64_t largest = 0;
  const auto put = [&](std::size_t i, std::uint64_t number) {
    largest |= number;
    auto value = static_cast<T>(number);
    if (delta) value = before = static_cast<T>(before + static_cast<T>(unzigzag(number)));
    out[i] = static_cast<Out>(value);
  };
  std::size_t i = 0;
  while (i < count) {
    std::uint64_t word = 0;
    if (end - at >= 8 && count - i >= 8) {
      std::memcpy(&word, at, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        for (std::size_t j = 0; j < 8; ++j) put(i + j, at[j]);
        at += 8;
        i += 8;
        continue;
      }
      std::array<std::uint64_t, together> numbers;
      if (const std::size_t taken = take_together<together, most>(word, numbers)) {
        for (std::size_t j = 0; j < together; ++j) put(i + j, numbers[j]);
        at += taken;
        i += together;
        continue;
      }
    }
    std::uint64_t number = 0;
    at = end - at >= 8 ? take_short_varint<most>(at, end, number) : take_varint<most>(at, end, number);
    if (at == nullptr) return false;
    put(i++, number);
  }
  return at == end && largest <= std::numeric_limits<T>::max();
}

}  // namespace spress::io
