// Matrices of rows of chosen lengths.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/scenarios.hpp"

namespace spress::tests {

using OfRow = std::function<std::uint32_t(std::uint32_t)>;

inline OfRow always(std::uint32_t n) {
  return [n](std::uint32_t) { return n; };
}
inline std::uint32_t itself(std::uint32_t r) { return r; }

/// Row r holds up to length(r) columns, step(r) apart, from first(r) on. Fewer than 256 values.
inline Scenario rows_of(std::uint32_t rows, std::uint32_t cols, const OfRow& length, const OfRow& step = always(1),
                        const OfRow& first = itself) {
  Scenario s;
  s.rows = rows, s.cols = cols;
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t k = 0; k < length(r) && first(r) + k * step(r) < cols; ++k)
      s.entries.emplace_back(r, first(r) + k * step(r));
  for (std::size_t k = 0; k < s.entries.size(); ++k) s.values.push_back(1.0 / static_cast<double>(k % 97 + 1) - 0.3);
  return s;
}

}  // namespace spress::tests
