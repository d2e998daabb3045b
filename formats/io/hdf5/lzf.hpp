// Data that h5py's filter LZF compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spress::io::hdf5 {

/// Decompresses `from` into `to`. Returns the bytes written, 0 where the data is damaged or does not fit.
/// Source: the format of LibLZF, Marc Lehmann.
[[nodiscard]] std::size_t decompress_lzf(std::span<const std::uint8_t> from, std::span<std::uint8_t> to);

}  // namespace spress::io::hdf5
