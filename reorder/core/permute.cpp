#include <algorithm>
#include <cstring>

#include "formats/core/threads.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder {
namespace {

std::uint64_t mapped(const Permutation& perm, std::uint64_t i) { return perm.empty() ? i : perm[i]; }

/// Row pointers of the rows taken in the order of `row_perm`, and the length of the longest.
std::uint64_t permute_row_ptr(const Csr<Viewed>& a, const Permutation& row_perm, Positions<Owned>& out) {
  std::uint64_t longest = 0;
  with_positions(a.row_ptr, [&](const auto* from) {
    fill_positions(out, [&]<class Position>(Position* to) {
      to[0] = 0;
      for (std::uint64_t r = 0; r < a.rows; ++r) {
        const std::uint64_t old = mapped(row_perm, r), length = from[old + 1] - from[old];
        to[r + 1] = static_cast<Position>(to[r] + length);
        longest = std::max(longest, length);
      }
    });
  });
  return longest;
}

/// One row: its columns renamed and put in order. `move(to, from)` is told where each entry goes; `scratch` holds the
/// row's entries as new column and place in the row, so that one sort of plain integers brings both.
template <class Move>
void permute_row(std::span<const std::uint32_t> columns, const Permutation& new_column, std::uint32_t* out,
                 std::uint64_t* scratch, const Move& move) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    scratch[k] = std::uint64_t{static_cast<std::uint32_t>(mapped(new_column, columns[k]))} << 32 | k;
  if (!new_column.empty()) std::sort(scratch, scratch + columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    out[k] = static_cast<std::uint32_t>(scratch[k] >> 32);
    move(k, static_cast<std::uint32_t>(scratch[k]));
  }
}

/// All rows. `move_in(to, from)` moves the value at position `from` of a to position `to` of b.
template <class Move>
void permute_entries(const Csr<Viewed>& a, const Permutation& row_perm, const Permutation& new_column,
                     std::uint64_t longest, Csr<Owned>& b, const Move& move) {
  const auto threads = static_cast<std::size_t>(thread_count(0));
  HostArray<std::uint64_t> scratch(threads * longest);
  const auto rows = static_cast<std::int64_t>(a.rows);
#pragma omp parallel for schedule(dynamic, 1024) if (walk_is_worth_threads(a.nnz))
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint64_t old = mapped(row_perm, static_cast<std::uint64_t>(i));
    const std::uint64_t from = a.row_ptr.position(old), to = b.row_ptr.position(static_cast<std::size_t>(i));
    permute_row({a.col_idx.data() + from, a.row_ptr.position(old + 1) - from}, new_column, b.col_idx.data() + to,
                scratch.data() + static_cast<std::size_t>(omp_get_thread_num()) * longest,
                [&](std::uint64_t k, std::uint64_t source) { move(to + k, from + source); });
  }
}

}  // namespace

Permutation invert(const Permutation& perm) {
  Permutation inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) inverse[perm[i]] = static_cast<std::uint32_t>(i);
  return inverse;
}

bool is_permutation(std::span<const std::uint32_t> perm, std::uint64_t n) {
  if (perm.size() != n) return false;
  HostArray<std::uint8_t> seen(n, 0);
  return std::all_of(perm.begin(), perm.end(), [&](std::uint32_t id) { return id < n && seen[id]++ == 0; });
}

Csr<Owned> permute(const Csr<Viewed>& a, const Permutation& row_perm, const Permutation& col_perm) {
  Csr<Owned> b;
  b.rows = a.rows;
  b.cols = a.cols;
  b.nnz = a.nnz;
  b.row_ptr = Positions<Owned>(position_type(a.nnz), a.rows + 1);
  b.col_idx = HostArray<std::uint32_t>(a.nnz);
  b.values = empty_like(a.values, a.nnz);
  const std::uint64_t longest = permute_row_ptr(a, row_perm, b.row_ptr);
  const Permutation new_column = invert(col_perm);
  if (code_width(a.values) == 0)
    permute_entries(a, row_perm, new_column, longest, b, [](std::uint64_t, std::uint64_t) {});
  permute_codes(b.values, a.values, [&](auto* to, const auto* from) {
    permute_entries(a, row_perm, new_column, longest, b,
                    [&](std::uint64_t target, std::uint64_t source) { to[target] = from[source]; });
  });
  return b;
}

}  // namespace spress::reorder
