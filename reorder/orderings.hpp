// The list of orderings: each takes the pattern of a matrix and says where its rows and columns shall go.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"

namespace spress::reorder {

/// perm[new] = old. Empty for the identity.
using Permutation = HostArray<std::uint32_t>;

/// Where the rows and the columns of a matrix go, each side empty for the identity.
struct Reordering {
  Permutation rows, cols;
  [[nodiscard]] bool identity() const { return rows.empty() && cols.empty(); }
};

/// What a matrix costs as it stands, in bytes or anything else that shall become little: the caller's business. Asked
/// by several threads at once, and the first time by one, of the whole matrix as it came.
using Cost = std::function<std::uint64_t(const Csr<Viewed>& a)>;

struct OrderingOptions {
  /// What orderings that search shall lower; none: the bytes of the gaps between the columns of a row.
  Cost cost = nullptr;
  /// What a search may spend, in costs of the whole matrix; 0: 64, more for small ones. Counted, not timed: the result
  /// is the same everywhere.
  std::uint64_t budget = 0;
};

/// Who tries an ordering without being told.
struct TriedBy {
  bool auto_choice = false;      ///< `auto`, where the ordering fits the matrix and the goal
  std::uint8_t search_turn = 0;  ///< `search` starts from it, by ascending turns; 0: never
};

struct Ordering {
  std::string_view name;
  std::string_view summary;
  /// For square matrices: one permutation for rows and columns. Null where `compute_sides` is not.
  /// The permutation may come back as the identity written out.
  Result<Permutation> (*compute)(const Csr<Viewed>& a) = nullptr;
  /// For matrices of any shape: rows and columns apart.
  Result<Reordering> (*compute_sides)(const Csr<Viewed>& a, const OrderingOptions& options) = nullptr;
  /// What this build lacks for it, as a sentence that says what would be right; empty where it is all there.
  std::string_view missing = {};
  TriedBy tried_by = {};

  [[nodiscard]] bool symmetric() const { return compute_sides == nullptr; }
};

/// All orderings, `none` first. Those whose library this build lacks are among them.
[[nodiscard]] const std::vector<Ordering>& orderings();

/// The orderings that `search` starts from, in their turns.
[[nodiscard]] std::vector<Ordering> search_starts();

/// Errors: usage, listing the choices.
[[nodiscard]] Result<Ordering> find_ordering(std::string_view name);

/// Where that ordering puts rows and columns; the sides of a symmetric one are equal.
/// Errors: usage; not_applicable for a rectangular matrix and a symmetric ordering other than none; unsupported where
/// this build lacks the ordering's library.
[[nodiscard]] Result<Reordering> compute_ordering(std::string_view name, const Csr<Viewed>& a,
                                                  const OrderingOptions& options = {});

/// B(i, j) = A(row_perm[i], col_perm[j]); an empty permutation is the identity. Columns sorted, values moved by bits.
/// Requires: each permutation is empty or valid for its side.
[[nodiscard]] Csr<Owned> permute(const Csr<Viewed>& a, const Permutation& row_perm, const Permutation& col_perm);
[[nodiscard]] inline Csr<Owned> permute(const Csr<Viewed>& a, const Reordering& to) {
  return permute(a, to.rows, to.cols);
}

/// inverse[perm[i]] = i.
[[nodiscard]] Permutation invert(const Permutation& perm);

/// True if `perm` holds each of 0..n-1 exactly once.
[[nodiscard]] bool is_permutation(std::span<const std::uint32_t> perm, std::uint64_t n);

}  // namespace spress::reorder
