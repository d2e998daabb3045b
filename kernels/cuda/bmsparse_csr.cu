#include <memory>
#include <vector>

#include "kernels/cuda/bitmap_blocks.cuh"
#include "kernels/cuda/bmsparse_csr.cuh"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

/// Block rows of more blocks are cut into pieces of so many: one warp's work must not outlast that of all others.
constexpr std::uint64_t longest_row = 256;

/// A piece of a long block row. Its eight sums are the i-th eight partial sums, i its place in the list of pieces.
struct Piece {
  std::uint64_t begin, end;  // blocks
};
/// The block row that pieces [begin, end) make up.
struct LongRow {
  std::uint64_t block_row, begin, end;
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

/// A warp a long block row: the sums of its pieces.
template <class T>
__global__ void add_pieces(std::uint64_t rows, std::uint64_t count, const LongRow* long_rows, const T* partial, T* y,
                           bool add) {
  const unsigned row = threadIdx.x % bitmap_side, lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (blockDim.x / warp_size);
  std::uint64_t i = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_size;
  for (; i < count; i += stride) {
    const LongRow all = long_rows[i];
    T sum = 0;
    for (std::uint64_t piece = all.begin + lane / bitmap_side; piece < all.end; piece += warp_size / bitmap_side)
      sum += partial[piece * bitmap_side + row];
    for (unsigned step = warp_size / 2; step >= bitmap_side; step /= 2) sum += __shfl_down_sync(whole_warp, sum, step);
    write_rows(all.block_row, lane, rows, sum, add, y);
  }
}

struct Cut {
  std::vector<Piece> pieces;
  std::vector<LongRow> long_rows;
};

Cut cut_long_rows(const BmSparseCsr<Viewed>& host) {
  Cut out;
  with_positions(host.block_row_ptr, [&](const auto* ptr) {
    for (std::uint64_t r = 0; r < block_rows_of(host.rows); ++r) {
      if (ptr[r + 1] - ptr[r] <= longest_row) continue;
      const std::uint64_t first = out.pieces.size();
      for (std::uint64_t b = ptr[r]; b < ptr[r + 1]; b += longest_row)
        out.pieces.push_back({b, std::min<std::uint64_t>(b + longest_row, ptr[r + 1])});
      out.long_rows.push_back({r, first, out.pieces.size()});
    }
  });
  return out;
}

/// What a product holds on the device besides the matrix.
template <class T>
struct Scratch {
  DeviceMemory pieces, long_rows, partial;
  std::uint64_t long_row_count = 0;
};

template <class T>
Result<std::shared_ptr<Scratch<T>>> make_scratch(const Cut& cut) {
  auto out = std::make_shared<Scratch<T>>();
  out->long_row_count = cut.long_rows.size();
  SPRESS_TRY(out->pieces, upload(std::span<const Piece>(cut.pieces), "pieces of long block rows"));
  SPRESS_TRY(out->long_rows, upload(std::span<const LongRow>(cut.long_rows), "long block rows"));
  SPRESS_TRY(out->partial, allocate(cut.pieces.size() * bitmap_side * sizeof(T), "partial sums of long block rows"));
  return out;
}

constexpr unsigned block_size = 256;

/// Blocks that give every item a warp.
unsigned blocks_of_warps(std::uint64_t items) { return blocks_for(items, block_size / warp_size); }

}  // namespace

template <class T>
Result<BlockRowsProduct<T>> block_rows_product(const BmSparseCsr<Viewed>& host, const BmSparseCsr<Viewed>& device) {
  const Cut cut = cut_long_rows(host);
  SPRESS_TRY(const std::shared_ptr<Scratch<T>> scratch, make_scratch<T>(cut));
  const BlockRows a{host.rows,
                    block_rows_of(host.rows),
                    cut.pieces.size(),
                    DevicePositions(device.block_row_ptr),
                    DevicePositions(device.offsets),
                    device.block_col.data(),
                    device.bitmaps.data(),
                    scratch->pieces.template as<Piece>()};
  BlockRowsProduct<T> out;
  out.kernel = "block row per warp, " + name_of_lanes_per_block(host.nnz, host.blocks);
  out.multiply = [a, scratch, store = device.values, nnz = host.nnz, blocks = host.blocks](const T* x, T* y, bool add,
                                                                                           Stream stream) -> Status {
    T* const partial = scratch->partial.template as<T>();
    SPRESS_CHECK((with_device_accessor<T, Status>(store, [&]<class Values>(Values values) {
      return with_lanes_per_block(nnz, blocks, [&](auto lanes) {
        return launch(multiply_block_rows<lanes(), T, Values>, blocks_of_warps(a.piece_count + a.block_rows),
                      block_size, stream, a, values, x, y, add, partial);
      });
    })));
    return launch(add_pieces<T>, blocks_of_warps(scratch->long_row_count), block_size, stream, a.rows,
                  scratch->long_row_count, scratch->long_rows.template as<const LongRow>(), partial, y, add);
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
