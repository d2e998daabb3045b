// Row pointers of row lengths. Private to formats/io.
#pragma once

#include <cstdint>

#include "formats/core/array.hpp"

namespace spress::io {

/// The positions at which rows of these lengths begin, and the end. Requires: they add up to `entries`.
template <class Length>
[[nodiscard]] Positions<Owned> positions_of(const HostArray<Length>& lengths, std::uint64_t entries) {
  Positions<Owned> positions(position_type(entries), lengths.size() + 1);
  fill_positions(positions, [&]<class P>(P* to) {
    std::uint64_t at = 0;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      to[r] = static_cast<P>(at);
      at += lengths[r];
    }
    to[lengths.size()] = static_cast<P>(at);
  });
  return positions;
}

}  // namespace spress::io
