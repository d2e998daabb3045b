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

/// Checks blocks one after another, in the order of the text; lines, entries: those so far.
class BlockCheck {
 public:
  BlockCheck(const BlockContents& contents, std::uint64_t lines_before) : contents_(contents), lines_(lines_before) {}
  /// Errors: that of the block; syntax where there are more entries than contents.most_entries.
  [[nodiscard]] Status take(const EntryBlock& block);
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t entries() const { return entries_; }

 private:
  BlockContents contents_;
  std::uint64_t lines_, entries_ = 0;
};

/// Takes blocks that are not kept. t: the number of the thread that parsed the block.
struct BlockTaker {
  /// The scratch still holds the block's entries. Called by several threads at a time.
  std::function<void(std::size_t t, const BlockScratch& scratch, const EntryBlock& block)> prepare;
  /// Called for one block at a time, in the order of the text, with those that passed `check`.
  std::function<Status(std::size_t t, const EntryBlock& block, const BlockCheck& check)> take;
};

/// Reads all blocks, and hands each on. Memory: that of the blocks in work. Errors: those of `check` and of the taker,
/// the first in the order of the text.
[[nodiscard]] Status pass_blocks(LineBlocks& source, const ParseBlock& parse, int threads, const BlockTaker& taker,
                                 BlockCheck& check);

/// The line within a block that holds its n-th entry, both from 1.
[[nodiscard]] std::uint64_t line_of_entry(const EntryBlock& block, std::uint64_t n);

/// The first error in the order of the text, whatever the number of threads; `lines` count those before the blocks.
/// Errors: those of the blocks; syntax where there are more entries than contents.most_entries.
[[nodiscard]] Status check_blocks(const std::vector<EntryBlock>& blocks, const BlockContents& contents,
                                  std::uint64_t lines);

/// The line of the text that holds entry `n`, counted from 0.
[[nodiscard]] std::uint64_t line_of_entry(const std::vector<EntryBlock>& blocks, std::uint64_t n,
                                          std::uint64_t lines_before);

}  // namespace spress::io
