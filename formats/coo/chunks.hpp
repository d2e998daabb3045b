// Chunks: what the formats that cut a matrix into pieces of b consecutive entries share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "formats/core/checks.hpp"
#include "formats/core/params.hpp"
#include "formats/core/result.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// The parameter of a format with chunks. Source of the default: Aliaga et al. 2021, section 3.1.
struct ChunkParams {
  std::uint32_t b = 1024;
  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("b", b, "entries in a chunk, at least 1");
  }
};

/// Errors: usage, for chunks of no entries.
[[nodiscard]] inline Status check(std::string_view format, const ChunkParams& params) {
  return check_range(format, "b", params.b, 1);
}

/// Chunks of b entries that nnz entries fill, the last one perhaps in part. Requires: b != 0.
[[nodiscard]] constexpr std::uint64_t chunk_count(std::uint64_t nnz, std::uint64_t b) {
  return nnz / b + (nnz % b != 0 ? 1 : 0);
}

/// So few chunks are not worth waking threads for: validating and decoding tiny matrices is what tests and fuzzers do.
inline constexpr std::uint64_t few_chunks = 16;

/// An unaligned number.
template <class T>
[[nodiscard]] SPRESS_HD inline T load_unaligned(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Stands for the bits of a value where there are none: a pattern.
struct NoBits {};

/// Bytes of a value of these bits.
template <class Bits>
inline constexpr std::size_t width_of_bits = std::is_same_v<Bits, NoBits> ? 0 : sizeof(Bits);

/// Calls use(Bits{}) for the bits that hold a value of `type`.
template <class Use>
decltype(auto) with_bits_of(ValueType type, Use&& use) {
  switch (type) {
    case ValueType::none: return use(NoBits{});
    case ValueType::f32: return use(std::uint32_t{});
    case ValueType::c128: return use(Bytes16{});
    default: return use(std::uint64_t{});
  }
}

namespace checks {

/// The entries of a chunk, as a file says it. Errors: damaged.
[[nodiscard]] inline Status chunk_length(std::uint64_t b) {
  if (b >= 1 && b <= 0xFFFFFFFFu) return Ok{};
  return damaged("chunks of " + std::to_string(b) + " entries, expected 1 to 4294967295");
}

/// A table of at most 256 values of `type`, none for a pattern. Errors: damaged.
[[nodiscard]] inline Status value_lut(const AnyArray<Viewed>& lut, ValueType type) {
  const bool good = type == ValueType::none ? lut.empty() : lut.dtype() == dtype_of_values(type) && lut.size() <= 256;
  if (good) return Ok{};
  return damaged("lut holds " + std::to_string(lut.size()) + " values of " + std::string(to_string(lut.dtype())) +
                 ", expected at most 256 of the values' type");
}

}  // namespace checks
}  // namespace spress
