#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/padded/stretch.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Hybrid ELL + COO: the first `width` entries of every row as in ELLPACK, the rest as coordinates. The width is the
/// largest k for which at least a third of the rows have k entries (0 where most rows are empty), so that the ELL part
/// never has more than 3 * nnz slots.
/// Entry k < width of row r stands in slot k * rows + r; entry j of the rest, in slot rows * width + j, is one of row
/// coo_row_idx[j]. The rest is sorted by row, then by column.
/// Source: Bell and Garland 2009, section 3.5, as used by Matam and Kothapalli, section II.
template <class Storage = Owned>
struct Hyb {
  static constexpr std::string_view name = "hyb";
  static constexpr std::string_view summary = "ELL for the first entries of each row, COO for the rest";
  static constexpr bool sized_by_panels = true;
  using Params = NoParams;

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t width = 0;                    // slots of a row in the ELL part
  std::uint64_t coo_nnz = 0;                  // entries of the rest
  Array<Storage, std::uint32_t> col_idx;      // rows * width + coo_nnz
  Array<Storage, std::uint32_t> coo_row_idx;  // coo_nnz
  ValueStore<Storage> values;                 // rows * width + coo_nnz

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    const auto& f = std::get<0>(std::tie(self...));
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("width", self.width...);
    visit.scalar("coo_nnz", self.coo_nnz...);
    visit.array({"col_idx", Role::index, f.rows * f.width + f.coo_nnz - f.nnz}, self.col_idx...);
    visit.array({"coo_row_idx", Role::index}, self.coo_row_idx...);
    visit.store(self.values...);
  }
};

/// Where the first entries of row i stand.
template <class Storage>
[[nodiscard]] Stretch stretch(const Hyb<Storage>& f, std::uint64_t i) {
  return {.row = i, .first = i, .stride = f.rows, .width = f.width};
}

[[nodiscard]] Status validate(const Hyb<Viewed>& a);

}  // namespace spress
