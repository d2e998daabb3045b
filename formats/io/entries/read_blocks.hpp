// Text with an entry in each line, parsed in blocks of lines by several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "formats/core/array.hpp"
#include "formats/core/result.hpp"
#include "formats/io/entries/entries.hpp"
#include "formats/io/entries/line_blocks.hpp"

namespace spress::io {

/// Entries of one block before they are packed; reused from block to block.
struct BlockScratch {
  HostArray<std::uint32_t> rows, cols;
  HostArray<double> values;

  /// Room for what a text of lines of at least 4 bytes with ids, or 2 with a value, may hold.
  void reserve(std::size_t text_bytes);
};

/// What the lines hold.
struct BlockContents {
  bool ids = true;
  std::size_t values_per_entry = 1;
  std::uint64_t most_entries = std::numeric_limits<std::uint64_t>::max();  ///< reading ends soon behind so many
};

/// Puts the entries of a text into `scratch`, and counts lines and entries in `block`, up to and with the line of its
/// first error, which it leaves there. Called by several threads at a time.
using ParseBlock = std::function<void(const TextBlock& text, BlockScratch& scratch, EntryBlock& block)>;

/// Notes that the line counted last has no entry.
void note_skipped_line(EntryBlock& block);

/// All blocks up to the end, to an error, or to more entries than contents.most_entries, in the order of the text.
[[nodiscard]] std::vector<EntryBlock> read_blocks(LineBlocks& source, const BlockContents& contents,
                                                  const ParseBlock& parse, int threads);

/// The first error in the order of the text, whatever the number of threads; `lines` count those before the blocks.
/// Errors: those of the blocks; syntax where there are more entries than contents.most_entries.
[[nodiscard]] Status check_blocks(const std::vector<EntryBlock>& blocks, const BlockContents& contents,
                                  std::uint64_t lines);

/// The line of the text that holds entry `n`, counted from 0.
[[nodiscard]] std::uint64_t line_of_entry(const std::vector<EntryBlock>& blocks, std::uint64_t n,
                                          std::uint64_t lines_before);

}  // namespace spress::io
