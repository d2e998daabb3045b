// How many bits the column indices of each row need, under the strategies of paper 002 and one of ours.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "formats/csr/csr.hpp"

namespace spress::analyze {

/// What is stored for a column c_k of row r. Source: Freire et al. 2024, section 4; delta_anchored is ours.
enum class Strategy : std::uint8_t {
  direct,             ///< c_k
  delta_to_diagonal,  ///< c_k - r, signed
  delta,              ///< c_k - c_{k-1} for k >= 1; the first entry is not counted
  delta_anchored      ///< as delta, and the first entry as c_0 - r, signed
};

enum class Width : std::uint8_t { bits8, bits16, bits32 };

struct WidthCounts {
  std::uint64_t bits8 = 0, bits16 = 0, bits32 = 0;
};

struct IndexClasses {
  Width matrix = Width::bits8;  ///< the widest of the rows; 8 bits for a matrix without entries
  WidthCounts rows;             ///< rows by class; an empty row is of 8 bits
  WidthCounts nnz;              ///< entries by their row's class, first entries included
  [[nodiscard]] int matrix_bits() const { return 8 << static_cast<int>(matrix); }
};

}  // namespace spress::analyze

namespace spress {
template <>
struct EnumNames<analyze::Strategy> {
  static constexpr std::array<std::string_view, 4> names = {"direct", "delta-to-diagonal", "delta", "delta-anchored"};
};
}  // namespace spress

namespace spress::analyze {

[[nodiscard]] constexpr Width unsigned_width(std::uint64_t value) {
  return value <= 0xFF ? Width::bits8 : value <= 0xFFFF ? Width::bits16 : Width::bits32;
}
[[nodiscard]] constexpr Width signed_width(std::int64_t value) {
  return value >= -128 && value <= 127       ? Width::bits8
         : value >= -32768 && value <= 32767 ? Width::bits16
                                             : Width::bits32;
}

/// All that decides the classes of a row.
struct RowShape {
  std::int64_t first = 0, last = 0;  ///< c_k - r of the first and the last entry
  std::uint32_t last_col = 0;
  std::uint32_t gap_bits = 0;  ///< the bits set in any gap: they need as many bytes as the widest gap
};

/// Requires: n > 0 ascending columns.
[[nodiscard]] inline RowShape row_shape(std::uint64_t row, const std::uint32_t* cols, std::uint64_t n) {
  std::uint32_t gap_bits = 0;
  for (std::uint64_t k = 1; k < n; ++k) gap_bits |= cols[k] - cols[k - 1];
  const auto diagonal = static_cast<std::int64_t>(row);
  return {std::int64_t{cols[0]} - diagonal, std::int64_t{cols[n - 1]} - diagonal, cols[n - 1], gap_bits};
}

[[nodiscard]] constexpr Width width_of(Strategy strategy, const RowShape& row) {
  switch (strategy) {
    case Strategy::direct: return unsigned_width(row.last_col);
    case Strategy::delta_to_diagonal: return std::max(signed_width(row.first), signed_width(row.last));
    case Strategy::delta: return unsigned_width(row.gap_bits);
    case Strategy::delta_anchored: break;
  }
  return std::max(signed_width(row.first), unsigned_width(row.gap_bits));
}

/// The class of one row of n ascending columns.
[[nodiscard]] inline Width row_width(Strategy strategy, std::uint64_t row, const std::uint32_t* cols, std::uint64_t n) {
  return n == 0 ? Width::bits8 : width_of(strategy, row_shape(row, cols, n));
}

/// All four strategies, in the order of the enumeration, in one parallel pass over the entries. first_row: the number
/// that the first row has, where `a` is a panel of a larger matrix.
[[nodiscard]] std::array<IndexClasses, 4> index_classes(const Csr<Viewed>& a, int threads = 0,
                                                        std::uint64_t first_row = 0);

/// Adds the classes of other rows of the same matrix.
void add_classes(std::array<IndexClasses, 4>& to, const std::array<IndexClasses, 4>& from);

// The convention by which the paper sorts matrices from sizes and bandwidths alone: closed, symmetric intervals
// (dimension <= 255, |c_k - r| <= 127), where the classes above take whatever fits the integer. Only for comparing with
// published counts. Source: Freire et al. 2024, section 4.

[[nodiscard]] constexpr Width paper_width_of_dimension(std::uint64_t dimension) {
  return dimension <= 255 ? Width::bits8 : dimension <= 65535 ? Width::bits16 : Width::bits32;
}
/// `bandwidth`: max |c_k - r| of the matrix.
[[nodiscard]] constexpr Width paper_width_of_bandwidth(std::uint64_t bandwidth) {
  return bandwidth <= 127 ? Width::bits8 : bandwidth <= 32767 ? Width::bits16 : Width::bits32;
}

}  // namespace spress::analyze
