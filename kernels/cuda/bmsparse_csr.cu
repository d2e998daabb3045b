#include <memory>
#include <vector>

#include "kernels/cuda/bitmap_blocks.cuh"
#include "kernels/cuda/bmsparse_csr.cuh"
#include "kernels/cuda/joints.cuh"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

/// Block rows of more blocks are cut into pieces of so many: one warp's work must not outlast that of all others.
constexpr std::uint64_t longest_row = 256;

/// A piece of a long block row. Its eight sums are partial sums that belong to its place in the list of pieces.
struct Piece {
  std::uint64_t begin, end;  // blocks
};

/// The arrays of the matrix on the device, and the pieces of its long block rows.
struct BlockRows {
  std::uint64_t rows, block_rows, piece_count;
  DevicePositions block_row_ptr, offsets;
  const std::uint32_t* block_col;
  const std::uint64_t* bitmaps;
  const Piece* pieces;

  [[nodiscard]] __device__ __forceinline__ BlockBatch batch(std::uint64_t begin, std::uint64_t end) const {
    BlockBatch out;
    const std::uint64_t b = begin + threadIdx.x % warp_size;
    if (b < end) {
      out.bitmap = load_once(bitmaps + b);
      out.col = load_once(block_col + b);
    }
    return out;
  }
};

/// What is written for a block row: its eight sums or, at the lower edge of the matrix, fewer.
template <class T>
__device__ __forceinline__ void write_rows(std::uint64_t block_row, unsigned lane_row, std::uint64_t rows, T sum,
                                           bool add, T* y) {
  const std::uint64_t row = block_row * bitmap_side + lane_row;
  if (lane_row < bitmap_side && row < rows) y[row] = add ? y[row] + sum : sum;
}

/// A warp a block row; before those, a warp a piece of a long one.
template <unsigned lanes, class T, class Values>
__global__ void multiply_block_rows(BlockRows a, Values values, const T* x, T* y, bool add, T* partial) {
  using Sums = BlockRowSums<lanes, T, Values>;
  Sums sums(values, x);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (blockDim.x / warp_size);
  std::uint64_t i = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_size;
  for (; i < a.piece_count + a.block_rows; i += stride) {
    const bool piece = i < a.piece_count;
    const std::uint64_t block_row = i - a.piece_count;
    std::uint64_t begin, end;
    if (piece) {
      begin = a.pieces[i].begin, end = a.pieces[i].end;
    } else {
      begin = a.block_row_ptr[block_row], end = a.block_row_ptr[block_row + 1];
      if (end - begin > longest_row) continue;
    }
    std::uint64_t entry = begin < end ? a.offsets[begin] : 0;
    for (; begin < end; begin += warp_size) {
      BlockBatch batch = a.batch(begin, end);
      const std::uint32_t entries = batch.place();
      sums.add(batch, 0, static_cast<unsigned>(min(std::uint64_t{warp_size}, end - begin)), entry);
      entry += entries;
    }
    const T sum = sums.finish();
    const unsigned row = Sums::lane_row();
    if (!piece)
      write_rows(block_row, row, a.rows, sum, add, y);
    else if (row < bitmap_side)
      partial[i * bitmap_side + row] = sum;
  }
}

struct Cut {
  std::vector<Piece> pieces;
  std::vector<Joint> joints;  // one for each long block row
};

Cut cut_long_rows(const BmSparseCsr<Viewed>& host) {
  Cut out;
  with_positions(host.block_row_ptr, [&](const auto* ptr) {
    for (std::uint64_t r = 0; r < block_rows_of(host.rows); ++r) {
      if (ptr[r + 1] - ptr[r] <= longest_row) continue;
      Joint joint;
      joint.first_piece = out.pieces.size();
      joint.first_row = static_cast<std::uint32_t>(r * bitmap_side);
      joint.rows = static_cast<std::uint32_t>(std::min(bitmap_side, host.rows - r * bitmap_side));
      for (std::uint64_t b = ptr[r]; b < ptr[r + 1]; b += longest_row, ++joint.pieces)
        out.pieces.push_back({b, std::min<std::uint64_t>(b + longest_row, ptr[r + 1])});
      out.joints.push_back(joint);
    }
  });
  return out;
}

constexpr unsigned block_size = 256;

}  // namespace

template <class T>
Result<BlockRowsProduct<T>> block_rows_product(const BmSparseCsr<Viewed>& host, const BmSparseCsr<Viewed>& device) {
  const Cut cut = cut_long_rows(host);
  auto pieces = std::make_shared<DeviceMemory>();
  SPRESS_TRY(*pieces, upload(std::span<const Piece>(cut.pieces), "the pieces of long block rows"));
  SPRESS_TRY(const Joints<T> joints, Joints<T>::make(cut.joints, cut.pieces.size(), bitmap_side));
  const BlockRows a{host.rows,
                    block_rows_of(host.rows),
                    cut.pieces.size(),
                    DevicePositions(device.block_row_ptr),
                    DevicePositions(device.offsets),
                    device.block_col.data(),
                    device.bitmaps.data(),
                    pieces->as<Piece>()};
  BlockRowsProduct<T> out;
  out.kernel = "block row per warp, " + name_of_lanes_per_block(host.nnz, host.blocks);
  out.multiply = [a, pieces, joints, store = device.values, nnz = host.nnz, blocks = host.blocks](
                     const T* x, T* y, bool add, Stream stream) -> Status {
    const unsigned grid = blocks_for(a.piece_count + a.block_rows, block_size / warp_size);
    SPRESS_CHECK((with_device_accessor<T, Status>(store, [&]<class Values>(Values values) {
      return with_lanes_per_block(nnz, blocks, [&](auto lanes) {
        return launch(multiply_block_rows<lanes(), T, Values>, grid, block_size, stream, a, values, x, y, add,
                      joints.partials());
      });
    })));
    return joints.finish(nullptr, add, y, stream);
  };
  return out;
}

template Result<BlockRowsProduct<float>> block_rows_product(const BmSparseCsr<Viewed>&, const BmSparseCsr<Viewed>&);
template Result<BlockRowsProduct<double>> block_rows_product(const BmSparseCsr<Viewed>&, const BmSparseCsr<Viewed>&);

namespace {

template <class T>
Result<Product<T>> make(const BmSparseCsr<Viewed>& host, const BmSparseCsr<Viewed>& device) {
  SPRESS_TRY(BlockRowsProduct<T> rows, block_rows_product<T>(host, device));
  Product<T> out;
  out.kernel = rows.kernel;
  out.multiply = [multiply = std::move(rows.multiply)](const T* x, T* y, Stream stream) {
    return multiply(x, y, false, stream);
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(BmSparseCsr, make)

}  // namespace spress::cuda
