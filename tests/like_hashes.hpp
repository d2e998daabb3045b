// Values that analyze/store_check.cpp does not tell apart by their hashes.
#pragma once

#include <bit>
#include <cstdint>

namespace spress::tests {

/// The k-th of 2^20 doubles that have one HalfHash. Keep this with it.
[[nodiscard]] inline double value_of_like_hash(std::uint64_t k) {
  const auto high = static_cast<std::uint32_t>(0x3FF00000u + k), low = 0x5CF54EFCu - 5 * high;
  return std::bit_cast<double>(std::uint64_t{high} << 32 | low);
}

}  // namespace spress::tests
