// The entries of a block of lines, packed small until they are put into rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "formats/core/result.hpp"

namespace spress::io {

/// Memory for blocks, given back to the system as soon as the last block in a chunk is gone, so that blocks and the
/// matrix made from them are never held in full together. Not for use by two threads at once.
class BlockArena {
 public:
  class Chunk;
  struct Piece {
    std::byte* data = nullptr;
    std::shared_ptr<Chunk> owner;
  };
  /// `bytes` bytes, aligned to 16. Throws std::bad_alloc.
  Piece take(std::size_t bytes);

 private:
  std::shared_ptr<Chunk> chunk_;
  std::size_t used_ = 0, size_ = 0;
};

/// Ids of entries in file order: as they are, as 16-bit offsets from the smallest, or as runs of equal ids, whichever
/// takes least. (A file sorted by columns has few runs of column ids.)
class PackedIds {
 public:
  enum class Coding : std::uint8_t { plain, offset16, runs };

  /// Chooses the coding. Requires: write() with the same ids afterwards.
  explicit PackedIds(std::span<const std::uint32_t> ids);
  PackedIds() = default;
  [[nodiscard]] std::size_t bytes() const;
  void write(std::span<const std::uint32_t> ids, std::byte* to);
  /// Writes the ids to `to`. Requires: as many as were packed.
  void unpack(std::uint32_t* to) const;

 private:
  Coding coding_ = Coding::plain;
  std::uint32_t base_ = 0;
  std::size_t count_ = 0, runs_ = 0;
  const std::byte* data_ = nullptr;
};

/// What was found in one block of lines.
struct EntryBlock {
  std::uint64_t index = 0;  ///< of the block in the text
  std::uint64_t lines = 0;  ///< in the block; where there is an error, up to and with the line concerned
  std::uint64_t entries = 0;
  bool unterminated = false;  ///< the last line had no line end
  std::unique_ptr<Error> error;
  struct Lines {
    std::uint64_t first, count;
  };
  std::vector<Lines> skipped;      ///< blank lines and comments, from 1 within the block
  PackedIds rows, cols;            ///< 0-based; empty for arrays
  const double* values = nullptr;  ///< entries, or twice as many for complex; null for patterns
  std::shared_ptr<BlockArena::Chunk> memory;
};

}  // namespace spress::io
