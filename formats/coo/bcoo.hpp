#pragma once

#include <cstdint>
#include <string_view>

#include "formats/coo/chunks.hpp"
#include "formats/coo/coo.hpp"
#include "formats/core/description.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Balanced COO: the arrays of COO, worked off in chunks of `chunk` consecutive entries (the last may be shorter), so
/// that every thread gets the same number of entries however long the rows are.
///
/// The paper adds the sums of a chunk's first and last row to y atomically, and so leaves the order of additions to
/// chance. Here the chunk in which a row begins stores its sum, and what later chunks find of that row is added
/// afterwards, in the order of the chunks: no atomics, and the same bits for any number of threads, for one number of
/// scratch per chunk. Source: Aliaga et al. 2021, section 2.2.
template <class Storage = Owned>
struct Bcoo {
  static constexpr std::string_view name = "bcoo";
  static constexpr std::string_view summary = "COO dealt to threads in chunks of b entries";
  static constexpr bool sized_by_panels = true;
  using Params = ChunkParams;

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t chunk = 1024;             // entries of a chunk
  Array<Storage, std::uint32_t> row_idx;  // nnz
  Array<Storage, std::uint32_t> col_idx;  // nnz
  ValueStore<Storage> values;             // nnz

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("chunk", self.chunk...);
    visit.array({"row_idx", Role::index}, self.row_idx...);
    visit.array({"col_idx", Role::index}, self.col_idx...);
    visit.store(self.values...);
  }
};

/// The same arrays as plain COO.
[[nodiscard]] inline Coo<Viewed> as_coo(const Bcoo<Viewed>& a) {
  return {a.rows, a.cols, a.nnz, a.row_idx, a.col_idx, a.values};
}

[[nodiscard]] Status validate(const Bcoo<Viewed>& a);

}  // namespace spress
