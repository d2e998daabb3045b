// Matrices that every format must survive, each small enough to read.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "formats/csr/csr.hpp"

namespace spress::tests {

/// An entry (row, column); values are given by the scenario's position.
using Entry = std::pair<std::uint32_t, std::uint32_t>;

struct Scenario {
  std::string name;
  std::uint64_t rows = 0, cols = 0;
  std::vector<Entry> entries;  // sorted by row, then column
  std::vector<double> values;  // one per entry, or empty: k + 1 for entry k
};

inline std::vector<Entry> dense(std::uint32_t rows, std::uint32_t cols) {
  std::vector<Entry> out;
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = 0; c < cols; ++c) out.emplace_back(r, c);
  return out;
}

/// One row r with entries at the columns given.
inline std::vector<Entry> row(std::uint32_t r, const std::vector<std::uint32_t>& cols) {
  std::vector<Entry> out;
  for (auto c : cols) out.emplace_back(r, c);
  return out;
}

inline std::vector<Entry> operator+(std::vector<Entry> a, const std::vector<Entry>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A scattered pattern: hashes decide, so that rows and columns of every kind occur.
inline std::vector<Entry> scattered(std::uint32_t rows, std::uint32_t cols, std::uint32_t percent) {
  std::vector<Entry> out;
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = 0; c < cols; ++c) {
      std::uint64_t h = (std::uint64_t{r} << 32 | c) * 0x9E3779B97F4A7C15u;
      h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u;
      if ((h >> 40) % 100 < percent && r % 7 != 3) out.emplace_back(r, c);
    }
  return out;
}

inline double nan_with_payload() {
  const std::uint64_t bits = 0x7FF80000DEADBEEFu;
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::vector<Scenario> scenarios() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Entry> one_dense_row = {{0, 0}, {1, 1}}, one_dense_column;
  for (std::uint32_t k = 0; k < 300; ++k) one_dense_row.emplace_back(2, k);
  for (std::uint32_t k = 0; k < 300; ++k) one_dense_column.emplace_back(k, 5);
  return {
      {"0x0", 0, 0, {}, {}},
      {"0xn", 0, 9, {}, {}},
      {"nx0", 9, 0, {}, {}},
      {"no entries", 9, 17, {}, {}},
      {"1x1", 1, 1, {{0, 0}}, {}},
      {"one entry in the last corner", 17, 9, {{16, 8}}, {}},
      {"identity",
       20,
       20,
       [] {
         std::vector<Entry> e;
         for (std::uint32_t i = 0; i < 20; ++i) e.emplace_back(i, i);
         return e;
       }(),
       {}},
      {"full block", 8, 8, dense(8, 8), {}},
      {"full and ragged", 11, 13, dense(11, 13), {}},
      {"empty rows between", 10, 10, {{1, 3}, {1, 4}, {4, 0}, {9, 9}}, {}},
      {"one dense row", 300, 300, one_dense_row, {}},
      {"one dense column", 300, 9, one_dense_column, {}},
      {"single row", 1, 500, dense(1, 500), {}},
      {"single column", 500, 1, dense(500, 1), {}},
      {"scattered", 67, 93, scattered(67, 93, 12), {}},
      {"scattered tall", 131, 40, scattered(131, 40, 5), {}},
      {"gaps at the limits of 8 bits", 3, 1000, row(0, {0, 255, 510}) + row(1, {0, 256, 300}) + row(2, {7, 8}), {}},
      {"gaps at the limits of 16 bits", 3, 200000, row(0, {0, 65535, 131070}) + row(1, {0, 65536}) + row(2, {9}), {}},
      {"distances at the limits of 8 bits",
       131,
       400,
       row(0, {127}) + row(1, {129}) + row(128, {0, 255}) + row(129, {0, 130}) + row(130, {258}),
       {}},
      {"distances at the limits of 16 bits",
       32771,
       70000,
       row(0, {32767}) + row(1, {32769}) + row(32768, {0, 65535}) + row(32769, {0}) + row(32770, {65538}),
       {}},
      {"wide and hypersparse", 3, 2147483647, row(0, {0, 2147483646}) + row(2, {1, 70000, 2000000000}), {}},
      {"zeros and signs", 2, 3, {{0, 0}, {0, 2}, {1, 1}}, {0.0, -0.0, -1.5}},
      {"not numbers", 2, 3, {{0, 0}, {0, 2}, {1, 1}, {1, 2}}, {nan_with_payload(), infinity, -infinity, 5e-324}},
      {"all equal", 5, 5, {{0, 1}, {1, 1}, {3, 0}, {4, 4}}, {2.5, 2.5, 2.5, 2.5}},
      {"small integers", 3, 4, {{0, 0}, {0, 3}, {1, 2}, {2, 1}}, {-128, 127, 1, 3}},
      {"integers of 32 bits", 3, 4, {{0, 0}, {0, 3}, {1, 2}, {2, 1}}, {2147483647, -2147483648.0, 1, 16777217}},
      {"wide range", 2, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {1e300, -1e-300, 1.7976931348623157e308, 0.1}},
  };
}

/// How a scenario's entries get values.
enum class Fill { real, pattern, complex_values };

inline Csr<Owned> make_csr(const Scenario& s, Fill fill = Fill::real) {
  Csr<Owned> a;
  a.rows = s.rows;
  a.cols = s.cols;
  a.nnz = s.entries.size();
  a.row_ptr = Positions<Owned>(DType::u32, s.rows + 1);
  auto* row_ptr = a.row_ptr.as<std::uint32_t>();
  std::fill_n(row_ptr, s.rows + 1, 0u);
  a.col_idx = HostArray<std::uint32_t>(s.entries.size());
  HostArray<double> real(fill == Fill::real ? s.entries.size() : 0);
  HostArray<std::complex<double>> pairs(fill == Fill::complex_values ? s.entries.size() : 0);
  for (std::size_t k = 0; k < s.entries.size(); ++k) {
    ++row_ptr[s.entries[k].first + 1];
    a.col_idx[k] = s.entries[k].second;
    const double value = s.values.empty() ? static_cast<double>(k + 1) : s.values[k];
    if (fill == Fill::real) real[k] = value;
    if (fill == Fill::complex_values) pairs[k] = {value, static_cast<double>(k % 3)};
  }
  for (std::size_t r = 0; r < s.rows; ++r) row_ptr[r + 1] += row_ptr[r];
  if (fill == Fill::real)
    a.values = raw_store(std::move(real));
  else if (fill == Fill::complex_values)
    a.values = raw_store(std::move(pairs));
  else
    a.values = pattern_store(s.entries.size());
  return a;
}

}  // namespace spress::tests
