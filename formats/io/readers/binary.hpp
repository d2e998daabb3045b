// Numbers of binary files, read from streams of unknown length. Private to formats/io.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/memory.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/byte_stream.hpp"

namespace spress::io {

/// The bytes of a number in the other order.
template <class T>
[[nodiscard]] T byte_swapped(T number) {
  std::uint8_t bytes[sizeof(T)];
  std::memcpy(bytes, &number, sizeof(T));
  std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(&number, bytes, sizeof(T));
  return number;
}

/// The number of type T at `at`, of the byte order given.
template <class T>
[[nodiscard]] T number_at(const std::uint8_t* at, std::endian order) {
  T number;
  std::memcpy(&number, at, sizeof(T));
  return order == std::endian::native ? number : byte_swapped(number);
}

/// The next `count` numbers of `width` bytes each, handed to use(bytes, n, first) in pieces, `first` counting numbers
/// from 0. Memory does not grow with what the file claims.
/// Errors: those of the stream and of use; truncated, where the stream ends before, naming `what`.
template <class Use>
[[nodiscard]] Status for_pieces(ByteStream& stream, std::uint64_t count, std::size_t width, std::string_view what,
                                const Use& use) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 16;
  std::vector<char> buffer(static_cast<std::size_t>(std::min(piece, count)) * width);
  for (std::uint64_t first = 0; first < count; first += piece) {
    const auto n = static_cast<std::size_t>(std::min(piece, count - first));
    SPRESS_TRY(const std::size_t got, stream.read(buffer.data(), n * width));
    if (got < n * width)
      return Error{ErrorCode::truncated, "ends after " + std::to_string(first + got / width) + " of " +
                                             std::to_string(count) + ' ' + std::string(what)};
    SPRESS_CHECK(use(reinterpret_cast<const std::uint8_t*>(buffer.data()), n, first));
  }
  return Ok{};
}

/// Makes room for `more` elements, at least doubling what there is. For vectors that grow with what a file holds, since
/// a compressed file may hold a thousand times its own size. Errors: too_large where `what` does not fit the memory.
template <class T>
[[nodiscard]] Status make_room(std::vector<T>& elements, std::uint64_t more, std::string_view what) {
  constexpr std::uint64_t worth_asking = std::uint64_t{16} << 20, most = std::uint64_t{1} << 60;
  if (more <= elements.capacity() - elements.size()) return Ok{};
  const std::uint64_t wanted = std::max<std::uint64_t>(elements.size() + std::min(more, most), 2 * elements.capacity());
  if (wanted * sizeof(T) > worth_asking) SPRESS_CHECK(fits_memory(wanted * sizeof(T), what));
  elements.reserve(wanted);
  return Ok{};
}

}  // namespace spress::io
