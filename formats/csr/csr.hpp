#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// How a GPU multiplies with a CSR.
enum class CsrWay : std::uint8_t {
  automatic,  ///< as the matrix suggests
  thread,     ///< a thread takes a row
  warp,       ///< a warp takes a row
  lanes,      ///< tiles of rows in shared memory, one or several lanes to a row
  entries     ///< tiles of entries: products first, then the sums of rows
};
template <>
struct EnumNames<CsrWay> {
  static constexpr std::array<std::string_view, 5> names = {"auto", "thread", "warp", "lanes", "entries"};
};

/// Compressed sparse rows: the baseline, and the form in which every other part of the library takes a matrix.
/// Columns ascend strictly within a row.
template <class Storage = Owned>
struct Csr {
  static constexpr std::string_view name = "csr";
  static constexpr std::string_view summary = "row pointers, column ids, values: the baseline";
  static constexpr bool sized_by_panels = true;
  /// The parameter that only a GPU's product goes by: files do not have it, and products on a CPU do not take it.
  static constexpr std::string_view gpu_parameter = "way";

  struct Params {
    CsrWay way = CsrWay::automatic;
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("way", way, "how a GPU multiplies; the bytes are the same");
    }
  };

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  Positions<Storage> row_ptr;             // rows + 1
  Array<Storage, std::uint32_t> col_idx;  // nnz
  ValueStore<Storage> values;             // nnz

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.array({"row_ptr", Role::pointer}, self.row_ptr...);
    visit.array({"col_idx", Role::index}, self.col_idx...);
    visit.store(self.values...);
  }
};

[[nodiscard]] Status validate(const Csr<Viewed>& a);

}  // namespace spress
