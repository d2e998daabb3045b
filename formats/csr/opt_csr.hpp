#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// What an optimized CSR stores for a column.
enum class IndexMode : std::uint8_t {
  delta,     ///< the gap to the previous column; the first column of each row apart, in 4 bytes
  anchored,  ///< as delta, but a row's first entry is its signed distance to the diagonal, in the row's own width
  diagonal,  ///< the signed distance of every entry to the diagonal
  automatic  ///< a parameter only: the smallest of the three (ties in the order diagonal, anchored, delta)
};
template <>
struct EnumNames<IndexMode> {
  static constexpr std::array<std::string_view, 4> names = {"delta", "anchored", "diagonal", "auto"};
};

/// Optimized CSR: rows grouped by the width (8, 16, 32 bits) that their encoded columns need, the original order kept
/// within a group. Source: Freire et al. 2024, section 6.
///
/// Row `i` of the stored order is row `row_perm[i]` of the matrix (row `i` itself where row_perm is empty). Its codes
/// stand at [row_ptr[i], row_ptr[i+1]) counted over the three column arrays laid end to end; section s holds rows
/// [section_start[s], section_start[s+1]). In `delta` mode the code of a row's first entry is 0 and its column stands
/// in first_col. Signed codes are stored in two's complement.
template <class Storage = Owned>
struct OptCsr {
  static constexpr std::string_view name = "opt-csr";
  static constexpr std::string_view summary = "CSR with rows grouped by the width of their column differences";
  static constexpr bool sized_by_panels = true;

  struct Params {
    IndexMode index = IndexMode::automatic;
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("index", index, "what is stored for a column");
    }
  };

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  IndexMode index = IndexMode::delta;
  Positions<Storage> section_start;         // 4: first stored row of the 8, 16 and 32-bit sections, and rows
  Positions<Storage> row_ptr;               // rows + 1
  Array<Storage, std::uint32_t> first_col;  // delta mode: rows (0 for an empty row); else empty
  Array<Storage, std::uint8_t> col8;        // one code per entry of the 8-bit section
  Array<Storage, std::uint16_t> col16;
  Array<Storage, std::uint32_t> col32;
  Array<Storage, std::uint32_t> row_perm;  // rows, or empty for the identity
  ValueStore<Storage> values;              // nnz, in stored row order

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("index", self.index...);
    visit.array({"section_start", Role::metadata}, self.section_start...);
    visit.array({"row_ptr", Role::pointer}, self.row_ptr...);
    visit.array({"first_col", Role::index}, self.first_col...);
    visit.array({"col8", Role::index}, self.col8...);
    visit.array({"col16", Role::index}, self.col16...);
    visit.array({"col32", Role::index}, self.col32...);
    visit.array({"row_perm", Role::permutation}, self.row_perm...);
    visit.store(self.values...);
  }
};

[[nodiscard]] Status validate(const OptCsr<Viewed>& a);

}  // namespace spress
