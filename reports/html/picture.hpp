// The picture of a pattern as the page holds it: deflated, and in base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reports/records/records.hpp"

namespace spress::reports {

/// At most so many characters of base64 for the picture of one ordering.
inline constexpr std::size_t picture_limit = 6000;

struct Picture {
  std::uint32_t size = 0;  ///< cells per side
  std::string text;        ///< base64 of a zlib stream; it holds two cells a byte, the first in the upper four bits
};

/// The picture of a record. One whose text is longer than `limit` becomes coarser by half until it fits.
/// Complexity: linear in the cells. Requires: size * size digits.
Picture picture_of(const SpyRecord& spy, std::size_t limit = picture_limit);

/// Half as many cells per side, rounded up. A cell's share is the mean of the cells that it covers.
SpyRecord coarser(const SpyRecord& spy);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace spress::reports
