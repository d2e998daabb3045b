// Computes the size of a matrix as amb for many block sizes at once, without building it.
#pragma once

#include <array>
#include <cstdint>

#include "encode/amb/segment_runs.hpp"

namespace spress::amb {

/// The size of a matrix, or of a part of it, in one layout. slots: of blocks, padding included. longest: the most steps
/// of a chunk.
struct LayoutSize {
  std::uint64_t slots = 0, chunks = 0, blocks = 0, used_lanes = 0, longest = 0;
  void add_chunks(std::uint64_t count, std::uint64_t steps) {
    slots += count * lanes * steps;
    chunks += count;
    longest = std::max(longest, steps);
  }
  LayoutSize& operator+=(const LayoutSize& other) {
    slots += other.slots;
    chunks += other.chunks;
    blocks += other.blocks;
    used_lanes += other.used_lanes;
    longest = std::max(longest, other.longest);
    return *this;
  }
};

/// A range of block sizes, in columns.
struct BlockRange {
  std::uint32_t first, last;
  [[nodiscard]] std::uint64_t count() const { return last - first + 1; }
};

using SizesByBlock = std::array<LayoutSize, largest_block + 1>;  // by block size, from 1

/// The size of a window in one segment, for each block size of the range.
[[nodiscard]] SizesByBlock sizes_of_piece(const Csr<Viewed>& a, const WindowPiece& piece, BlockRange blocks);

/// The size of the whole matrix, for each block size of the range.
[[nodiscard]] SizesByBlock sizes_of(const Csr<Viewed>& a, const Segments& segments, std::uint32_t sigma,
                                    BlockRange blocks);

/// The size of the whole matrix if every step has a base (step_plan.hpp). Requires: one segment.
[[nodiscard]] LayoutSize stepped_size_of(const Csr<Viewed>& a, const Segments& segments, std::uint32_t sigma,
                                         std::uint32_t block);

}  // namespace spress::amb
