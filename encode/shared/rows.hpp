// Lengths of rows, the slots that their padding may take, and the CSR of a format that lists its entries.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "encode/shared/common.hpp"
#include "formats/core/result.hpp"
#include "formats/core/threads.hpp"

namespace spress {

/// The most slots that a padded layout may take: 16 for each entry, and a million for small matrices. Beyond it, a few
/// long rows or many empty ones would ask for memory out of all proportion to the matrix, and padding would be all
/// that is measured.
[[nodiscard]] constexpr std::uint64_t most_slots(std::uint64_t nnz) { return 16 * nnz + (1u << 20); }

/// Errors: not_applicable where the padding would be too much.
[[nodiscard]] inline Status check_slots(std::string_view format, std::uint64_t slots, std::uint64_t nnz) {
  if (slots <= most_slots(nnz)) return Ok{};
  return Error{ErrorCode::not_applicable,
               std::string(format) + " would pad " + std::to_string(nnz) + " entries to " + std::to_string(slots) +
                   " slots; at most 16 * nnz + 2^20 = " + std::to_string(most_slots(nnz)) + " are held"};
}

/// The row of entry k. Requires: k < nnz.
template <class Position>
[[nodiscard]] std::uint64_t row_of_entry(const Position* row_ptr, std::uint64_t rows, std::uint64_t k) {
  return static_cast<std::uint64_t>(std::upper_bound(row_ptr, row_ptr + rows + 1, k) - row_ptr) - 1;
}

/// Entries of row r.
[[nodiscard]] inline std::uint64_t row_length(const Csr<Viewed>& a, std::uint64_t r) {
  return a.row_ptr.position(r + 1) - a.row_ptr.position(r);
}

[[nodiscard]] inline std::uint64_t longest_row(const Csr<Viewed>& a) {
  constexpr std::uint64_t part = 1 << 16;
  std::vector<std::uint64_t> longest((a.rows + part - 1) / part);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    parallel_for_dynamic(longest.size(), threads_worth(0, a.rows), [&](std::uint64_t p, std::size_t) {
      std::uint64_t most = 0;
      for (std::uint64_t r = p * part; r < std::min(a.rows, (p + 1) * part); ++r)
        most = std::max<std::uint64_t>(most, row_ptr[r + 1] - row_ptr[r]);
      longest[p] = most;
    });
  });
  return longest.empty() ? 0 : *std::max_element(longest.begin(), longest.end());
}

/// The row pointers of a format: `lengths(row_ptr + 1)` writes the length of each row.
template <class Format, class Lengths>
[[nodiscard]] Positions<Owned> row_ptr_of(const Format& f, Lengths&& lengths) {
  auto positions = make_positions(f.rows + 1, f.nnz);
  fill_positions(positions, [&](auto* row_ptr) {
    row_ptr[0] = 0;
    lengths(row_ptr + 1);
    for (std::uint64_t r = 0; r < f.rows; ++r) row_ptr[r + 1] += row_ptr[r];
  });
  return positions;
}

/// The CSR of a format. for_each_entry(use) calls use(row, column, value slot) for every entry, those of a row by
/// ascending column and one at a time. It does the same each time it is called.
template <class Format, class ForEachEntry>
[[nodiscard]] Csr<Owned> csr_of_entries(const Format& f, ForEachEntry for_each_entry) {
  Csr<Owned> out;
  copy_shape(out, f);
  out.row_ptr = row_ptr_of(f, [&](auto* lengths) {
    std::fill_n(lengths, f.rows, 0u);
    for_each_entry([&](std::uint64_t row, std::uint32_t, std::uint64_t) { ++lengths[row]; });
  });
  std::vector<std::uint64_t> next(f.rows);
  for (std::uint64_t r = 0; r < f.rows; ++r) next[r] = out.row_ptr.position(r);
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  HostArray<std::uint64_t> slot_of(f.nnz);
  for_each_entry([&](std::uint64_t row, std::uint32_t col, std::uint64_t slot) {
    out.col_idx[next[row]] = col;
    slot_of[next[row]++] = slot;
  });
  out.values = empty_like(f.values, f.nnz);
  permute_codes(out.values, f.values, [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static) if (walk_is_worth_threads(f.nnz))
    for (std::uint64_t k = 0; k < f.nnz; ++k) to[k] = from[slot_of[k]];
  });
  return out;
}

}  // namespace spress
