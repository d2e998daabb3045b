// What the tests of padded layouts share.
#pragma once

#include <vector>

#include "formats/padded/padding.hpp"
#include "tests/scenarios.hpp"

namespace spress::tests {

inline constexpr std::uint32_t pad = no_column;

template <class T>
std::vector<T> list(const HostArray<T>& a) {
  return {a.begin(), a.end()};
}

/// The values of a raw store; the example's are 1, 2, ..., so that 0 is padding.
inline std::vector<double> values_in(const ValueStore<Owned>& store) {
  const auto* v = store.codes.as<double>();
  return {v, v + store.count};
}

inline std::vector<std::uint64_t> positions_in(const Positions<Owned>& positions) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < positions.size(); ++i) out.push_back(positions.position(i));
  return out;
}

/// Rows of the lengths given, each beginning at column 0; values 1, 2, ....
inline Csr<Owned> rows_of(const std::vector<std::uint32_t>& lengths, std::uint64_t cols) {
  Scenario s{"", lengths.size(), cols, {}, {}};
  for (std::uint32_t r = 0; r < lengths.size(); ++r)
    for (std::uint32_t c = 0; c < lengths[r]; ++c) s.entries.emplace_back(r, c);
  return make_csr(s);
}

/// 5 x 6, rows of 2, 0, 3, 1 and 2 entries.
inline Csr<Owned> ragged_example() {
  return make_csr({"", 5, 6, row(0, {1, 4}) + row(2, {0, 2, 5}) + row(3, {3}) + row(4, {4, 5}), {}});
}

}  // namespace spress::tests
