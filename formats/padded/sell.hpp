#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/padded/stretch.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// SELL-C-sigma: the rows, sorted by length (longest first, ties in their order) within windows of sigma rows, are cut
/// into slices of C; a slice is padded to its longest row and stored column by column. sigma = 1 is sliced ELLPACK.
/// The last slice has C rows as well, those beyond the matrix all padding.
/// Entry k of stored row i (row row_perm[i] of the matrix, row i where row_perm is empty), which is lane j = i mod C of
/// slice s = i / C, stands in slot slice_start[s] + k * C + j. The width of a slice is not stored: it is
/// (slice_start[s + 1] - slice_start[s]) / C.
/// Source: Kreutzer et al. 2014, as used by Wik, section "Sliced ELLPACK and SELL-C-sigma", and by Nagasaka et al.
template <class Storage = Owned>
struct Sell {
  static constexpr std::string_view name = "sell";
  static constexpr std::string_view summary = "SELL-C-sigma: slices of C rows, each padded to its longest";
  static constexpr bool sized_by_panels = true;

  static constexpr std::uint32_t largest_c = 1024;  ///< a thread block of a GPU

  struct Params {
    std::uint32_t c = 32;       // a warp, and a multiple of every CPU's vectors
    std::uint32_t sigma = 256;  // sorts out most padding, and leaves rows near their neighbours in x and y
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("c", c, "rows of a slice, 1 to 1024");
      visit.option("sigma", sigma, "rows of a sorting window, at least 1; 1 keeps the order");
    }
  };

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t c = 1, sigma = 1;
  std::uint64_t slots = 0;                 // entries and padding
  Positions<Storage> slice_start;          // slices + 1 = ceil(rows / c) + 1, ending at slots
  Array<Storage, std::uint32_t> col_idx;   // slots
  Array<Storage, std::uint32_t> row_perm;  // rows, or empty for the identity
  ValueStore<Storage> values;              // slots

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    const auto& f = std::get<0>(std::tie(self...));
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("c", self.c...);
    visit.scalar("sigma", self.sigma...);
    visit.scalar("slots", self.slots...);
    visit.array({"slice_start", Role::pointer}, self.slice_start...);
    visit.array({"col_idx", Role::index, f.slots - f.nnz}, self.col_idx...);
    visit.array({"row_perm", Role::permutation}, self.row_perm...);
    visit.store(self.values...);
  }
};

/// Slices of a matrix, the last one filled up with rows that do not exist.
[[nodiscard]] constexpr std::uint64_t slice_count(std::uint64_t rows, std::uint64_t c) { return (rows + c - 1) / c; }

/// Where stored row i stands, for i < slices * c.
template <class Storage>
[[nodiscard]] Stretch stretch(const Sell<Storage>& f, std::uint64_t i) {
  const std::uint64_t slice = i / f.c, start = f.slice_start.position(slice);
  return {.row = f.row_perm.empty() || i >= f.rows ? i : f.row_perm[i],
          .first = start + i % f.c,
          .stride = f.c,
          .width = (f.slice_start.position(slice + 1) - start) / f.c};
}

[[nodiscard]] Status validate(const Sell<Viewed>& a);

}  // namespace spress
