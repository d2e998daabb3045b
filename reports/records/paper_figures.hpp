// Figures of papers 000 and 001 about formats, over the records of a run: bytes of compressed coordinates relative to
// CSR, and the zeros that blocks of columns are filled with. The caller says which formats these are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/records/records.hpp"

namespace spress::reports {

/// A format that a paper proposes, and the formats that its measurements compare it with.
struct PaperComparison {
  std::string paper;  ///< its number, and which of its measurements
  std::string own;
  std::vector<std::string> beside;
  bool peers = false;  ///< and with the products of other libraries
};

/// The names of the formats that the papers' tables are about. A table whose format has no name here is left out.
struct PaperFormats {
  std::string coordinates;        ///< paper 000: the plain list of coordinates
  std::string compressed_on_gpu;  ///< paper 000, figure 1
  std::string compressed;         ///< paper 000, figure 3
  std::string blocked;            ///< paper 001: blocks of contiguous columns
  std::string bitmap_blocks;      ///< paper 002, figures 11 and 12
  std::string short_indices;      ///< paper 002, figure 11
  std::vector<PaperComparison> measured = {};
};

/// A format's bytes over CSR's, both in the original order, over the matrices whose values take 8 bytes.
struct RelativeSize {
  std::string format;
  std::uint64_t matrices = 0;
  std::uint64_t smaller = 0, smaller_than_coo = 0;
  double least = 0, median = 0, mean = 0, most = 0;
};

/// A matrix that compressed coordinates make no smaller than CSR, and what its tuples are longer by, per entry.
struct NotSmaller {
  std::string name, path, field;
  std::uint64_t rows = 0, nnz = 0;
  double ratio = 0;               ///< bytes over CSR's
  double columns_of_4_bytes = 0;  ///< share of entries whose column is held in full
  double columns_of_2_bytes = 0;  ///< share of entries with a two-byte difference
  double values_in_full = 0;      ///< share of entries whose value is not in the table
  double row_ends_per_entry = 0;  ///< a byte each
  double bytes_per_entry = 0, csr_bytes_per_entry = 0;
};

/// Source: paper 000, figures 1 and 3.
struct CompressedCoo {
  std::vector<RelativeSize> formats;    ///< of the paper's formats those that were measured
  std::uint64_t large_square = 0;       ///< square matrices of at least `large_entries` entries that fit
  std::vector<NotSmaller> not_smaller;  ///< among those, the largest ratio first, then by name
};
inline constexpr std::uint64_t large_entries = 10000;

/// The blocks with the least traffic in single precision, as in the paper's table.
struct ZeroFill {
  std::string name, path;
  std::uint64_t nnz = 0, block = 0, segment = 0;
  double fill_percent = 0;                ///< zeros filled in, slice padding included, per 100 entries
  std::optional<double> traffic_percent;  ///< predicted traffic, that without blocks being 100
};

/// Complexity: linear in the records, but for sorting.
CompressedCoo compare_compressed_coo(const std::vector<const AnalyzeRecord*>& records, const PaperFormats& papers);
/// By name, then path. Source: paper 001, table "Zero-filling in value data".
std::vector<ZeroFill> zero_fills(const std::vector<const AnalyzeRecord*>& records, const PaperFormats& papers);

}  // namespace spress::reports
