// A matrix cut into panels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/core/description.hpp"
#include "formats/csr/row_panel.hpp"

namespace spress::tests {

/// Calls use(panel) for panels of `rows` rows. Requires: rows is a multiple of panel_unit.
template <class Use>
void for_each_panel(const Csr<Owned>& a, std::uint64_t rows, Use&& use) {
  for (std::uint64_t first = 0; first < a.rows; first += rows) {
    const std::uint64_t last = std::min(a.rows, first + rows), begin = a.row_ptr.position(first);
    Csr<Owned> part;
    part.rows = last - first;
    part.cols = a.cols;
    part.nnz = a.row_ptr.position(last) - begin;
    part.row_ptr = Positions<Owned>(DType::u32, part.rows + 1);
    for (std::uint64_t r = 0; r <= part.rows; ++r)
      part.row_ptr.as<std::uint32_t>()[r] = static_cast<std::uint32_t>(a.row_ptr.position(first + r) - begin);
    part.col_idx = HostArray<std::uint32_t>(a.col_idx.span().subspan(begin, part.nnz));
    part.values = empty_like(view_of(a).values, part.nnz);
    const std::size_t width = size_of(a.values.type);
    std::copy_n(a.values.codes.memory.data() + begin * width, part.nnz * width, part.values.codes.memory.data());
    use(RowPanel{first, view_of(part)});
  }
}

}  // namespace spress::tests
