// Columns copied from rows before. Private to formats/io; see container_v2.md.
#pragma once

#include "formats/io/matrix_file/pattern/pattern.hpp"

namespace spress::io {

/// The row that each row is copied from.
enum class CopySource : std::uint8_t {
  neighbour,  ///< the row whose number is the largest column before the diagonal: meshes, graphs
  named,      ///< one of the rows before, named for each row: links of pages
};

struct Copying {
  CopySource source = CopySource::neighbour;
  std::uint32_t window = 0;  ///< how many rows before are tried, if one is named
};

void encode_copied(const BlockPattern& pattern, Copying copying, StreamEncoder& encoder,
                   std::vector<std::uint8_t>& out);

[[nodiscard]] Status decode_copied(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder,
                                   std::uint32_t* lengths, std::uint32_t* columns);

}  // namespace spress::io
