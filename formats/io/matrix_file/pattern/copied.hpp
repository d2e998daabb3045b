// Columns copied from rows before. Private to formats/io; see container_v2.md.
#pragma once

#include "formats/io/matrix_file/pattern/pattern.hpp"

namespace spress::io {

/// The row that each row is copied from.
enum class CopySource : std::uint8_t {
  neighbour,  ///< the row whose number is the largest column before the diagonal: meshes, graphs
  named,      ///< one of the rows before, named for each row: links of pages
};

/// window: how many rows before are tried; without meaning for neighbours.
void encode_copied(const BlockPattern& pattern, CopySource source, std::uint64_t window, StreamEncoder& encoder,
                   std::vector<std::uint8_t>& out);

[[nodiscard]] Status decode_copied(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder,
                                   std::uint32_t* lengths, std::uint32_t* columns);

}  // namespace spress::io
