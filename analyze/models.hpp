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

}  // namespace spress::analyze
