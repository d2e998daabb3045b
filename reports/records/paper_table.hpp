// The figures of papers 000 (Aliaga et al. 2021), 001 (Nagasaka et al.) and 002 (Freire et al. 2024) that a collection
// is compared with.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/records/paper_figures.hpp"
#include "reports/records/records.hpp"

namespace spress::reports {

/// One row of the paper's Table 1: number of matrices per class, of 1407 square matrices with symmetric pattern.
struct PaperClasses {
  std::string_view strategy, ordering;
  ClassCounts paper;
  std::optional<ClassCounts> from_index;  ///< from the sizes and bandwidths of the SuiteSparse index alone
  std::uint64_t unknown = 0;              ///< matrices whose bandwidth the index does not tell
};

inline constexpr std::uint64_t paper_matrices = 1407;

inline constexpr std::array<PaperClasses, 5> paper_table_1 = {{
    {"direct", "none", {116, 931, 360}, ClassCounts{101, 931, 375}, 0},
    {"delta-to-diagonal", "none", {230, 821, 356}, ClassCounts{215, 821, 370}, 1},
    {"delta-to-diagonal", "rcm", {371, 961, 75}, ClassCounts{356, 961, 89}, 1},
    {"delta", "none", {347, 841, 219}, std::nullopt, 0},
    {"delta", "rcm", {488, 863, 56}, std::nullopt, 0},
}};

inline constexpr std::string_view paper_table_1_remark =
    "The paper's selection is the 1407 square SuiteSparse matrices with a symmetric pattern. From the sizes and "
    "bandwidths of the collection's own index alone, the counts in the 16-bit class agree exactly, and in each row "
    "exactly 15 matrices stand under 8 bits in the paper that the index puts under 32 (one matrix's bandwidth is "
    "unknown there); the cause is unknown.";

/// Where the paper's text says how many matrices an ordering moved to a wider class.
struct PaperWorse {
  std::string_view strategy;
  std::uint64_t from_8_to_16, from_16_to_32;
};
inline constexpr std::array<PaperWorse, 2> paper_worse_after_rcm = {{{"delta-to-diagonal", 15, 2}, {"delta", 22, 4}}};

/// What paper 000 says of its figures 1 and 3, in words.
inline constexpr std::uint64_t paper_000_matrices = 56;
[[nodiscard]] inline std::string paper_000_remark(const PaperFormats& formats) {
  if (formats.coordinates.empty()) return {};
  return "The paper's 56 matrices have more than 900000 rows each and are no graphs. There " + formats.coordinates +
         " is larger than CSR for all, " + formats.compressed + " smaller for all; " + formats.compressed_on_gpu +
         " is smaller than CSR for fewer than half and smaller than " + formats.coordinates +
         " for about two thirds, at most 20% larger than " + formats.coordinates + ".";
}

/// One row of paper 001's table of zero filling, single precision: zeros per 100 entries, and the measured traffic if
/// that of blocks of one column is 100.
struct PaperZeroFill {
  std::string_view name;
  std::uint64_t block;
  double fill_percent, traffic_percent;
};
inline constexpr std::array<PaperZeroFill, 7> paper_zero_fill = {{
    {"af_shell3", 5, 0.096, 75.62},
    {"audikw_1", 3, 0.451, 79.77},
    {"bmw7st_1", 6, 4.709, 82.22},
    {"Dubcova3", 2, 21.691, 99.97},
    {"G3_circuit", 1, 0.070, 100.00},
    {"offshore", 1, 0.212, 100.00},
    {"shipsec5", 6, 1.731, 74.92},
}};

}  // namespace spress::reports
