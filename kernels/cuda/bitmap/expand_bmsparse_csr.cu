#include "formats/bitmap/bitmap_blocks.hpp"
#include "formats/bitmap/bmsparse_csr.hpp"
#include "kernels/cuda/expand/expand.cuh"

namespace spress::cuda {
namespace {

constexpr unsigned block = 128;

/// The arrays on the device.
struct Blocks {
  DevicePositions block_row_ptr, offsets;
  const std::uint32_t* block_col;
  const std::uint64_t* bitmaps;
  std::uint64_t rows, nnz;
};

/// Entries in each of the eight rows, two numbers of 16 bits wide a word; 32 blocks have at most 256 of them.
struct RowCounts {
  std::uint32_t pair[4] = {};
  __device__ __forceinline__ RowCounts() = default;
  __device__ __forceinline__ explicit RowCounts(std::uint64_t bitmap) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const auto bits = static_cast<std::uint32_t>(bitmap >> (16 * i)) & 0xFFFF;
      pair[i] = __popc(bits & 0xFF) | __popc(bits >> 8) << 16;
    }
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t of(unsigned row) const {
    return pair[row / 2] >> (16 * (row % 2)) & 0xFFFF;
  }
  /// What the lanes up to this one have, this one included.
  __device__ __forceinline__ void scan(unsigned lane) {
#pragma unroll
    for (unsigned step = 1; step < warp_size; step *= 2)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t before = __shfl_up_sync(whole_warp, pair[i], step);
        if (lane >= step) pair[i] += before;
      }
  }
  /// What all lanes have, once scanned.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t all(unsigned row) const {
    return __shfl_sync(whole_warp, pair[row / 2], warp_size - 1) >> (16 * (row % 2)) & 0xFFFF;
  }
};

/// Where the eight rows of a block row begin: its entries begin with its values, and each row behind the one before.
/// Returns where the last one ends.
__device__ __forceinline__ std::uint64_t find_rows(const Blocks& a, std::uint64_t begin, std::uint64_t end,
                                                   unsigned lane, std::uint64_t (&start)[bitmap_side]) {
  std::uint64_t length[bitmap_side] = {};
  for (std::uint64_t b = begin; b < end; b += warp_size) {
    RowCounts counts(b + lane < end ? a.bitmaps[b + lane] : 0);
    counts.scan(lane);
#pragma unroll
    for (unsigned r = 0; r < bitmap_side; ++r) length[r] += counts.all(r);
  }
  std::uint64_t position = a.offsets[begin];
#pragma unroll
  for (unsigned r = 0; r < bitmap_side; ++r) {
    start[r] = position;
    position += length[r];
  }
  return position;
}

/// A warp a block row, a lane a block.
template <class Put>
__global__ void expand_block_rows(Blocks a, std::uint64_t first, std::uint64_t last, RowPointers row_ptr,
                                  std::uint32_t* col_idx, Put put) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / warp_size);
  std::uint64_t i = first + (std::uint64_t{blockIdx.x} * block + threadIdx.x) / warp_size;
  for (; i < last; i += stride) {
    const std::uint64_t begin = a.block_row_ptr[i], end = a.block_row_ptr[i + 1];
    std::uint64_t start[bitmap_side];
    const std::uint64_t behind = find_rows(a, begin, end, lane, start);
#pragma unroll
    for (unsigned r = 0; r < bitmap_side; ++r)
      if (lane == r && i * bitmap_side + r < a.rows) row_ptr.set(i * bitmap_side + r, start[r]);
    // Where the next block row begins too, so that each piece stands for itself.
    if (lane == 0) row_ptr.set(min((i + 1) * bitmap_side, a.rows), behind);
    for (std::uint64_t b = begin; b < end; b += warp_size) {
      const bool mine = b + lane < end;
      const std::uint64_t bitmap = mine ? a.bitmaps[b + lane] : 0;
      const std::uint32_t column = mine ? a.block_col[b + lane] * static_cast<std::uint32_t>(bitmap_side) : 0;
      std::uint64_t stored = mine ? a.offsets[b + lane] : 0;
      const RowCounts own(bitmap);
      RowCounts up_to = own;
      up_to.scan(lane);
#pragma unroll
      for (unsigned r = 0; r < bitmap_side; ++r) {
        std::uint64_t position = start[r] + up_to.of(r) - own.of(r);
        for (unsigned bits = static_cast<unsigned>(bitmap >> (bitmap_side * r)) & 0xFF; bits != 0; bits &= bits - 1) {
          col_idx[position] = column + static_cast<std::uint32_t>(__ffs(static_cast<int>(bits)) - 1);
          put(stored++, position++);
        }
        start[r] += up_to.all(r);
      }
    }
  }
}

__global__ void end_rows(RowPointers row_ptr, std::uint64_t rows, std::uint64_t nnz) { row_ptr.set(rows, nnz); }

/// Arrays whose elements follow the block rows.
void cut_block_rows(const BmSparseCsr<Viewed>& host, const BmSparseCsr<Viewed>& device, Cutter& cutter) {
  const auto first_block = [ptr = host.block_row_ptr](std::uint64_t i) { return ptr.position(i); };
  cutter.whole(host.block_row_ptr, device.block_row_ptr);
  cutter.whole(host.offsets, device.offsets);
  cutter.whole(host.values.table, device.values.table);
  cutter.part(host.block_col, device.block_col, first_block);
  cutter.part(host.bitmaps, device.bitmaps, first_block);
  cutter.part(host.values.codes, device.values.codes,
              [=, offsets = host.offsets](std::uint64_t i) { return offsets.position(first_block(i)); });
}

}  // namespace

template <>
Result<PieceWork> piece_work<BmSparseCsr>(const ExpandTask<BmSparseCsr>& task, Expansion&) {
  const auto& [host, device, target, size] = task;
  const Blocks blocks = {DevicePositions(device.block_row_ptr),
                         DevicePositions(device.offsets),
                         device.block_col.data(),
                         device.bitmaps.data(),
                         host.rows,
                         host.nnz};
  PieceWork pieces;
  pieces.units = block_rows_of(host.rows);
  pieces.cut = [host = host, device = device](Cutter& cutter) { cut_block_rows(host, device, cutter); };
  pieces.head = [=, target = target](Stream stream) {  // what a matrix without rows has no block row for
    return launch(end_rows, 1, 1, stream, RowPointers(target.row_ptr), blocks.rows, blocks.nnz);
  };
  pieces.work = [=, target = target, values = device.values](std::uint64_t first, std::uint64_t last, Stream stream) {
    return with_put(values, target.values, [&]<class Put>(Put put) -> Status {
      return launch(expand_block_rows<Put>, blocks_for(last - first, block / warp_size), block, stream, blocks, first,
                    last, RowPointers(target.row_ptr), const_cast<std::uint32_t*>(target.col_idx.data()), put);
    });
  };
  return pieces;
}

template <>
Result<Expansion> expansion<BmSparseCsr>(const ExpandTask<BmSparseCsr>& task) {
  return expansion_by_pieces(task);
}

}  // namespace spress::cuda
