#pragma once

#include <cstdint>
#include <string_view>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Coordinate format: one row id and one column id per entry, sorted by row, then by column.
template <class Storage = Owned>
struct Coo {
  static constexpr std::string_view name = "coo";
  static constexpr std::string_view summary = "row ids, column ids, values";
  static constexpr bool sized_by_panels = true;
  using Params = NoParams;

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  Array<Storage, std::uint32_t> row_idx;  // nnz
  Array<Storage, std::uint32_t> col_idx;  // nnz
  ValueStore<Storage> values;             // nnz

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.array({"row_idx", Role::index}, self.row_idx...);
    visit.array({"col_idx", Role::index}, self.col_idx...);
    visit.store(self.values...);
  }
};

[[nodiscard]] Status validate(const Coo<Viewed>& a);

}  // namespace spress
