#include "formats/io/hdf5/lzf.hpp"

#include <algorithm>

namespace spress::io::hdf5 {

std::size_t decompress_lzf(std::span<const std::uint8_t> from, std::span<std::uint8_t> to) {
  constexpr std::size_t longest_literal = 32, extended = 7, shortest_copy = 2;
  std::size_t in = 0, out = 0;
  while (in < from.size()) {
    const std::size_t control = from[in++];
    if (control < longest_literal) {  // so many bytes and one follow as they are
      const std::size_t length = control + 1;
      if (length > from.size() - in || length > to.size() - out) return 0;
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(in), length,
                  to.begin() + static_cast<std::ptrdiff_t>(out));
      in += length;
      out += length;
      continue;
    }
    std::size_t length = control >> 5;  // a copy of bytes that were written before; it may overlap itself
    if (length == extended) {
      if (in == from.size()) return 0;
      length += from[in++];
    }
    if (in == from.size()) return 0;
    const std::size_t distance = ((control & 31) << 8 | from[in++]) + 1;
    length += shortest_copy;
    if (distance > out || length > to.size() - out) return 0;
    for (std::size_t k = 0; k < length; ++k, ++out) to[out] = to[out - distance];
  }
  return out;
}

}  // namespace spress::io::hdf5
