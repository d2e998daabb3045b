// The entries of a block of lines, packed small until they are put into rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"

namespace spress::io {

/// What a file says of its matrix before the entries come.
struct MatrixHead {
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::uint64_t rows = 0, cols = 0;
  std::uint64_t entries = 0;  ///< that the file holds, before symmetric expansion
  std::uint64_t first_row =
      0;  ///< the number that the first row has in messages, where these are some rows of a matrix
};

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
  /// Ids that stay where they are. They must outlive this.
  [[nodiscard]] static PackedIds seen(std::span<const std::uint32_t> ids);
  /// Takes `by` off every id. Requires: no id is less; the ids were packed by write().
  void lower(std::uint32_t by);
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

/// The values that an entry has: 0 for a pattern, 2 for complex, else 1.
[[nodiscard]] constexpr std::size_t values_per_entry(Field field) {
  return field == Field::pattern ? 0 : field == Field::complex ? 2 : 1;
}

/// Puts ids and values into memory of the block's own. ids: empty for arrays.
void pack_into(EntryBlock& block, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> cols,
               std::span<const double> values, BlockArena& arena);

/// Entries added one by one, packed as they come.
class EntryCollector {
 public:
  explicit EntryCollector(Field field) : per_entry_(values_per_entry(field)) {}
  /// im counts for complex entries alone. Throws std::bad_alloc.
  void add(std::uint32_t row, std::uint32_t col, double re = 0, double im = 0);
  [[nodiscard]] std::uint64_t entries() const { return entries_ + rows_.size(); }
  /// All of them, in order. Nothing may be added afterwards.
  [[nodiscard]] std::vector<EntryBlock> take();

 private:
  void flush();
  std::size_t per_entry_;
  std::uint64_t entries_ = 0;  ///< packed
  std::vector<std::uint32_t> rows_, cols_;
  std::vector<double> values_;
  BlockArena arena_;
  std::vector<EntryBlock> blocks_;
};

/// The nonzeros of a dense array with the shape of `head`, by rows or by columns. values: of the field `stored`; the
/// entries have head.field.
[[nodiscard]] EntryCollector nonzeros_of(const double* values, const MatrixHead& head, Field stored, bool by_columns);

/// Entries given as arrays of rows and columns. values: as many as the entries have, or null for a pattern. The arrays
/// must outlive the blocks.
[[nodiscard]] std::vector<EntryBlock> blocks_of_arrays(std::span<const std::uint32_t> rows,
                                                       std::span<const std::uint32_t> cols, const double* values,
                                                       Field field);

/// Entries given by compressed rows, or by compressed columns: those of row r are [pointers[r], pointers[r + 1]) of
/// ids and values, which must outlive the blocks. Requires: pointers begin with 0, never fall, end with ids.size().
[[nodiscard]] std::vector<EntryBlock> blocks_of_compressed(std::span<const std::uint64_t> pointers,
                                                           std::span<const std::uint32_t> ids, const double* values,
                                                           Field field, bool by_columns);

}  // namespace spress::io
