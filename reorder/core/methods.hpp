// The orderings behind the list, one file each. Internal: callers go through the list.
#pragma once

#include "reorder/orderings.hpp"

namespace spress::reorder::methods {

[[nodiscard]] Result<Permutation> reverse_cuthill_mckee(const Csr<Viewed>& a);
[[nodiscard]] Result<Permutation> reverse_cuthill_mckee_thorough(const Csr<Viewed>& a);
[[nodiscard]] Result<Permutation> forward_cuthill_mckee(const Csr<Viewed>& a);
[[nodiscard]] Result<Permutation> king(const Csr<Viewed>& a);
[[nodiscard]] Result<Permutation> sloan(const Csr<Viewed>& a);
[[nodiscard]] Result<Permutation> minimum_degree(const Csr<Viewed>& a);
[[nodiscard]] Result<Permutation> nested_dissection(const Csr<Viewed>& a);
[[nodiscard]] Result<Permutation> partition(const Csr<Viewed>& a);
[[nodiscard]] Result<Permutation> cuthill_mckee_of_nodes(const Csr<Viewed>& a);
[[nodiscard]] Result<Permutation> grid_lines(const Csr<Viewed>& a);
[[nodiscard]] Result<Reordering> likeness(const Csr<Viewed>& a, const OrderingOptions& options);
[[nodiscard]] Result<Reordering> apart(const Csr<Viewed>& a, const OrderingOptions& options);
[[nodiscard]] Result<Reordering> search(const Csr<Viewed>& a, const OrderingOptions& options);

}  // namespace spress::reorder::methods
