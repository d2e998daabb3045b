// What a search for fewer bytes tries: ways to reorder a matrix as it stands, none of which looks at the cost.
// Internal.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "reorder/orderings.hpp"

namespace spress::reorder {

/// A change of order of a matrix as it stands: its sides are permutations of what is there now.
struct Move {
  std::string_view name;
  Reordering (*make)(const Csr<Viewed>& a);
};

/// Moves of the whole matrix. Cost of each: linear, and sorting rows or columns.
[[nodiscard]] const std::vector<Move>& whole_moves();

/// Orders of the rows of a window, made from the window alone: the window's rows as a matrix of the same columns.
struct WindowMove {
  std::string_view name;
  Permutation (*make)(const Csr<Viewed>& window);
};
[[nodiscard]] const std::vector<WindowMove>& window_moves();

/// The rows [first, last) of a matrix. Values move with them.
[[nodiscard]] Csr<Owned> rows_of(const Csr<Viewed>& a, std::uint64_t first, std::uint64_t last);

/// What stands where after `first` and then `second`; empty permutations are identities.
[[nodiscard]] Permutation compose(const Permutation& first, const Permutation& second);

/// Bytes of the gaps between the columns of each row, all of a row as wide as its widest needs, and of the rows' first
/// columns against the diagonal: what index bytes are in formats that store differences. Complexity: linear.
[[nodiscard]] std::uint64_t gap_bytes(const Csr<Viewed>& a);

}  // namespace spress::reorder
