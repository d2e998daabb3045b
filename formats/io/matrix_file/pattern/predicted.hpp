// Columns as other rows predict them. Private to formats/io; see container_v2.md.
#pragma once

#include "formats/io/matrix_file/pattern/pattern.hpp"

namespace spress::io {

/// The columns that are likely in a row.
struct Prediction {
  bool shifted = false;     ///< those of the row before, each moved on by one: bands and grids
  bool neighbours = false;  ///< those of each row whose number is found as a column: elements, cliques
  std::uint8_t window = 0;  ///< those of one of so many rows before, named for each row: graphs of links
};

void encode_predicted(const BlockPattern& pattern, Prediction prediction, std::vector<std::uint8_t>& out);

[[nodiscard]] Status decode_predicted(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder,
                                      std::uint32_t* lengths, std::uint32_t* columns);

}  // namespace spress::io
