// Slices of a slice-delta that share their description, two by two: what a warp can add up together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/slice_delta/slice_delta.hpp"

namespace spress::cuda {

/// Two slices with one description, or one twice.
struct alignas(8) SlicePair {
  std::uint32_t value[2];    ///< where their values begin, if they have codes
  std::uint32_t first_word;  ///< of both
  std::uint32_t slice[2];    ///< in order
};
static_assert(sizeof(SlicePair) == 24);

/// Slices of a pair stand at most this far apart: the near ones, which ask for neighbouring elements of x, or, where
/// too few of them are alike, those of a grid of n points a side, which are alike again n slices on at the latest.
inline constexpr std::uint32_t near_pair_reach = 64, pair_reach = 256;

/// All slices of a matrix by pairs, about in order; nothing where a kernel that takes slices one by one does as well:
/// where many slices have no equal near them, or rows are cut into pieces. Values must be in codes of one byte or the
/// same for all, and finite, since lanes without an entry multiply one by 0; there are fewer than 2^32 codes. Requires:
/// no step has residuals or a wide base.
[[nodiscard]] std::optional<std::vector<SlicePair>> pair_slices(const SliceDelta<Viewed>& host);

}  // namespace spress::cuda
