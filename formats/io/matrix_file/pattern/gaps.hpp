// Columns as gaps. Private to formats/io; see container_v2.md.
#pragma once

#include "formats/io/matrix_file/pattern/pattern.hpp"

namespace spress::io {

/// The column from which the first one of a row is counted.
enum class Anchor : std::uint8_t {
  row_before,     ///< the first column of the row before
  diagonal,       ///< the number of the row
  from_diagonal,  ///< as diagonal, but columns are counted downwards, from the last one of the row on
};

void encode_gaps(const BlockPattern& pattern, StreamEncoder& encoder, std::vector<std::uint8_t>& out);

[[nodiscard]] Status decode_gaps(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder,
                                 std::uint32_t* lengths, std::uint32_t* columns);

}  // namespace spress::io
