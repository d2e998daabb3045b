// How many bits the column indices of each row need, under the strategies of paper 002 and one of ours.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "formats/csr.hpp"

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

/// The class of one row of n ascending columns.
[[nodiscard]] inline Width row_width(Strategy strategy, std::uint64_t row, const std::uint32_t* cols, std::uint64_t n) {
  if (n == 0) return Width::bits8;
  const auto diagonal = static_cast<std::int64_t>(row);
  const Width first = signed_width(std::int64_t{cols[0]} - diagonal);
  if (strategy == Strategy::direct) return unsigned_width(cols[n - 1]);
  if (strategy == Strategy::delta_to_diagonal)
    return std::max(first, signed_width(std::int64_t{cols[n - 1]} - diagonal));
  std::uint32_t widest_gap = 0;
  for (std::uint64_t k = 1; k < n; ++k) widest_gap = std::max(widest_gap, cols[k] - cols[k - 1]);
  const Width gaps = unsigned_width(widest_gap);
  return strategy == Strategy::delta ? gaps : std::max(gaps, first);
}

/// All four strategies, in the order of the enumeration, in one parallel pass.
[[nodiscard]] std::array<IndexClasses, 4> index_classes(const Csr<Viewed>& a, int threads = 0);

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
