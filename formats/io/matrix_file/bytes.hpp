// Small numbers in few bytes. Private to formats/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spress::io {

/// Seven bits a byte, the lowest first; the eighth bit says that more follow.
inline void put_varint(std::uint64_t number, std::vector<std::uint8_t>& out) {
  for (; number >= 128; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 128));
  out.push_back(static_cast<std::uint8_t>(number));
}

/// Numbers of either sign as numbers from 0: 0, -1, 1, -2, ...
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t number) {
  return static_cast<std::int64_t>((number >> 1) ^ (0 - (number & 1)));
}

/// a - b as such a number. Requires: both are below 2^31.
[[nodiscard]] constexpr std::uint32_t zigzag_difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>(zigzag(static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b)));
}

/// Reads from the front of some bytes; each call answers false, and takes nothing, where they do not hold what is
/// asked for.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  [[nodiscard]] bool byte(std::uint8_t& out) {
    if (rest_.empty()) return false;
    out = rest_.front();
    rest_ = rest_.subspan(1);
    return true;
  }
  /// Refuses numbers beyond 64 bits, and more bytes than a number needs.
  [[nodiscard]] bool varint(std::uint64_t& out) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < rest_.size() && i < 10; ++i) {
      const std::uint64_t bits = rest_[i] & 127u;
      if (i == 9 && bits > 1) return false;
      number |= bits << (7 * i);
      if (rest_[i] >= 128) continue;
      if (i != 0 && rest_[i] == 0) return false;
      rest_ = rest_.subspan(i + 1);
      out = number;
      return true;
    }
    return false;
  }
  [[nodiscard]] bool bytes(std::uint64_t count, std::span<const std::uint8_t>& out) {
    if (count > rest_.size()) return false;
    out = rest_.first(count);
    rest_ = rest_.subspan(count);
    return true;
  }
  template <class T>
  [[nodiscard]] bool fixed(T& out) {
    std::span<const std::uint8_t> from;
    if (!bytes(sizeof out, from)) return false;
    std::memcpy(&out, from.data(), sizeof out);
    return true;
  }
  [[nodiscard]] bool text(std::string& out) {
    std::uint64_t length = 0;
    std::span<const std::uint8_t> from;
    if (!varint(length) || !bytes(length, from)) return false;
    out.assign(from.begin(), from.end());
    return true;
  }
  /// Passes the next byte if it is this one.
  [[nodiscard]] bool pass(std::uint8_t wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_ = rest_.subspan(1);
    return true;
  }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::uint8_t> rest_;
};

template <class T>
void put_fixed(const T& value, std::vector<std::uint8_t>& out) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
  out.insert(out.end(), from, from + sizeof value);
}

inline void put_text(std::string_view text, std::vector<std::uint8_t>& out) {
  put_varint(text.size(), out);
  out.insert(out.end(), text.begin(), text.end());
}

}  // namespace spress::io
