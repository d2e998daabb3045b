// Rows that follow one another, as those of a grid do: lanes that take neighbouring rows then share lines of x.
#pragma once

#include <cstdint>

namespace spress::cuda {

/// Entries of a sample, and those of them whose column lies within a line of the cache of that of the same entry of the
/// row before.
struct RowLikeness {
  std::uint64_t alike = 0, all = 0;

  /// Compares the column of an entry of the sample with that of the row before.
  void compare(std::uint64_t column, std::uint64_t before) {
    constexpr std::uint64_t line = 16;
    alike += (column > before ? column - before : before - column) < line ? 1 : 0;
  }
  /// At least half of the entries are alike.
  [[nodiscard]] bool rows_follow() const { return 2 * alike >= all; }
};

}  // namespace spress::cuda
