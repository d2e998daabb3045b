#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/padded/stretch.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// ELLPACK: every row padded to the longest, stored column by column: entry k of row r in slot k * rows + r.
/// A matrix that would be mostly padding is not_applicable (see most_slots in encode/shared/rows.hpp).
/// Source: Bell and Garland 2009, section 3, as used by Matam and Kothapalli, section II.
template <class Storage = Owned>
struct Ell {
  static constexpr std::string_view name = "ell";
  static constexpr std::string_view summary = "every row padded to the longest, stored column by column";
  static constexpr bool sized_by_panels = true;
  using Params = NoParams;

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t width = 0;                // entries of the longest row
  Array<Storage, std::uint32_t> col_idx;  // rows * width
  ValueStore<Storage> values;             // rows * width

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    const auto& f = std::get<0>(std::tie(self...));
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("width", self.width...);
    visit.array({"col_idx", Role::index, f.rows * f.width - f.nnz}, self.col_idx...);
    visit.store(self.values...);
  }
};

/// Where row i stands.
template <class Storage>
[[nodiscard]] Stretch stretch(const Ell<Storage>& f, std::uint64_t i) {
  return {.row = i, .first = i, .stride = f.rows, .width = f.width};
}

[[nodiscard]] Status validate(const Ell<Viewed>& a);

}  // namespace spress
