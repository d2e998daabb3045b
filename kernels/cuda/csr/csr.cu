#include <string>
#include <utility>

#include "formats/csr/csr.hpp"
#include "kernels/cuda/csr/csr_direct.cuh"
#include "kernels/cuda/csr/csr_plain.cuh"
#include "kernels/cuda/csr/csr_ways.hpp"
#include "kernels/cuda/csr/row_tiles.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/block_staging.cuh"
#include "kernels/cuda/shared/product_sums.cuh"
#include "kernels/cuda/shared/row_likeness.hpp"
#include "kernels/cuda/shared/wide_loads.cuh"

namespace spress::cuda {
namespace {

/// The matrix and the vectors of a product, as kernels take them.
template <class T, class Values>
struct Operands {
  const RowTile* tiles;
  DevicePositions row_ptr;
  const std::uint32_t* col_idx;
  Values values;
  const T* x;
  T* y;
  T* partials;
};

// --- Rows nearly alike: one or several lanes a row ---
//
// Columns and values of a tile come in as wide, coalesced copies to shared memory. From there a lane takes its own row,
// so that neighbouring lanes ask for neighbouring elements of x where rows follow a stencil: far fewer lines of the
// cache than 32 consecutive entries touch.

inline constexpr unsigned row_threads = 128;
/// Small tiles have many of them on their way at a time; large ones may give more threads something to do.
inline constexpr RowTileLimits small_tile = {.entries = 1536, .rows = 2048},
                               large_tile = {.entries = 2048, .rows = 2048};

/// The sum of what one lane takes of a row of `count` entries: every 2^log_lanes-th.
template <class T, class Values>
__device__ __forceinline__ T sum_of_lane(const std::uint32_t* columns, const CodeOf<Values>* codes,
                                         const Values& values, unsigned count, unsigned lane, unsigned log_lanes,
                                         unsigned turn, const T* x) {
  T sum = 0;
  for (unsigned k = lane; k < count; k += entries_at_once << log_lanes) {
    unsigned at[entries_at_once];
    T factors[entries_at_once];
#pragma unroll
    for (unsigned u = 0; u < entries_at_once; ++u) {
      const unsigned turned = k + (u << log_lanes) + turn;
      at[u] = turned < count ? turned : turned - count;
      if (k + (u << log_lanes) < count) factors[u] = load_shared(x + columns[at[u]]);
    }
#pragma unroll
    for (unsigned u = 0; u < entries_at_once; ++u)
      if (k + (u << log_lanes) < count) sum += decode_at(values, codes, at[u]) * factors[u];
  }
  return sum;
}

template <class T, class Values>
__global__ void __launch_bounds__(row_threads) multiply_rows(Operands<T, Values> a) {
  extern __shared__ __align__(16) unsigned char staged[];
  __shared__ BlockCopies::Barrier barrier;
  const RowTile tile = this_tile(a.tiles);
  BlockCopies copies(staged, barrier);
  const std::uint32_t* columns = copies.start(a.col_idx + tile.entry, tile.entries);
  const CodeOf<Values>* codes = nullptr;
  if constexpr (has_codes<Values>) codes = copies.start(a.values.codes + tile.entry, tile.entries);

  const unsigned rows = sums_of(tile), log_lanes = tile.log_lanes, rows_at_once = row_threads >> log_lanes;
  const unsigned lane = threadIdx.x & ((1u << log_lanes) - 1);
  unsigned row = threadIdx.x >> log_lanes;
  EntryRange range = entries_of(tile, a.row_ptr, row);  // on its way while the tile comes in
  copies.wait();
  for (unsigned first = 0; first < rows; first += rows_at_once) {  // as often in every thread
    const unsigned next = row + rows_at_once, count = range.end - range.begin;
    const EntryRange next_range = entries_of(tile, a.row_ptr, next);
    const T of_lane = sum_of_lane(columns + range.begin, codes + range.begin, a.values, count, lane, log_lanes,
                                  turn_of_row(count, log_lanes), a.x);
    const T sum = sum_over_lanes(of_lane, 1u << log_lanes);
    if (lane == 0 && row < rows) *sum_of(tile, row, a.y, a.partials) = sum;
    row = next;
    range = next_range;
  }
}

// --- Rows of any lengths: products by entries, then sums by rows ---

inline constexpr unsigned entry_threads = 256;
inline constexpr unsigned most_products = 4 * entry_threads;
/// A tile may begin anywhere in a group of four.
inline constexpr RowTileLimits entry_limits = {.entries = most_products - 4, .rows = 2048};

/// Puts the products of a tile into shared memory, a group of four by each thread. Returns where that of its first
/// entry is: those before it belong to the tile before.
template <class T, class Values>
__device__ __forceinline__ const T* put_products(const Operands<T, Values>& a, const RowTile& tile, T* products) {
  const unsigned skipped = tile.entry % 4, count = skipped + tile.entries, mine = 4 * threadIdx.x;
  if (mine < count) {
    const std::uint64_t k = tile.entry - skipped + mine;
    const Four<std::uint32_t> columns = load_four(a.col_idx + k);
    const Four<CodeOf<Values>> codes = load_four_codes(a.values, k);
    Four<T> out = {};
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      if (mine + i < count) out.of[i] = load_kept(a.x + columns.of[i]);
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      if (mine + i < count) out.of[i] *= a.values.decode(codes.of[i]);
    store_four(products + mine, out);
  }
  return products + skipped;
}

template <class T, class Values>
__global__ void __launch_bounds__(entry_threads) multiply_entries(Operands<T, Values> a) {
  __shared__ __align__(16) T shared[most_products];
  const RowTile tile = this_tile(a.tiles);
  const unsigned rows = sums_of(tile);
  EntryRange range = entries_of(tile, a.row_ptr, threadIdx.x);
  const T* products = put_products(a, tile, shared);
  __syncthreads();
  for (unsigned first = 0; first < rows; first += entry_threads) {  // as often in every thread
    const unsigned row = first + threadIdx.x;
    const EntryRange next = entries_of(tile, a.row_ptr, row + entry_threads);
    const T sum = sum_of_products(products, range.begin, range.end, turn_of_row(range.end - range.begin, 0));
    if (row < rows) *sum_of(tile, row, a.y, a.partials) = sum;
    range = next;
  }
}

// --- The choice ---

/// Threads that have work at a time: half of what a multiprocessor holds, since more only wait for one another.
inline constexpr std::uint64_t threads_of_multiprocessor = 1024;
/// Entries up to which the direct way is the fastest whatever the rows are like.
inline constexpr std::uint64_t direct_entries_of_thread = 64;

/// Up to here lanes that wait for the longest row of their tile cost less than sums in a second step.
inline constexpr double most_unevenness = 2;
/// From runs of neighbouring rows: single rows, equally far apart, might all lie on one side of a grid.
[[nodiscard]] RowLikeness likeness_of_rows(const Csr<Viewed>& a) {
  constexpr std::uint64_t samples = 256, run = 16, most = 64;
  const std::uint64_t step = std::max(run, a.rows / samples);
  RowLikeness out;
  for (std::uint64_t r = 1; r < a.rows; r += r % step == run ? step - run + 1 : 1) {
    const std::uint64_t there = a.row_ptr.position(r - 1), here = a.row_ptr.position(r);
    const std::uint64_t count = std::min(most, a.row_ptr.position(r + 1) - here);
    out.all += count;
    for (std::uint64_t k = 0; k < std::min(count, here - there); ++k)
      out.compare(a.col_idx[here + k], a.col_idx[there + k]);
  }
  return out;
}

/// Threads that have work in a tile of so many entries of rows of mean length.
[[nodiscard]] std::uint64_t busy_threads(const Csr<Viewed>& a, std::uint64_t entries) {
  std::uint64_t busy = std::max<std::uint64_t>(1, entries * a.rows / std::max<std::uint64_t>(1, a.nnz));
  while (2 * busy <= row_threads) busy *= 2;
  return std::min<std::uint64_t>(busy, row_threads);
}

[[nodiscard]] bool is_narrow(const Csr<Viewed>& a) { return code_width(a.values) < sizeof(float); }

/// The tiles for lanes that go by rows. Where values take next to no bytes, small tiles would gain nothing.
[[nodiscard]] RowTileLimits limits_for_rows(const Csr<Viewed>& a) {
  return is_narrow(a) || busy_threads(a, large_tile.entries) > busy_threads(a, small_tile.entries) ? large_tile
                                                                                                   : small_tile;
}

[[nodiscard]] Result<std::uint64_t> threads_at_work() {
  int device = 0, multiprocessors = 0;
  SPRESS_CUDA_TRY(cudaGetDevice(&device));
  SPRESS_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return threads_of_multiprocessor * static_cast<std::uint64_t>(multiprocessors);
}

template <class T>
Result<Product<T>> make_by_tiles(const RowTiles& cut, bool by_rows, const RowTileLimits& limits,
                                 const Csr<Viewed>& device) {
  SPRESS_TRY(const auto tiles, DeviceRowTiles<T>::make(cut));
  Product<T> out;
  out.kernel = by_rows ? "tile of rows per block, lanes per row" : "tile of entries per block, sums by row";
  out.multiply = [device, tiles, by_rows, limits](const T* x, T* y, Stream stream) -> Status {
    const Status done = with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) {
      const Operands<T, Values> operands = {
          tiles.data(), DevicePositions(device.row_ptr), device.col_idx.data(), values, x, y, tiles.partials()};
      if (!by_rows) return launch(multiply_entries<T, Values>, tiles.blocks(), entry_threads, stream, operands);
      const unsigned bytes =
          staged_bytes(limits.entries, sizeof(std::uint32_t)) + staged_bytes(limits.entries, code_bytes<Values>);
      return launch_with_shared(multiply_rows<T, Values>, tiles.blocks(), row_threads, bytes, stream, operands);
    });
    SPRESS_CHECK(done);
    return tiles.finish(y, stream);
  };
  return out;
}

/// cut: by limits_for_rows(host).
template <class T>
Result<Product<T>> make_by_lanes(RowTiles cut, const Csr<Viewed>& host, const Csr<Viewed>& device) {
  choose_lanes(cut, row_threads);
  return make_by_tiles<T>(cut, true, limits_for_rows(host), device);
}

template <class T>
Result<Product<T>> make_by_entries(const Csr<Viewed>& host, const Csr<Viewed>& device) {
  return make_by_tiles<T>(cut_rows(host.row_ptr, host.rows, entry_limits), false, entry_limits, device);
}

template <class T>
Result<Product<T>> make_direct(const Csr<Viewed>& host, const Csr<Viewed>& device, std::uint64_t threads) {
  if (host.nnz > most_direct_entries)
    return Error{ErrorCode::unsupported, "too many entries for the direct way: " + std::to_string(host.nnz)};
  SPRESS_TRY(auto made, DirectMemory<T>::make(deal_directly(host.row_ptr, host.rows, threads), host.rows));
  Product<T> out;
  out.kernel = "lanes per row, long rows by warps and blocks";
  out.multiply = [device, deal = std::make_shared<DirectMemory<T>>(std::move(made))](const T* x, T* y,
                                                                                     Stream stream) -> Status {
    return with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) {
      const DirectOperands<T, Values> operands = {DevicePositions(device.row_ptr), device.col_idx.data(), values, x, y};
      return launch(multiply_directly<T, Values>, deal->blocks(), direct_threads, stream, operands, deal->view());
    });
  };
  return out;
}

/// lanes: of a row, 1 or a warp.
template <class T, unsigned lanes>
Result<Product<T>> make_plain(const Csr<Viewed>& device) {
  Product<T> out;
  out.kernel = lanes == 1 ? "row per thread" : "row per warp";
  out.multiply = [device](const T* x, T* y, Stream stream) -> Status {
    return with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) {
      const DirectOperands<T, Values> operands = {DevicePositions(device.row_ptr), device.col_idx.data(), values, x, y};
      return launch(multiply_plainly<lanes, T, Values>, blocks_for(device.rows, plain_threads / lanes), plain_threads,
                    stream, device.rows, operands);
    });
  };
  return out;
}

[[nodiscard]] bool is_small(const Csr<Viewed>& a, std::uint64_t threads) {
  return std::max(a.nnz, a.rows) <= direct_entries_of_thread * threads && a.nnz <= most_direct_entries;
}

/// Of large matrices, those with rows that follow one another go the direct way where values are not narrow: lanes that
/// read next to nothing each would have memory wait. Rows of any lengths keep all threads busy by entries only.
template <class T>
Result<Product<T>> make_as_suggested(const Csr<Viewed>& host, const Csr<Viewed>& device) {
  SPRESS_TRY(const std::uint64_t threads, threads_at_work());
  if (is_small(host, threads)) return make_direct<T>(host, device, threads);
  RowTiles cut = cut_rows(host.row_ptr, host.rows, limits_for_rows(host));
  const bool alike = unevenness(cut, host.row_ptr) <= most_unevenness && likeness_of_rows(host).rows_follow();
  if (!alike) return make_by_entries<T>(host, device);
  if (is_narrow(host) || host.nnz > most_direct_entries) return make_by_lanes<T>(std::move(cut), host, device);
  return make_direct<T>(host, device, threads);
}

template <class T>
Result<Product<T>> make(const Csr<Viewed>& host, const Csr<Viewed>& device, CsrWay way) {
  switch (way) {
    case CsrWay::thread: return make_plain<T, 1>(device);
    case CsrWay::warp: return make_plain<T, warp_size>(device);
    case CsrWay::lanes: return make_by_lanes<T>(cut_rows(host.row_ptr, host.rows, limits_for_rows(host)), host, device);
    case CsrWay::entries: return make_by_entries<T>(host, device);
    case CsrWay::automatic: break;
  }
  return make_as_suggested<T>(host, device);
}

}  // namespace

template <class T>
Result<Product<T>> csr_direct_product(const Csr<Viewed>& host, const Csr<Viewed>& device) {
  SPRESS_TRY(const std::uint64_t threads, threads_at_work());
  return make_direct<T>(host, device, threads);
}
template Result<Product<float>> csr_direct_product(const Csr<Viewed>&, const Csr<Viewed>&);
template Result<Product<double>> csr_direct_product(const Csr<Viewed>&, const Csr<Viewed>&);

template <>
Result<Product<float>> product<float, Csr>(const Csr<Viewed>& host, const Csr<Viewed>& device,
                                           const Csr<Owned>::Params& params) {
  return make<float>(host, device, params.way);
}
template <>
Result<Product<double>> product<double, Csr>(const Csr<Viewed>& host, const Csr<Viewed>& device,
                                             const Csr<Owned>::Params& params) {
  return make<double>(host, device, params.way);
}

}  // namespace spress::cuda
