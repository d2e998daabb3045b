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

/// Bytes that one product with AMB moves. `slots`: values with all zero filling, that of chunks included (a multiple of
/// `block`); `width`: bytes of a value, of x and of y. Each chunk of 32 rows reads and writes y, reads 16-bit row ids,
/// a start, a length and a window. Source: Nagasaka et al., "Estimation of total memory access".
[[nodiscard]] constexpr std::uint64_t amb_traffic(std::uint64_t slots, std::uint64_t block, std::uint64_t chunks,
                                                  std::uint64_t rows, std::uint64_t cols, std::uint64_t width) {
  constexpr std::uint64_t lanes = 32;
  return slots * width + slots / block * 2 + chunks * (2 * width * lanes + 2 * lanes + 10) + (rows + cols) * width;
}

/// Of these, the index: what the paper lays out. Which slots are filled it does not store.
[[nodiscard]] constexpr std::uint64_t amb_model(std::uint64_t slots, std::uint64_t block, std::uint64_t chunks) {
  return slots / block * 2 + chunks * (2 * 32 + 10);
}

}  // namespace spress::analyze
