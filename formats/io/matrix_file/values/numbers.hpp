// Floating-point numbers of a block, in the way that takes the fewest bytes. Private to formats/io; see
// container_v2.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/io/matrix_file/streams/stream.hpp"

namespace spress::io {

/// The kind of a list of numbers, its first byte.
enum class NumbersKind : std::uint8_t {
  words,    ///< the bits of each, 64
  singles,  ///< the bits of each as a number of 32 bits, which it is
  decimal,  ///< digits and an exponent of ten for each, and those apart that are no such number
  pairs     ///< of complex numbers, in place of a list of real parts: one list of both parts in turn follows
};

/// Appends the numbers; nothing where there are none. They come back bit for bit.
/// ascending: of numbers in order, differences are tried as well.
void encode_numbers(std::span<const double> numbers, bool ascending, StreamEncoder& encoder,
                    std::vector<std::uint8_t>& out);

/// Appends complex numbers, given as real and imaginary parts in turn: each kind of part as a list, or all as one.
void encode_complex(std::span<const double> parts, StreamEncoder& encoder, std::vector<std::uint8_t>& out);

/// Reads `count` numbers from the front of `in`. Errors: damaged. Throws std::bad_alloc.
[[nodiscard]] Status decode_numbers(std::uint64_t count, ByteReader& in, StreamDecoder& decoder, double* out);

/// Reads `count` complex numbers, real and imaginary parts in turn. Errors: damaged. Throws std::bad_alloc.
[[nodiscard]] Status decode_complex(std::uint64_t count, ByteReader& in, StreamDecoder& decoder, double* out);

}  // namespace spress::io
