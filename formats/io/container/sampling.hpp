// Samples by which encoders choose. Private to formats/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spress::io {

/// Copies about `bytes` of `count` elements of `width` bytes to `to`: pieces from the begin, the middle and the end.
/// Returns the number of elements copied. Requires: the elements take more than `bytes`, which hold some of them.
inline std::size_t copy_sample(const void* elements, std::size_t count, std::size_t width, std::size_t bytes,
                               void* to) {
  constexpr std::size_t pieces = 3;
  const std::size_t piece = bytes / pieces / width, step = (count - piece) / (pieces - 1);
  for (std::size_t i = 0; i < pieces; ++i)
    std::memcpy(static_cast<std::uint8_t*>(to) + i * piece * width,
                static_cast<const std::uint8_t*>(elements) + i * step * width, piece * width);
  return pieces * piece;
}

}  // namespace spress::io
