#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/padded/stretch.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Hybrid of ELL and CSR: rows of fewer than T entries in an ELL-type layout made for warps of 32 threads, the others
/// in CSR, cut into pieces for warps.
///
/// avg is the mean length of the rows of fewer than 256 entries, empty ones included. Unless they are given, T
/// (`threshold`) is the multiple of 32 next above avg. M (`per_thread`) is avg rounded up, or the median length of
/// these rows where that is larger, clamped to 6..32. L = 32 * M. If no row has fewer than 256 entries, all go to CSR
/// with L = 32 * 32 (T = 256, M = 32). A row of T - 1 entries fits a warp, so T <= 32 * M + 1: T is lowered, or M
/// raised, where only the other is given. L is not stored, since csr_warp_start has the pieces.
///
/// Stored row i is row row_perm[i] of the matrix (row i where row_perm is empty): first the ELL rows, then the CSR rows
/// in their order. The encoder sorts the ELL rows by length within windows of sigma rows, longest first, ties in their
/// order, and ends a warp where a window ends. It keeps the order of all rows if sorting saves no more padding, at 12
/// bytes a slot, than the permutation takes. Readers take any order.
///
/// ELL warp w takes rows [warp_row[w], warp_row[w+1]), as many as fit. Each gets t = ceil(warp_width[w] / M) threads (1
/// for empty rows), warp_width[w] being the longest row of the warp. Entry k of its row g stands in slot
/// warp_start[w] + k / t * (rows * t) + g * t + k mod t: a step of the warp is contiguous, threads without a row have
/// no slots. CSR warp p takes the entries [csr_warp_start[p], csr_warp_start[p+1]) behind the ell_slots of the ELL
/// part, at most L, all of stored row ell_rows + csr_warp_row[p].
///
/// Source: Matam and Kothapalli, section III. The paper rounds M in no stated way, sorts all rows, and leaves open
/// whether idle threads are stored. The median, the windows and the kept order are ours: most rows of a grid are longer
/// than the mean, and rows sorted far from their neighbours share fewer elements of x.
template <class Storage = Owned>
struct EllCsr {
  static constexpr std::string_view name = "ell-csr";
  static constexpr std::string_view summary = "short rows in ELL by warps, long rows in CSR cut for warps";

  struct Params {
    std::uint32_t sigma = 1024;  // little padding, x near: docs/formats/padded.md has the measurements
    AutoNumber t = std::nullopt, m = std::nullopt, l = std::nullopt;
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("sigma", sigma, "rows of a sorting window, at least 32");
      visit.option("t", t, "rows of fewer entries go to ELL, 1 to 256, or auto: by the mean length of rows");
      visit.option("m", m, "entries of an ELL row per thread, 1 to 1024, or auto");
      visit.option("l", l, "entries of a CSR row per warp, 32 to 32768, or auto: 32 times m");
    }
  };

  static constexpr std::uint32_t warp_size = 32;
  static constexpr std::uint32_t long_row = 256;          ///< no row of so many entries goes to ELL
  static constexpr std::uint32_t most_per_thread = 1024;  ///< M
  static constexpr std::uint32_t most_per_warp = warp_size * most_per_thread;  ///< L

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t threshold = 32, per_thread = 6;  // T, M
  std::uint64_t ell_rows = 0, ell_slots = 0;
  Positions<Storage> warp_row;                 // ELL warps + 1, ending at ell_rows
  Positions<Storage> warp_start;               // ELL warps + 1, ending at ell_slots
  Array<Storage, std::uint8_t> warp_width;     // ELL warps
  Array<Storage, std::uint32_t> csr_warp_row;  // CSR warps
  Positions<Storage> csr_warp_start;           // CSR warps + 1
  Array<Storage, std::uint32_t> col_idx;       // ell_slots + entries of CSR rows
  Array<Storage, std::uint32_t> row_perm;      // rows, or empty for the identity
  ValueStore<Storage> values;                  // as col_idx

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("threshold", self.threshold...);
    visit.scalar("per_thread", self.per_thread...);
    visit.scalar("ell_rows", self.ell_rows...);
    visit.scalar("ell_slots", self.ell_slots...);
    visit.array({"warp_row", Role::pointer}, self.warp_row...);
    visit.array({"warp_start", Role::pointer}, self.warp_start...);
    visit.array({"warp_width", Role::metadata}, self.warp_width...);
    visit.array({"csr_warp_row", Role::index}, self.csr_warp_row...);
    visit.array({"csr_warp_start", Role::pointer}, self.csr_warp_start...);
    const auto& f = std::get<0>(std::tie(self...));
    visit.array({"col_idx", Role::index, f.values.count - f.nnz}, self.col_idx...);
    visit.array({"row_perm", Role::permutation}, self.row_perm...);
    visit.store(self.values...);
  }
};

/// One warp of the ELL part: `rows` rows of `threads` threads, each of `steps` steps.
struct EllWarp {
  std::uint64_t rows, threads, steps;
  [[nodiscard]] std::uint64_t lanes() const { return rows * threads; }
  [[nodiscard]] std::uint64_t slots() const { return lanes() * steps; }
};

/// Threads for each row of a warp whose longest row has `width` entries. Requires: per_thread > 0.
[[nodiscard]] constexpr std::uint64_t threads_for(std::uint64_t width, std::uint64_t per_thread) {
  return std::max<std::uint64_t>(1, (width + per_thread - 1) / per_thread);
}

/// The shape of a warp of `rows` rows, the longest of `width` entries.
[[nodiscard]] constexpr EllWarp warp_shape(std::uint64_t rows, std::uint64_t width, std::uint64_t per_thread) {
  const std::uint64_t threads = threads_for(width, per_thread);
  return {rows, threads, (width + threads - 1) / threads};
}

template <class Storage>
[[nodiscard]] EllWarp ell_warp(const EllCsr<Storage>& f, std::uint64_t w) {
  return warp_shape(f.warp_row.position(w + 1) - f.warp_row.position(w), f.warp_width[w], f.per_thread);
}

/// Where the rows of the ELL part stand: i counts warp_size places for each warp, those behind its rows being empty.
template <class Storage>
[[nodiscard]] Stretch stretch(const EllCsr<Storage>& f, std::uint64_t i) {
  const std::uint64_t w = i / f.warp_size, g = i % f.warp_size;
  const EllWarp warp = ell_warp(f, w);
  if (g >= warp.rows) return {.row = f.rows};
  const std::uint64_t stored = f.warp_row.position(w) + g;
  return {.row = f.row_perm.empty() ? stored : f.row_perm[stored],
          .first = f.warp_start.position(w) + g * warp.threads,
          .stride = warp.lanes(),
          .width = warp.steps * warp.threads,
          .threads = static_cast<std::uint32_t>(warp.threads)};
}

[[nodiscard]] Status validate(const EllCsr<Viewed>& a);

}  // namespace spress
