#include <memory>

#include "formats/bmsparse.hpp"
#include "kernels/cuda/bitmap_blocks.cuh"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

/// Blocks in a chunk, one warp's work.
constexpr std::uint64_t chunk_blocks = 256;

/// The arrays of the matrix on the device.
struct KeyedBlocks {
  std::uint64_t rows, blocks, chunks;
  const std::uint64_t* keys;
  const std::uint64_t* bitmaps;
  DevicePositions offsets;

  [[nodiscard]] __device__ __forceinline__ std::uint64_t block_row(std::uint64_t b) const {
    return load_shared(keys + b) >> 32;
  }
  /// Whether the first block row of chunk c began in the chunk before.
  [[nodiscard]] __device__ __forceinline__ bool continues(std::uint64_t c) const {
    return c != 0 && block_row(c * chunk_blocks) == block_row(c * chunk_blocks - 1);
  }
};

/// One warp's way through a chunk. A block row belongs to the chunk in which it begins, and that writes its sums to y;
/// what later chunks have of it goes to `carried`, eight sums a chunk.
template <unsigned lanes, class T, class Values>
class ChunkWalk {
  using Sums = BlockRowSums<lanes, T, Values>;

 public:
  __device__ ChunkWalk(const KeyedBlocks& a, Values values, const T* x, T* y, T* carried)
      : a_(a), sums_(values, x), y_(y), carried_(carried) {}

  __device__ void walk(std::uint64_t chunk) {
    const std::uint64_t begin = chunk * chunk_blocks, end = min(begin + chunk_blocks, a_.blocks);
    previous_ = begin == 0 ? -1 : static_cast<std::int64_t>(a_.block_row(begin - 1));
    open_ = a_.continues(chunk);
    into_ = open_ ? carried_ + chunk * bitmap_side : nullptr;
    std::uint64_t entry = a_.offsets[begin];
    for (std::uint64_t b = begin; b < end; b += warp_size)
      entry += add_batch(b, static_cast<unsigned>(min(std::uint64_t{warp_size}, end - b)), entry);
    close();
    if (end == a_.blocks) zero_rows(static_cast<std::uint64_t>(previous_ + 1) * bitmap_side, a_.rows);
  }

 private:
  /// Adds n blocks from b on, block row by block row. Returns their entries.
  __device__ __forceinline__ std::uint32_t add_batch(std::uint64_t b, unsigned n, std::uint64_t entry) {
    const unsigned lane = threadIdx.x % warp_size;
    BlockBatch batch;
    std::uint64_t key = 0;
    if (lane < n) {
      key = load_once(a_.keys + b + lane);
      batch.bitmap = load_once(a_.bitmaps + b + lane);
    }
    batch.col = static_cast<std::uint32_t>(key);
    const std::uint32_t entries = batch.place();
    const auto row = static_cast<std::uint32_t>(key >> 32);
    std::uint32_t before = __shfl_up_sync(whole_warp, row, 1);
    if (lane == 0) before = static_cast<std::uint32_t>(previous_);
    const bool first_of_all = lane == 0 && previous_ < 0;
    const unsigned heads = __ballot_sync(whole_warp, lane < n && (first_of_all || row != before));
    for (unsigned at = 0; at < n;) {
      if (heads >> at & 1) begin_row(__shfl_sync(whole_warp, row, at));
      const unsigned later = at + 1 < warp_size ? heads >> (at + 1) << (at + 1) : 0;
      const unsigned behind = later != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(later)) - 1) : n;
      sums_.add(batch, at, behind, entry);
      at = behind;
    }
    return entries;
  }

  /// Ends the block row before, and writes the rows without blocks up to this one.
  __device__ __forceinline__ void begin_row(std::uint32_t block_row) {
    close();
    zero_rows(static_cast<std::uint64_t>(previous_ + 1) * bitmap_side, std::uint64_t{block_row} * bitmap_side);
    previous_ = block_row;
    open_ = true;
    into_ = nullptr;
  }

  __device__ __forceinline__ void close() {
    if (!open_) return;
    const T sum = sums_.finish();
    const unsigned lane_row = Sums::lane_row();
    if (lane_row >= bitmap_side) return;
    const std::uint64_t row = static_cast<std::uint64_t>(previous_) * bitmap_side + lane_row;
    if (into_ != nullptr)
      into_[lane_row] = sum;
    else if (row < a_.rows)
      y_[row] = sum;
  }

  __device__ __forceinline__ void zero_rows(std::uint64_t begin, std::uint64_t end) const {
    for (std::uint64_t r = begin + threadIdx.x % warp_size; r < end; r += warp_size) y_[r] = 0;
  }

  const KeyedBlocks& a_;
  Sums sums_;
  T* y_;
  T* carried_;
  T* into_ = nullptr;           // the carried sums of the open block row, or null for y
  std::int64_t previous_ = -1;  // the block row of the last block
  bool open_ = false;           // whether that has sums to be written
};

template <unsigned lanes, class T, class Values>
__global__ void multiply_chunks(KeyedBlocks a, Values values, const T* x, T* y, T* carried) {
  ChunkWalk<lanes, T, Values> chunk_walk(a, values, x, y, carried);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (blockDim.x / warp_size);
  std::uint64_t c = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_size;
  for (; c < a.chunks; c += stride) chunk_walk.walk(c);
}

/// A warp a chunk: where it is the first to go on with a block row, it adds to y what this and later chunks have of it.
template <class T>
__global__ void add_carried(KeyedBlocks a, const T* carried, T* y) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (blockDim.x / warp_size);
  std::uint64_t c = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_size;
  for (; c < a.chunks; c += stride) {
    if (!a.continues(c)) continue;
    const std::uint64_t block_row = a.block_row(c * chunk_blocks);
    if (a.continues(c - 1) && a.block_row((c - 1) * chunk_blocks) == block_row) continue;
    T sum = 0;
    for (std::uint64_t d = c + lane / bitmap_side; d < a.chunks && a.block_row(d * chunk_blocks) == block_row;
         d += warp_size / bitmap_side)
      sum += carried[d * bitmap_side + lane % bitmap_side];
    for (unsigned step = warp_size / 2; step >= bitmap_side; step /= 2) sum += __shfl_down_sync(whole_warp, sum, step);
    const std::uint64_t row = block_row * bitmap_side + lane;
    if (lane < bitmap_side && row < a.rows) y[row] += sum;
  }
}

bool any_row_goes_on(const BmSparse<Viewed>& host) {
  for (std::uint64_t b = chunk_blocks; b < host.blocks; b += chunk_blocks)
    if (host.keys[b] >> 32 == host.keys[b - 1] >> 32) return true;
  return false;
}

template <class T>
Result<Product<T>> make(const BmSparse<Viewed>& host, const BmSparse<Viewed>& device) {
  const std::uint64_t chunks = (host.blocks + chunk_blocks - 1) / chunk_blocks;
  const KeyedBlocks a{host.rows,          host.blocks,           chunks,
                      device.keys.data(), device.bitmaps.data(), DevicePositions(device.offsets)};
  const bool carries = any_row_goes_on(host);
  auto carried = std::make_shared<DeviceMemory>();
  SPRESS_TRY(*carried, allocate(carries ? chunks * bitmap_side * sizeof(T) : 0, "sums carried between chunks"));
  Product<T> out;
  out.kernel = "chunk of blocks per warp, " + name_of_lanes_per_block(host.nnz, host.blocks);
  out.multiply = [a, carries, carried, store = device.values, nnz = host.nnz](const T* x, T* y,
                                                                              Stream stream) -> Status {
    if (a.blocks == 0) return fill_bytes(y, 0, a.rows * sizeof(T), stream);
    constexpr unsigned block_size = 256;
    const unsigned grid = blocks_for(a.chunks, block_size / warp_size);
    SPRESS_CHECK((with_device_accessor<T, Status>(store, [&]<class Values>(Values values) {
      return with_lanes_per_block(nnz, a.blocks, [&](auto lanes) {
        return launch(multiply_chunks<lanes(), T, Values>, grid, block_size, stream, a, values, x, y,
                      carried->template as<T>());
      });
    })));
    if (!carries) return Ok{};
    return launch(add_carried<T>, grid, block_size, stream, a, carried->template as<const T>(), y);
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(BmSparse, make)

}  // namespace spress::cuda
