// The size of an optimized CSR, from how many entries its rows of each class hold.
#pragma once

#include <array>
#include <cstdint>

#include "analyze/index_classes.hpp"
#include "encode/shared/common.hpp"
#include "formats/csr/opt_csr.hpp"

namespace spress {

/// The modes that are stored; where two take the same bytes, the first is chosen.
inline constexpr std::array<IndexMode, 3> stored_modes = {IndexMode::diagonal, IndexMode::anchored, IndexMode::delta};

/// By what a row's class is found. Requires: a stored mode.
[[nodiscard]] constexpr analyze::Strategy strategy_of(IndexMode index) {
  switch (index) {
    case IndexMode::delta: return analyze::Strategy::delta;
    case IndexMode::anchored: return analyze::Strategy::delta_anchored;
    default: return analyze::Strategy::delta_to_diagonal;
  }
}

/// Classes by mode, in the order of `stored_modes`.
using ModeWidths = std::array<std::uint8_t, stored_modes.size()>;

/// The classes (0, 1, 2 for 8, 16, 32 bits) of a row under each mode.
[[nodiscard]] constexpr ModeWidths mode_widths(const analyze::RowShape& shape) {
  ModeWidths widths = {};
  for (std::size_t m = 0; m < widths.size(); ++m)
    widths[m] = static_cast<std::uint8_t>(analyze::width_of(strategy_of(stored_modes[m]), shape));
  return widths;
}
/// Those of n ascending columns; an empty row needs 8 bits.
[[nodiscard]] inline ModeWidths mode_widths(std::uint64_t row, const std::uint32_t* cols, std::uint64_t n) {
  return n == 0 ? ModeWidths{} : mode_widths(analyze::row_shape(row, cols, n));
}

/// `entries`: by the class (8, 16, 32 bits) of their row; `grouped`: the rows already stand in order of their classes.
[[nodiscard]] constexpr std::uint64_t opt_csr_index_bytes(IndexMode index, std::uint64_t rows,
                                                          const std::array<std::uint64_t, 3>& entries, bool grouped) {
  const std::uint64_t nnz = entries[0] + entries[1] + entries[2];
  const std::uint64_t codes = entries[0] + 2 * entries[1] + 4 * entries[2];
  const std::uint64_t row_arrays = (index == IndexMode::delta ? 1u : 0u) + (grouped ? 0u : 1u);
  return position_bytes(4, rows) + position_bytes(rows + 1, nnz) + codes + 4 * rows * row_arrays;
}

}  // namespace spress
