// How large a matrix is as amb, for many block sizes at once, without building it.
#pragma once

#include <array>
#include <cstdint>

#include "encode/amb/segment_runs.hpp"

namespace spress::amb {

/// What a matrix, or a part of it, takes in one layout.
struct LayoutSize {
  std::uint64_t slots = 0, chunks = 0, blocks = 0, used_lanes = 0;  // slots: of blocks
  LayoutSize& operator+=(const LayoutSize& other) {
    slots += other.slots;
    chunks += other.chunks;
    blocks += other.blocks;
    used_lanes += other.used_lanes;
    return *this;
  }
};

/// Blocks of first..last columns.
struct BlockRange {
  std::uint32_t first, last;
  [[nodiscard]] std::uint64_t count() const { return last - first + 1; }
};

using SizesByBlock = std::array<LayoutSize, largest_block + 1>;  // by block size, from 1

/// What a window holds in one segment, for each block size of the range.
[[nodiscard]] SizesByBlock sizes_of_piece(const Csr<Viewed>& a, const WindowPiece& piece, BlockRange blocks);

/// The whole matrix, for each block size of the range.
[[nodiscard]] SizesByBlock sizes_of(const Csr<Viewed>& a, std::uint32_t segment, std::uint32_t sigma,
                                    BlockRange blocks);

}  // namespace spress::amb
