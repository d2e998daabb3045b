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

/// The threads that so many entries are worth, of those that `asked` stands for.
[[nodiscard]] int useful_threads(const MmHeader& header, int asked);

// The parts of read_mm_body, for who keeps no blocks.

[[nodiscard]] ParseBlock mm_parser(const MmHeader& header);
[[nodiscard]] BlockContents mm_contents(const MmHeader& header);
/// Errors: truncated where the text ended, in that line, before all entries.
[[nodiscard]] Status check_mm_end(const MmHeader& header, std::uint64_t entries, std::uint64_t lines);

}  // namespace spress::io
