// The body of a Matrix Market file: lines to entries, by several threads.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/io/entries/entries.hpp"
#include "formats/io/entries/line_blocks.hpp"
#include "formats/io/entries/read_blocks.hpp"
#include "formats/io/matrix_market/mm_header.hpp"

namespace spress::io {

/// All entries, in blocks in the order of the file: header.entries of them. `lines_before` counts the lines of the
/// head. An error is the first in the file, whatever the number of threads, and carries its line. Errors: syntax,
/// out_of_range, not_representable, truncated, and those of the blocks' source.
[[nodiscard]] Result<std::vector<EntryBlock>> read_mm_body(LineBlocks& source, const MmHeader& header,
                                                           std::uint64_t lines_before, int threads);

}  // namespace spress::io
