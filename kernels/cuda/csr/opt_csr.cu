#include <algorithm>
#include <bit>
#include <memory>
#include <string>

#include "formats/csr/opt_csr.hpp"
#include "kernels/cuda/csr/opt_csr_columns.cuh"
#include "kernels/cuda/csr/opt_csr_tiles.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/partial_sums.cuh"
#include "kernels/cuda/shared/staging.cuh"

namespace spress::cuda {
namespace {

constexpr unsigned stages = 2;  // tiles of a warp in shared memory: one in work, the others on their way

/// What the kernel knows of the cut besides the matrix.
struct DeviceTiles {
  const Tile* tiles;
  const RowPiece* pieces;
  std::uint64_t count;
  unsigned stage_bytes;  // of the codes and values of one tile in shared memory
};

// --- A tile ---

/// What a lane knows of its row in a tile: lower halves of positions, as they were loaded.
struct LaneRow {
  std::uint32_t begin = 0, end = 0;  // entries
  std::uint32_t row = 0;             // of the matrix
  std::uint32_t base = 0;            // of a piece; or, in delta mode, the first column
};

/// [begin, end) in steps of `step`: the entries that one lane has of a row, counted from the tile's first.
struct LaneEntries {
  unsigned begin, end, step;
};

/// One warp's work on its tiles.
template <class T, class Values, bool distances>
class TileWork {
  static constexpr unsigned unrolled = 8;

 public:
  /// A tile on its way: its codes and values come into shared memory, its rows into registers.
  struct Staged {
    Tile tile;
    LaneRow row;
    const char* codes = nullptr;
    const char* values = nullptr;
  };

  __device__ TileWork(const OptCsrIndices& a, const DeviceTiles& tiles, StagedValues<Values> values, const T* x, T* y,
                      T* partial, char* stages)
      : a_(a), tiles_(tiles), values_(values), x_(x), y_(y), partial_(partial), stages_(stages) {}

  [[nodiscard]] __device__ __forceinline__ uint4 tile_at(std::uint64_t t) const {
    return t < tiles_.count ? __ldg(reinterpret_cast<const uint4*>(tiles_.tiles + t)) : uint4{};
  }

  [[nodiscard]] __device__ __forceinline__ Staged start(const uint4& bits, unsigned stage) const {
    Staged out;
    memcpy(&out.tile, &bits, sizeof bits);
    const Tile& tile = out.tile;
    StageCopies copies(stages_ + stage * tiles_.stage_bytes, policy_);
    if (tile.entries != 0) {
      out.values = values_.copy(copies, tile.entry, tile.entries);
      const std::uint64_t code = tile.entry - a_.section_entry[tile.section];
      switch (tile.section) {
        case 0: out.codes = reinterpret_cast<const char*>(copies.copy(a_.col8 + code, tile.entries)); break;
        case 1: out.codes = reinterpret_cast<const char*>(copies.copy(a_.col16 + code, tile.entries)); break;
        default: out.codes = reinterpret_cast<const char*>(copies.copy(a_.col32 + code, tile.entries)); break;
      }
    }
    StageCopies::end();
    out.row = lane_row(tile);
    return out;
  }

  __device__ __forceinline__ void multiply(const Staged& staged) {
    T sum = 0;
    switch (staged.tile.section) {
      case 0: sum = row_sum<std::uint8_t>(staged); break;
      case 1: sum = row_sum<std::uint16_t>(staged); break;
      default: sum = row_sum<std::uint32_t>(staged); break;
    }
    const unsigned lane = threadIdx.x % warp_size, lanes = 1u << staged.tile.log_lanes;
    sum = sum_over_lanes(sum, lanes);
    if (staged.tile.rows == 0) {
      if (lane == 0 && staged.tile.entries != 0) partial_[staged.tile.row] = sum;
    } else if (lane % lanes == 0 && lane >> staged.tile.log_lanes < staged.tile.rows) {
      y_[staged.row.row] = sum;
    }
  }

 private:
  [[nodiscard]] __device__ __forceinline__ LaneRow lane_row(const Tile& tile) const {
    LaneRow out;
    out.begin = out.end = static_cast<std::uint32_t>(tile.entry);  // lanes without a row: none
    const unsigned r = threadIdx.x % warp_size >> tile.log_lanes;
    if (r < tile.rows) {
      const std::uint64_t i = std::uint64_t{tile.row} + r;
      out.begin = low_word(a_.row_ptr, i);
      out.end = low_word(a_.row_ptr, i + 1);
      out.row = static_cast<std::uint32_t>(a_.row_of(i));
      if (!distances && a_.first_col != nullptr) out.base = load_once(a_.first_col + i);
    } else if (tile.rows == 0 && tile.entries != 0) {
      out.end += tile.entries;
      out.base = load_shared(&tiles_.pieces[tile.row].base);
    }
    return out;
  }

  /// What this lane has of the sum of its row.
  template <class Code>
  [[nodiscard]] __device__ __forceinline__ T row_sum(const Staged& staged) const {
    const auto* const codes = reinterpret_cast<const Code*>(staged.codes);
    const LaneRow& row = staged.row;
    const unsigned lanes = 1u << staged.tile.log_lanes, part = threadIdx.x % lanes;
    const unsigned begin = row.begin - static_cast<std::uint32_t>(staged.tile.entry), n = row.end - row.begin;
    const bool piece = staged.tile.rows == 0;
    if constexpr (distances) {
      const std::uint32_t base = piece ? row.base : row.row;
      return sum_entries(codes, staged.values, {begin + part, begin + n, lanes}, base);
    } else {
      std::uint32_t base = row.base;
      if (!piece && n != 0) base = column_before(row, codes[begin]);
      const unsigned each = (n + lanes - 1) >> staged.tile.log_lanes;
      const LaneEntries mine{begin + min(part * each, n), begin + min((part + 1) * each, n), 1};
      if (lanes > 1) base += sum_of_lanes_before(sum_codes(codes, mine), lanes);
      return sum_entries(codes, staged.values, mine, base);
    }
  }

  /// Where the column before the first of a row would stand if the first code were a gap.
  template <class Code>
  [[nodiscard]] __device__ __forceinline__ std::uint32_t column_before(const LaneRow& row, Code first) const {
    if (a_.first_col != nullptr) return row.base - first;
    return row.row +
           static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::make_signed_t<Code>>(first))) - first;
  }

  template <class Code>
  [[nodiscard]] __device__ __forceinline__ std::uint32_t sum_codes(const Code* codes, LaneEntries mine) const {
    std::uint32_t sum = 0;
#pragma unroll 4
    for (unsigned k = mine.begin; k < mine.end; ++k) sum += codes[k];
    return sum;
  }

  [[nodiscard]] __device__ __forceinline__ std::uint32_t sum_of_lanes_before(std::uint32_t n, unsigned lanes) const {
    std::uint32_t sum = n;
    for (unsigned step = 1; step < lanes; step *= 2) {
      const std::uint32_t before = __shfl_up_sync(whole_warp, sum, step, lanes);
      if (threadIdx.x % lanes >= step) sum += before;
    }
    return sum - n;
  }

  /// All of x first, then the products: so many reads of x are on their way at a time. Reads go on behind the end with
  /// the last entry again, so that none depends on a condition, of which there are fewer registers than reads.
  template <class Code>
  [[nodiscard]] __device__ __forceinline__ T sum_entries(const Code* codes, const char* values, LaneEntries mine,
                                                         std::uint32_t base) const {
    T sum = 0, odd = 0;
    for (unsigned k = mine.begin; k < mine.end; k += unrolled * mine.step) {
      T factor[unrolled], value[unrolled];
#pragma unroll
      for (unsigned u = 0; u < unrolled; ++u) {
        const unsigned wanted = k + u * mine.step, at = min(wanted, mine.end - 1);
        factor[u] = load_shared(x_ + column(base, codes[at], wanted == at));
        value[u] = values_.read(values, at);
      }
#pragma unroll
      for (unsigned u = 0; u < unrolled; ++u)
        if (k + u * mine.step < mine.end) (u % 2 ? odd : sum) += value[u] * factor[u];
    }
    return sum + odd;
  }

  /// The column that a code stands for; base: the row of the matrix, or the column before, which moves on if `moves`.
  template <class Code>
  [[nodiscard]] static __device__ __forceinline__ std::uint32_t column(std::uint32_t& base, Code code, bool moves) {
    if constexpr (distances)
      return base + static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::make_signed_t<Code>>(code)));
    else
      return base += moves ? code : 0;
  }

  const OptCsrIndices& a_;
  const DeviceTiles& tiles_;
  StagedValues<Values> values_;
  const T* x_;
  T* y_;
  T* partial_;
  char* stages_;
  std::uint64_t policy_ = read_once_policy();
};

/// Threads of a block at most: its warps work on neighbouring tiles, and find in L1 what of x the others have read.
template <class Values>
inline constexpr unsigned tile_threads = StagedValues<Values>::table_bytes != 0 ? staged_block_size<Values> : 384;

/// Shared memory: the table of values if it goes there, then the stages of each warp.
template <class T, class Values, bool distances>
__global__ void __launch_bounds__(tile_threads<Values>, 768 / tile_threads<Values>)
    multiply_tiles(const __grid_constant__ OptCsrIndices a, const __grid_constant__ DeviceTiles tiles, Values values,
                   unsigned table_size, const T* x, T* y, T* partial) {
  extern __shared__ __align__(16) char shared[];
  stage_table<T>(values, table_size, shared);
  using Staged = StagedValues<Values>;
  const unsigned warps = blockDim.x / warp_size, warp = threadIdx.x / warp_size;
  TileWork<T, Values, distances> work(a, tiles, Staged(values, shared), x, y, partial,
                                      shared + Staged::table_bytes + warp * stages * tiles.stage_bytes);
  walk_tiles<stages>(work, std::uint64_t{blockIdx.x} * warps + warp, std::uint64_t{gridDim.x} * warps, tiles.count);
}

// --- Host ---

/// What a product holds on the device besides the matrix.
template <class T>
struct Scratch {
  DeviceMemory tiles, pieces;
  Joints<T> long_rows;
};

template <class T>
Result<std::shared_ptr<Scratch<T>>> make_scratch(const Tiling& tiling) {
  std::vector<Joint> joints;
  for (const LongRow& row : tiling.long_rows) joints.push_back({row.first_piece, row.row, 1, row.pieces, 0});
  auto out = std::make_shared<Scratch<T>>();
  SPRESS_TRY(out->tiles, upload(std::span<const Tile>(tiling.tiles), "the list of tiles"));
  SPRESS_TRY(out->pieces, upload(std::span<const RowPiece>(tiling.pieces), "the list of pieces of long rows"));
  SPRESS_TRY(out->long_rows, Joints<T>::make(joints, tiling.pieces.size(), 1));
  return out;
}

/// Tiles small enough that many warps find room: their latencies hide behind each other. Rows by the power of two that
/// fits on average, so that all lanes have work.
TileLimits tile_limits(const OptCsr<Viewed>& host, const TileBytes& size) {
  const std::uint64_t codes = host.col8.bytes() + host.col16.bytes() + host.col32.bytes();
  const std::uint64_t bytes = std::max<std::uint64_t>(1, codes + host.nnz * code_width(host.values));
  const std::uint64_t rows = std::clamp<std::uint64_t>(size.wanted * host.rows / bytes, 1, warp_size);
  return {.bytes = size.most, .rows = static_cast<std::uint32_t>(std::bit_floor(rows))};
}

/// Where rows of very different lengths follow one another, tiles are small, and shared memory must not be set aside
/// for large ones.
Tiling deal_out(const OptCsr<Viewed>& host) {
  const TileBytes size = staged_tile_bytes(host.values.kind);
  Tiling tiling = cut_into_tiles(host, tile_limits(host, size));
  if (5 * tiling.lane_steps < 6 * host.nnz) return tiling;
  return cut_into_tiles(host, tile_limits(host, {size.wanted / 2, size.wanted / 2}));
}

/// Blocks of as many threads as there may be, unless more warps find room at a time in smaller ones.
struct TileGrid {
  unsigned threads = 0, blocks = 0;
  std::size_t shared_bytes = 0;
};
template <class Values, class Kernel>
Result<TileGrid> choose_grid(Kernel kernel, std::uint64_t tiles, unsigned stage_bytes) {
  const auto fill = [&](unsigned threads) -> Result<TileGrid> {
    const std::size_t shared =
        StagedValues<Values>::table_bytes + std::size_t{threads / warp_size * stages} * stage_bytes;
    SPRESS_TRY(const auto grid, fill_device(kernel, threads, shared, tiles));
    return TileGrid{threads, grid.blocks, grid.shared_bytes};
  };
  const auto large = fill(tile_threads<Values>);
  SPRESS_TRY(const TileGrid small,
             fill(staged_block_size<Values>));  // the kernel may now have too little for the large
  if (!large.ok() || large->threads * large->blocks < small.threads * small.blocks) return small;
  return fill(large->threads);
}

template <class T>
Result<Product<T>> make(const OptCsr<Viewed>& host, const OptCsr<Viewed>& device) {
  const Tiling tiling = deal_out(host);
  SPRESS_TRY(const std::shared_ptr<Scratch<T>> scratch, make_scratch<T>(tiling));
  const DeviceTiles tiles{scratch->tiles.template as<Tile>(), scratch->pieces.template as<RowPiece>(),
                          tiling.tiles.size(), (tiling.largest_bytes + 5 * copy_step) / copy_step * copy_step};
  const OptCsrIndices indices(host, device);
  const auto table_size = static_cast<unsigned>(host.values.table.size());
  Product<T> out;
  out.kernel = "tile of rows per warp";
  SPRESS_CHECK((with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) -> Status {
    const auto kernel = indices.distances ? multiply_tiles<T, Values, true> : multiply_tiles<T, Values, false>;
    SPRESS_TRY(const TileGrid grid, choose_grid<Values>(kernel, tiles.count, tiles.stage_bytes));
    out.multiply = [=](const T* x, T* y, Stream stream) -> Status {
      SPRESS_CHECK(launch_with_shared(kernel, grid.blocks, grid.threads, grid.shared_bytes, stream, indices, tiles,
                                      values, table_size, x, y, scratch->long_rows.partials()));
      return scratch->long_rows.finish(indices.row_perm, false, y, stream);
    };
    return Ok{};
  })));
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(OptCsr, make)

}  // namespace spress::cuda
