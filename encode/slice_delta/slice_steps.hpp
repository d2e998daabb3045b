// How a slice-delta tells the columns of a slice: lists of steps, laid out so that they cost little.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "formats/slice_delta/slice_delta.hpp"

namespace spress {

/// What a step costs a kernel beside the bytes that it reads, in bytes: chooses between few steps and few bits.
inline constexpr std::uint64_t step_cost = 16;

/// One step of a slice or of a piece of a long row: see SliceDelta.
struct Step {
  std::int64_t base = 0;
  std::uint32_t width = 0, mask = 0;
};

/// The steps of one item, and what they cost.
struct Steps {
  std::vector<Step> list;
  std::uint64_t entries = 0, residual_words = 0;
  std::uint64_t masks = 0;

  Steps() { list.reserve(usual); }
  void clear() {
    list.clear();
    entries = residual_words = masks = 0;
  }
  /// taken: the entries of the step, the bits of its mask.
  void add(const Step& step, std::uint32_t taken) {
    list.push_back(step);
    entries += taken;
    residual_words += slice_words::residual_words(taken, step.width);
    masks += taken != slice_rows ? 1 : 0;
  }
  [[nodiscard]] std::uint64_t cost() const { return cost_of(list.size()) + 4 * (masks + residual_words); }
  [[nodiscard]] bool is_uniform() const { return residual_words == 0 && masks == 0; }
  /// Of so many steps without masks and residuals.
  [[nodiscard]] static constexpr std::uint64_t cost_of(std::uint64_t steps) { return (4 + step_cost) * steps; }

 private:
  static constexpr std::size_t usual = 64;  // steps of most items
};

/// The rows of a slice on their way: for each lane its next entry, where they end, and the column that it stands at.
struct Lanes {
  std::array<const std::uint32_t*, slice_rows> next, end;
  std::array<std::int64_t, slice_rows> column;
};

/// The cheapest of several layouts of all entries of a slice. `other` is scratch memory.
/// Requires: lanes of at most most_slice_steps entries. Complexity: linear in the entries, and in the steps that are
/// tried.
void lay_slice(const Lanes& lanes, Steps& best, Steps& other);

/// Steps without residuals; returns false where they cost no less than `limit`.
bool lay_bare_slice(const Lanes& lanes, std::uint64_t limit, Steps& out);

/// Steps of 32 consecutive entries of a row, from `column` on.
void lay_piece(std::int64_t column, const std::uint32_t* first, const std::uint32_t* last, Steps& out);

}  // namespace spress
