// The table of the most frequent values in which formats with chunks look values up, and the bits they move.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "analyze/value_counts.hpp"
#include "encode/shared/codec.hpp"
#include "formats/coo/chunks.hpp"

namespace spress {

/// Errors: not_applicable for a store whose codes are not the values.
[[nodiscard]] inline Status require_raw(const ValueStore<Viewed>& values, std::string_view format) {
  if (values.kind == StoreKind::raw) return Ok{};
  return Error{ErrorCode::not_applicable, std::string(format) +
                                              " codes values in its own way and takes them raw, not as " +
                                              std::string(enum_name(values.kind))};
}

/// The 256 most frequent values (fewer if fewer are distinct), most frequent first, ties by bit pattern, and the way
/// from a value to its place. Empty for a pattern.
template <class Bits>
class ValueLut {
 public:
  static constexpr int absent = -1;
  static constexpr bool holds_values = width_of_bits<Bits> != 0;

  /// Requires: a raw store.
  explicit ValueLut(const ValueStore<Viewed>& values) {
    if constexpr (holds_values) {
      bits_ = static_cast<const Bits*>(values.codes.raw());
      table_ = analyze::most_frequent(bits_, values.count, 256);
      slots_.fill(absent);
      for (std::size_t i = 0; i < table_.size(); ++i) slots_[slot_of(table_[i])] = static_cast<std::int16_t>(i);
    }
  }

  /// The bits of entry k's value.
  [[nodiscard]] Bits bits(std::uint64_t k) const {
    if constexpr (holds_values)
      return bits_[k];
    else
      return {};
  }
  /// The place of entry k's value in the table, or `absent`.
  [[nodiscard]] int code(std::uint64_t k) const {
    if constexpr (holds_values)
      return slots_[slot_of(bits_[k])];
    else
      return absent;
  }
  [[nodiscard]] std::size_t size() const { return table_.size(); }
  /// The first `count` values as an array of `type`.
  [[nodiscard]] AnyArray<Owned> array(ValueType type, std::size_t count) const {
    AnyArray<Owned> lut(dtype_of_values(type), count);
    if (count != 0) std::memcpy(lut.raw(), table_.data(), lut.bytes());
    return lut;
  }

 private:
  /// The slot that holds the key, or the free one where it would stand. Few of the slots are in use: most values of a
  /// matrix with many are seen to be absent at once.
  [[nodiscard]] std::size_t slot_of(const Bits& key) const {
    std::size_t at = hash_bits(key) % slots_.size();
    while (slots_[at] != absent && !(table_[static_cast<std::size_t>(slots_[at])] == key))
      at = (at + 1) % slots_.size();
    return at;
  }

  const Bits* bits_ = nullptr;
  std::vector<Bits> table_;
  std::array<std::int16_t, 8192> slots_{};
};

}  // namespace spress
