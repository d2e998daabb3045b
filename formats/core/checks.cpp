#include "formats/core/checks.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace spress::checks {

Status sides(std::uint64_t rows, std::uint64_t cols) {
  if (rows <= largest_side && cols <= largest_side) return Ok{};
  return Error{ErrorCode::too_large, "a side of more than 2147483647 does not fit 32-bit ids"};
}

Status shape(std::uint64_t rows, std::uint64_t cols, const ValueStore<Viewed>& values, std::uint64_t slots) {
  SPRESS_CHECK(sides(rows, cols));
  if (values.count != slots)
    return damaged("the value store holds " + std::to_string(values.count) + " values, expected " +
                   std::to_string(slots));
  return validate(values);
}

bool holds_nothing(const ValueStore<Viewed>& values, std::uint64_t slot) {
  constexpr std::array<std::uint8_t, 16> nothing = {};
  const std::size_t width = code_width(values);
  if (values.kind != StoreKind::raw && values.kind != StoreKind::narrow) return true;
  return width == 0 || std::memcmp(values.codes.memory.data() + width * slot, nothing.data(), width) == 0;
}

Status length(std::string_view array, std::uint64_t actual, std::uint64_t expected) {
  if (actual == expected) return Ok{};
  return damaged(std::string(array) + " has " + std::to_string(actual) + " elements, expected " +
                 std::to_string(expected));
}

Status monotone(std::string_view array, const Positions<Viewed>& positions, std::uint64_t expected,
                std::uint64_t last) {
  if (positions.dtype() != position_type(last))
    return damaged(std::string(array) + " holds " + std::string(to_string(positions.dtype())) + ", expected " +
                   std::string(to_string(position_type(last))));
  SPRESS_CHECK(length(array, positions.size(), expected));
  if (expected == 0) return Ok{};
  return with_positions(positions, [&](const auto* p) -> Status {
    if (p[0] != 0) return damaged(std::string(array) + " does not begin at 0");
    for (std::uint64_t i = 1; i < expected; ++i)
      if (p[i] < p[i - 1]) return damaged(std::string(array) + " falls at element " + std::to_string(i));
    if (p[expected - 1] != last)
      return damaged(std::string(array) + " ends at " + std::to_string(p[expected - 1]) + ", expected " +
                     std::to_string(last));
    return Ok{};
  });
}

Status permutation(std::string_view array, const View<std::uint32_t>& perm, std::uint64_t n) {
  if (perm.empty()) return Ok{};
  SPRESS_CHECK(length(array, perm.size(), n));
  std::vector<bool> seen(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (perm[i] >= n || seen[perm[i]])
      return damaged(std::string(array) + " is not a permutation: element " + std::to_string(i) + " is " +
                     std::to_string(perm[i]));
    seen[perm[i]] = true;
  }
  return Ok{};
}

}  // namespace spress::checks
