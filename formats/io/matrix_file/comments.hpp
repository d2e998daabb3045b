// The comments of a Matrix Market file, compressed with what such comments have in common. Private to formats/io.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/matrix_file/streams/stream.hpp"

namespace spress::io {

[[nodiscard]] std::vector<std::uint8_t> encode_comments(std::string_view comments, StreamEncoder& encoder);

/// Errors: damaged. Throws std::bad_alloc.
[[nodiscard]] Status decode_comments(std::span<const std::uint8_t> bytes, StreamDecoder& decoder,
                                     std::string& comments);

}  // namespace spress::io
