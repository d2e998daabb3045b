// The list of orderings. Each takes the pattern of a square matrix and gives a symmetric permutation.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/csr.hpp"
#include "formats/result.hpp"

namespace spress::reorder {

/// perm[new] = old. Empty for the identity.
using Permutation = HostArray<std::uint32_t>;

struct Ordering {
  std::string_view name;
  std::string_view summary;
  /// Requires: a square matrix. The permutation may come back as the identity written out.
  Result<Permutation> (*compute)(const Csr<Viewed>& a);
};

/// All orderings: none, rcm, cm, king, sloan, mmd.
[[nodiscard]] const std::vector<Ordering>& orderings();

/// Errors: usage, listing the choices.
[[nodiscard]] Result<Ordering> find_ordering(std::string_view name);

/// The permutation of that ordering; empty where it is the identity.
/// Errors: usage; not_applicable for a rectangular matrix (unless the name is none).
[[nodiscard]] Result<Permutation> compute_ordering(std::string_view name, const Csr<Viewed>& a);

/// B(i, j) = A(row_perm[i], col_perm[j]); an empty permutation is the identity. Columns sorted, values moved by bits.
/// Requires: each permutation is empty or valid for its side.
[[nodiscard]] Csr<Owned> permute(const Csr<Viewed>& a, const Permutation& row_perm, const Permutation& col_perm);

/// inverse[perm[i]] = i.
[[nodiscard]] Permutation invert(const Permutation& perm);

/// True if `perm` holds each of 0..n-1 exactly once.
[[nodiscard]] bool is_permutation(std::span<const std::uint32_t> perm, std::uint64_t n);

}  // namespace spress::reorder
