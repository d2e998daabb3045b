#include "kernels/cuda/bitmap/bitmap_tiles.hpp"

#include <algorithm>

#include "formats/bitmap/bitmap_blocks.hpp"

namespace spress::cuda {
namespace {

template <class Format>
class BlockCutter {
 public:
  BlockCutter(const Format& a, const BlockTileLimits& most, std::uint64_t place_bytes)
      : a_(a), most_(most), block_bytes_(sizeof(std::uint64_t) + place_bytes), value_bytes_(code_width(a.values)) {}

  /// Block row r, of blocks [begin, end).
  void add_row(std::uint64_t r, std::uint64_t begin, std::uint64_t end) {
    if (!fits(begin, end)) {
      end_tile(begin);
      cut_row(r, begin, end);
      begin_ = end;
      return;
    }
    if (rows_ != 0 && (rows_ == most_.rows || !fits(begin_, end) || !even(begin, end))) end_tile(begin);
    if (rows_ == 0) row_ = r, begin_ = begin;
    ++rows_;
    longest_ = std::max(longest_, end - begin);
  }

  [[nodiscard]] BlockTiling finish() && {
    end_tile(a_.blocks);
    out_.pieces = pieces_.size();
    pieces_.insert(pieces_.end(), out_.tiles.begin(), out_.tiles.end());
    out_.tiles = std::move(pieces_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint64_t entries(std::uint64_t begin, std::uint64_t end) const {
    return a_.offsets.position(end) - a_.offsets.position(begin);
  }
  [[nodiscard]] std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const {
    return (end - begin) * block_bytes_ + entries(begin, end) * value_bytes_;
  }
  [[nodiscard]] bool fits(std::uint64_t begin, std::uint64_t end) const {
    return end - begin <= most_.blocks &&
           bytes(begin, end) + (most_.by_entries ? 2 * entries(begin, end) : 0) <= most_.bytes;
  }

  /// Whether one more row does not leave the lanes of the others to wait long for the longest: a warp takes four at a
  /// time.
  [[nodiscard]] bool even(std::uint64_t begin, std::uint64_t end) const {
    if (most_.by_entries) return true;
    const std::uint64_t longest = std::max(longest_, end - begin), at_once = std::min<std::uint64_t>(rows_ + 1, 4);
    return longest * at_once <= 3 * (end - begin_) + 16;
  }

  [[nodiscard]] BlockTile tile(std::uint64_t begin, std::uint64_t end, std::uint64_t row, std::uint64_t rows) {
    out_.largest_bytes = std::max(out_.largest_bytes, static_cast<std::uint32_t>(bytes(begin, end)));
    out_.largest_blocks = std::max(out_.largest_blocks, static_cast<std::uint32_t>(end - begin));
    out_.largest_entries = std::max(out_.largest_entries, static_cast<std::uint32_t>(entries(begin, end)));
    BlockTile tile;
    tile.block = begin;
    tile.entry = a_.offsets.position(begin);
    tile.row = static_cast<std::uint32_t>(row);
    tile.rows = static_cast<std::uint32_t>(rows);
    tile.blocks = static_cast<std::uint32_t>(end - begin);
    tile.entries = static_cast<std::uint32_t>(entries(begin, end));
    return tile;
  }

  void end_tile(std::uint64_t end) {
    if (rows_ != 0) out_.tiles.push_back(tile(begin_, end, row_, rows_));
    rows_ = longest_ = 0;
  }

  void cut_row(std::uint64_t r, std::uint64_t begin, std::uint64_t end) {
    LongBlockRow row{pieces_.size(), static_cast<std::uint32_t>(r), 0};
    for (std::uint64_t behind = begin; begin < end; begin = behind, ++row.pieces) {
      do ++behind;
      while (behind < end && fits(begin, behind + 1));
      pieces_.push_back(tile(begin, behind, pieces_.size(), 0));
    }
    out_.long_rows.push_back(row);
  }

  const Format& a_;
  const BlockTileLimits most_;
  std::uint64_t block_bytes_, value_bytes_;
  std::uint64_t row_ = 0, rows_ = 0, begin_ = 0, longest_ = 0;  // of the tile begun
  BlockTiling out_;
  std::vector<BlockTile> pieces_;
};

}  // namespace

BlockTiling cut_into_tiles(const BmSparse<Viewed>& a, const BlockTileLimits& most) {
  BlockCutter cutter(a, most, sizeof(std::uint64_t));
  std::uint64_t end = 0;
  for (std::uint64_t r = 0; r < block_rows_of(a.rows); ++r) {
    const std::uint64_t begin = end;
    while (end < a.blocks && a.keys[end] >> 32 == r) ++end;
    cutter.add_row(r, begin, end);
  }
  return std::move(cutter).finish();
}

BlockTiling cut_into_tiles(const BmSparseCsr<Viewed>& a, const BlockTileLimits& most) {
  BlockCutter cutter(a, most, sizeof(std::uint32_t));
  with_positions(a.block_row_ptr, [&](const auto* ptr) {
    for (std::uint64_t r = 0; r < block_rows_of(a.rows); ++r) cutter.add_row(r, ptr[r], ptr[r + 1]);
  });
  return std::move(cutter).finish();
}

}  // namespace spress::cuda
