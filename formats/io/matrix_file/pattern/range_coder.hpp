// Bits and numbers coded by how likely they are, which is learned on the way: a binary range coder with adaptive
// probabilities. Private to formats/io; see container_v2.md.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace spress::io {

/// The probability that the next bit of some kind is 0. It learns quickly at first, slowly later.
struct BitModel {
  std::uint16_t zero = 0x8000;  ///< of 65536
  std::uint8_t seen = 0;        ///< bits so far, up to 63

  static constexpr unsigned most_seen = 63;
  void learn(bool bit) {
    const auto rate = static_cast<unsigned>(std::bit_width(seen + 1u));
    zero = static_cast<std::uint16_t>(bit ? zero - (zero >> rate) : zero + ((0x10000u - zero) >> rate));
    seen = static_cast<std::uint8_t>(seen + (seen < most_seen ? 1 : 0));
  }
};
static_assert(std::bit_width(BitModel::most_seen + 1) == 7, "probabilities stay between 127 and 65536 - 127 of 65536");

class RangeEncoder {
 public:
  void put(BitModel& model, bool bit) {
    put(std::uint32_t{model.zero}, bit);
    model.learn(bit);
  }
  /// The lowest `count` bits of a number, the highest first, all equally likely.
  void put_plain(std::uint64_t number, unsigned count) {
    while (count-- > 0) put(0x8000u, (number >> count & 1) != 0);
  }
  /// The bytes, to which nothing is to be added.
  [[nodiscard]] std::vector<std::uint8_t> finish() {
    for (int i = 0; i < 5; ++i) shift();
    return std::move(out_);
  }

 private:
  void put(std::uint32_t zero, bool bit) {
    const std::uint32_t bound = (range_ >> 16) * zero;
    low_ += bit ? bound : 0;
    range_ = bit ? range_ - bound : bound;
    while (range_ < 1u << 24) {
      range_ <<= 8;
      shift();
    }
  }
  /// Takes the highest byte off `low_`. Bytes 0xFF wait until it is clear whether a carry runs through them.
  void shift() {
    if (low_ < 0xFF000000u || low_ > 0xFFFFFFFFu) {
      const auto carry = static_cast<std::uint8_t>(low_ >> 32);
      if (begun_) out_.push_back(static_cast<std::uint8_t>(cache_ + carry));
      out_.insert(out_.end(), waiting_, static_cast<std::uint8_t>(0xFF + carry));
      waiting_ = 0;
      begun_ = true;
      cache_ = static_cast<std::uint8_t>(low_ >> 24);
    } else {
      ++waiting_;
    }
    low_ = (low_ & 0x00FFFFFFu) << 8;
  }

  std::vector<std::uint8_t> out_;
  std::uint64_t low_ = 0, waiting_ = 0;
  std::uint32_t range_ = 0xFFFFFFFFu;
  std::uint8_t cache_ = 0;
  bool begun_ = false;
};

/// Reads what RangeEncoder wrote. Behind the end it reads zeros: ended_well() tells whether that happened.
class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const std::uint8_t> bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next();
  }
  [[nodiscard]] bool get(BitModel& model) {
    const bool bit = get(std::uint32_t{model.zero});
    model.learn(bit);
    return bit;
  }
  [[nodiscard]] std::uint64_t get_plain(unsigned count) {
    std::uint64_t number = 0;
    while (count-- > 0) number = number << 1 | static_cast<std::uint64_t>(get(0x8000u));
    return number;
  }
  /// True if exactly the bytes that there are were read.
  [[nodiscard]] bool ended_well() const { return at_ == end_ && missing_ == 0; }
  /// True once more was read than there is: what is read from then on means nothing.
  [[nodiscard]] bool ran_out() const { return missing_ != 0; }

 private:
  [[nodiscard]] bool get(std::uint32_t zero) {
    const std::uint32_t bound = (range_ >> 16) * zero;
    const bool bit = code_ >= bound;
    code_ -= bit ? bound : 0;
    range_ = bit ? range_ - bound : bound;
    while (range_ < 1u << 24) {
      range_ <<= 8;
      code_ = code_ << 8 | next();
    }
    return bit;
  }
  [[nodiscard]] std::uint32_t next() {
    if (at_ != end_) return *at_++;
    ++missing_;
    return 0;
  }

  const std::uint8_t *at_, *end_;
  std::uint64_t missing_ = 0;
  std::uint32_t range_ = 0xFFFFFFFFu, code_ = 0;
};

/// Numbers below 2^32, of which the small ones are likely: the number of their bits, each one more a bit of its own,
/// then the bits below the highest one, of which the first two are learned and the others are taken as they are.
class NumberModel {
 public:
  void put(RangeEncoder& coder, std::uint32_t number) {
    const auto bits = static_cast<unsigned>(std::bit_width(number));
    for (unsigned i = 0; i < bits; ++i) coder.put(longer_[i], true);
    if (bits < most_bits) coder.put(longer_[bits], false);
    if (bits < 2) return;
    const unsigned learned = std::min(bits - 1, 2u);
    unsigned node = 1;
    for (unsigned i = 1; i <= learned; ++i) {
      const bool bit = (number >> (bits - 1 - i) & 1) != 0;
      coder.put(below_[bits - 1][node], bit);
      node = 2 * node + bit;
    }
    coder.put_plain(number, bits - 1 - learned);
  }
  [[nodiscard]] std::uint32_t get(RangeDecoder& coder) {
    unsigned bits = 0;
    while (bits < most_bits && coder.get(longer_[bits])) ++bits;
    if (bits < 2) return bits;
    const unsigned learned = std::min(bits - 1, 2u);
    unsigned node = 1;
    for (unsigned i = 1; i <= learned; ++i) node = 2 * node + coder.get(below_[bits - 1][node]);
    const auto rest = bits - 1 - learned;
    return static_cast<std::uint32_t>(std::uint64_t{node} << rest | coder.get_plain(rest));
  }

 private:
  static constexpr unsigned most_bits = 32;
  std::array<BitModel, most_bits> longer_;
  std::array<std::array<BitModel, 4>, most_bits> below_;
};

}  // namespace spress::io
