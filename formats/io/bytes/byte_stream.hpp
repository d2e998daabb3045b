// Bytes in order, from a file or decompressed on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/io/bytes/endings.hpp"
#include "formats/io/bytes/input_file.hpp"

namespace spress::io {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `to` with the next `n` bytes; fewer only at the end.
  /// Errors: unreadable, truncated, damaged.
  virtual Result<std::size_t> read(char* to, std::size_t n) = 0;
};

/// Reads and drops what is left, so that checksums at the end of compressed data are verified.
[[nodiscard]] Status drain(ByteStream& stream);

/// Appends what follows in the stream until there are `most` bytes; fewer only at its end. Memory grows with what is
/// there, whatever a header claims.
[[nodiscard]] Status read_up_to(ByteStream& stream, std::uint64_t most, std::vector<std::uint8_t>& bytes);

/// The bytes of a file from its beginning.
[[nodiscard]] std::unique_ptr<ByteStream> file_stream(std::shared_ptr<InputFile> file);

/// What the compressed data in `bytes` holds. Errors: unsupported by this build.
[[nodiscard]] Result<std::unique_ptr<ByteStream>> decompress(Compression compression,
                                                             std::unique_ptr<ByteStream> bytes);

}  // namespace spress::io
