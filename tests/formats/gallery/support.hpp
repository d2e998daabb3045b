// What the tests of the gallery share.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/core/description.hpp"
#include "formats/gallery/gallery.hpp"

namespace spress::tests {

inline Result<Matrix> try_generate(std::string_view text) {
  auto spec = parse_spec(text);
  if (!spec) return spec.error();
  return gallery::generate(*spec);
}

/// The matrix of a spec that is right; a failure of the test and an empty matrix otherwise.
inline Matrix generated(std::string_view text) {
  auto matrix = try_generate(text);
  EXPECT_TRUE(matrix.ok()) << text << ": " << (matrix ? "" : matrix.error().text());
  return matrix ? std::move(*matrix) : Matrix{};
}

inline double value(const Matrix& m, std::uint64_t k) {
  return m.csr.values.type == ValueType::none ? 1.0 : m.csr.values.codes.as<double>()[k];
}

/// Calls use(row, col, value) for each entry.
template <class Use>
void for_each_entry(const Matrix& m, Use use) {
  for (std::uint64_t row = 0; row < m.csr.rows; ++row)
    for (std::uint64_t k = m.csr.row_ptr.position(row); k < m.csr.row_ptr.position(row + 1); ++k)
      use(row, std::uint64_t{m.csr.col_idx[k]}, value(m, k));
}

inline std::uint64_t row_length(const Matrix& m, std::uint64_t row) {
  return m.csr.row_ptr.position(row + 1) - m.csr.row_ptr.position(row);
}

/// How many rows have each length.
inline std::map<std::uint64_t, std::uint64_t> lengths(const Matrix& m) {
  std::map<std::uint64_t, std::uint64_t> out;
  for (std::uint64_t row = 0; row < m.csr.rows; ++row) ++out[row_length(m, row)];
  return out;
}

using Grid2 = std::vector<std::vector<double>>;

/// All entries, with `absent` where there is none.
inline Grid2 dense(const Matrix& m, double absent = 0.0) {
  Grid2 out(m.csr.rows, std::vector<double>(m.csr.cols, absent));
  for_each_entry(m, [&](std::uint64_t row, std::uint64_t col, double v) { out[row][col] = v; });
  return out;
}

using Entries = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;

/// Entries by place, with the bits of their values.
inline Entries entries_of(const Matrix& m) {
  Entries out;
  for_each_entry(m, [&](std::uint64_t row, std::uint64_t col, double v) {
    out[{row, col}] = std::bit_cast<std::uint64_t>(v);
  });
  return out;
}

inline Entries transposed(const Entries& entries) {
  Entries out;
  for (const auto& [place, bits] : entries) out[{place.second, place.first}] = bits;
  return out;
}

inline std::uint64_t checksum_of_csr(const Matrix& m) { return checksum_of(view_of(m.csr)); }

inline std::vector<std::string> all_names() {
  std::vector<std::string> out;
  for (const auto& entry : gallery::entries()) out.push_back(entry.name);
  return out;
}

}  // namespace spress::tests
