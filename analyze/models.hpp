// Byte models of the papers, as formulas: what the papers count, not what is held.
#pragma once

#include <array>
#include <cstdint>

namespace spress::analyze {

/// Source: Freire et al. 2024, equation (1).
[[nodiscard]] constexpr std::uint64_t csr_model(std::uint64_t nnz, std::uint64_t rows) {
  return 4 * nnz + 4 * (rows + 1);
}

[[nodiscard]] constexpr std::uint64_t coo_model(std::uint64_t nnz) { return 8 * nnz; }

/// `nnz_by_width`: entries by the class (8, 16, 32 bits) of their row under `delta`. Pays for neither first columns nor
/// the permutation. Source: Freire et al. 2024, equation (2).
[[nodiscard]] constexpr std::uint64_t opt_csr_model(const std::array<std::uint64_t, 3>& nnz_by_width,
                                                    std::uint64_t rows) {
  return 4 * nnz_by_width[2] + 2 * nnz_by_width[1] + nnz_by_width[0] + 4 * (rows + 1) + 4;
}

/// Source: Freire et al. 2024, equation (3).
[[nodiscard]] constexpr std::uint64_t bmsparse_model(std::uint64_t blocks) { return 16 * blocks; }

/// Ours, in the manner of bmsparse_model, which leaves out the starts of the values too: the paper suggests block rows
/// by pointers (section 5.3) and gives no formula.
[[nodiscard]] constexpr std::uint64_t bmsparse_csr_model(std::uint64_t blocks, std::uint64_t block_rows) {
  return 12 * blocks + 4 * (block_rows + 1);
}

/// A matrix in the AMB format: column segments held as SELL-C-sigma, whose elements are blocks of b neighbouring
/// columns.
struct AmbShape {
  std::uint64_t rows = 0, cols = 0;  ///< M and N
  std::uint64_t slots = 0;           ///< nz_zf: values held, with all zero filling, of blocks and of chunks; a
                                     ///< multiple of b
  std::uint64_t chunks = 0;          ///< n_c: chunks of all segments, empty ones left out
  std::uint64_t chunk_rows = 32;     ///< C
  std::uint64_t block_cols = 1;      ///< b, 1 to 10
  std::uint64_t value_bytes = 8;     ///< v; of a pattern, those of x and y
  std::uint64_t column_bytes = 2;    ///< of the column of a block; 4 is segmented SELL-C-sigma
  std::uint64_t step_bytes = 0;      ///< of what each step of a chunk holds beside the columns, which the paper lacks
  bool is_pattern = false;           ///< a slot holds a bit, which says whether it is an entry, and no value
  [[nodiscard]] constexpr std::uint64_t columns() const {
    return column_bytes * (slots / block_cols) + step_bytes * (slots / block_cols / chunk_rows);
  }
};

/// Bytes that one SpMV moves: nz_zf * (v + 2/b) for values and the 16-bit column of each block; for each chunk 2*v*C to
/// read and write y, 2*C for the 16-bit permutation, and 10 for its start (4), its length and segment (4), its sorting
/// window (2); (M + N) * v to set y to zero and to read x once.
/// Requires: block_cols > 0 divides slots. Source: Nagasaka et al. (AMB), whose estimate of memory traffic this is.
[[nodiscard]] constexpr std::uint64_t amb_traffic_model(const AmbShape& a) {
  const std::uint64_t entries = (a.is_pattern ? a.slots / 8 : a.slots * a.value_bytes) + a.columns();
  const std::uint64_t chunks = a.chunks * (2 * a.value_bytes * a.chunk_rows + 2 * a.chunk_rows + 10);
  return entries + chunks + (a.rows + a.cols) * a.value_bytes;
}

/// Index bytes of the AMB layout as the paper lays it out: the columns of blocks, and for each chunk 2*C + 10. Which
/// slots are filled it does not store. The sides of the matrix and the width of values do not matter.
[[nodiscard]] constexpr std::uint64_t amb_model(const AmbShape& a) {
  return a.columns() + a.chunks * (2 * a.chunk_rows + 10);
}

}  // namespace spress::analyze
