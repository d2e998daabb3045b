#include <algorithm>
#include <cstdint>
#include <string>

#include "formats/coo/chunks.hpp"
#include "formats/coo/coo.hpp"
#include "kernels/cuda/coo/boundary_rows.cuh"
#include "kernels/cuda/coo/coo_product.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/wide_loads.cuh"

namespace spress::cuda {
namespace {

template <class T, class Values>
struct Operands {
  std::uint64_t nnz, share;
  const std::uint32_t *row_idx, *col_idx;
  Values values;
  const T* x;
  T* y;
  T* first_sums;
};

/// Entries that a lane takes at a time. Eight would save additions across lanes, but leave room for half the warps.
inline constexpr unsigned entries_of_lane = 4;

/// Which entries a share is, and the rows of its first and last.
struct Share {
  std::uint64_t first, last;
  std::uint32_t first_row, last_row;
};

/// Entries of a lane as they come from memory.
template <class Values>
struct LoadedEntries {
  Four<std::uint32_t> rows, columns;
  Four<CodeOf<Values>> codes;
};

/// Starts loading entries k to k + 3 of a share.
template <class T, class Values>
__device__ __forceinline__ LoadedEntries<Values> load_entries(const Operands<T, Values>& a, const Share& share,
                                                              std::uint64_t k) {
  if (k >= share.last) return {};
  return {load_four(a.row_idx + k), load_four(a.col_idx + k), load_four_codes(a.values, k)};
}

/// Entries of a lane; their rows never fall.
template <class T>
struct LaneEntries {
  std::uint32_t rows[entries_of_lane];
  T products[entries_of_lane];
};

/// Multiplies entries k to k + 3. What lies before the share or behind it counts as part of its first or last row, and
/// adds 0.
template <class T, class Values>
__device__ __forceinline__ LaneEntries<T> multiply_entries(const Operands<T, Values>& a, const Share& share,
                                                           std::uint64_t k, const LoadedEntries<Values>& loaded) {
  const auto before = k < share.first ? static_cast<unsigned>(share.first - k) : 0u;
  const unsigned behind = k >= share.last ? 0 : share.last - k < entries_of_lane ? share.last - k : entries_of_lane;
  LaneEntries<T> out;
#pragma unroll
  for (unsigned i = 0; i < entries_of_lane; ++i)
    if (i >= before && i < behind) out.products[i] = load_shared(a.x + loaded.columns.of[i]);
#pragma unroll
  for (unsigned i = 0; i < entries_of_lane; ++i) {
    const bool inside = i >= before && i < behind;
    out.rows[i] = inside ? loaded.rows.of[i] : i < before ? share.first_row : share.last_row;
    out.products[i] = inside ? a.values.decode(loaded.codes.of[i]) * out.products[i] : T(0);
  }
  return out;
}

/// Where the sums of a share's rows go: that of the first row, if it was begun before, apart from y. They are scattered
/// and not read again here: as the matrix, they leave x the cache.
template <class T>
struct ShareSums {
  std::uint32_t first_row;
  T* first_sum;
  T* y;

  __device__ __forceinline__ void store(std::uint32_t row, T sum) const {
    __stcs(row == first_row ? first_sum : y + row, sum);
  }
};

/// The row in which a stretch of entries ends, and what has been summed of it.
template <class T>
struct OpenRow {
  std::uint32_t row;
  T sum;
};

/// Stores the sums of all rows that end in a warp's entries, `before` among them where it does; returns the row left
/// open. The order of additions depends on the entries alone.
template <class T>
__device__ __forceinline__ OpenRow<T> add_entries(const LaneEntries<T>& entries, const OpenRow<T>& before,
                                                  const ShareSums<T>& sums) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint32_t first_row = entries.rows[0], last_row = entries.rows[entries_of_lane - 1];
  T sum = entries.products[0], head = 0;
  if (lane == 0) {
    if (first_row == before.row)
      sum += before.sum;
    else
      sums.store(before.row, before.sum);
  }
  bool ended = false;  // whether the row of the first entry ends here
#pragma unroll
  for (unsigned i = 1; i < entries_of_lane; ++i) {
    if (entries.rows[i] == entries.rows[i - 1]) {
      sum += entries.products[i];
      continue;
    }
    if (ended)
      sums.store(entries.rows[i - 1], sum);
    else
      head = sum;
    ended = true;
    sum = entries.products[i];
  }
  // Lanes whose last entries are of the same row are neighbours, and all but the first hold nothing else.
#pragma unroll
  for (unsigned step = 1; step < warp_size; step *= 2) {
    const std::uint32_t row = __shfl_up_sync(whole_warp, last_row, step);
    const T other = __shfl_up_sync(whole_warp, sum, step);
    if (lane >= step && row == last_row) sum += other;
  }
  const std::uint32_t row = __shfl_up_sync(whole_warp, last_row, 1);
  const T other = __shfl_up_sync(whole_warp, sum, 1);
  if (lane != 0) {
    if (row == first_row)
      head += other;
    else
      sums.store(row, other);
  }
  if (ended) sums.store(first_row, head);
  return {__shfl_sync(whole_warp, last_row, warp_size - 1), __shfl_sync(whole_warp, sum, warp_size - 1)};
}

inline constexpr unsigned share_threads = 256;

/// One warp a share. Requires: y is 0 in rows without entries.
template <class T, class Values>
__global__ void __launch_bounds__(share_threads) multiply_shares(Operands<T, Values> a) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (share_threads / warp_size);
  std::uint64_t h = std::uint64_t{blockIdx.x} * (share_threads / warp_size) + threadIdx.x / warp_size;
  for (; h < a.nnz && h * a.share < a.nnz; h += warps) {
    Share share;
    share.first = h * a.share;
    share.last = a.nnz - share.first < a.share ? a.nnz : share.first + a.share;
    share.first_row = load_shared(a.row_idx + share.first);
    share.last_row = load_shared(a.row_idx + share.last - 1);
    const bool begun = share.first != 0 && load_shared(a.row_idx + share.first - 1) == share.first_row;
    const ShareSums<T> sums = {share.first_row, begun ? a.first_sums + h : a.y + share.first_row, a.y};
    OpenRow<T> open = {share.first_row, T(0)};
    constexpr unsigned step = warp_size * entries_of_lane;
    std::uint64_t k = share.first / entries_of_lane * entries_of_lane;
    auto next = load_entries(a, share, k + lane * entries_of_lane);
    for (; k < share.last; k += step) {
      const auto loaded = next;
      next = load_entries(a, share, k + step + lane * entries_of_lane);
      open = add_entries(multiply_entries(a, share, k + lane * entries_of_lane, loaded), open, sums);
    }
    if (lane == 0) sums.store(open.row, open.sum);
  }
}

/// As many chunks of b entries as make up what a warp should get, or part of one.
[[nodiscard]] std::uint64_t share_of_chunks(std::uint64_t b) {
  constexpr std::uint64_t aim = 1024, most = 4096;
  return b >= aim ? std::min(b, most) : aim / b * b;
}

template <class T>
Result<Product<T>> make(const Coo<Viewed>& host, const Coo<Viewed>& device) {
  return coo_product<T>(host, device, 1024);
}

}  // namespace

template <class T>
Result<Product<T>> coo_product(const Coo<Viewed>& host, const Coo<Viewed>& device, std::uint64_t b) {
  const std::uint64_t share = share_of_chunks(b), shares = chunk_count(host.nnz, share);
  const std::uint32_t* rows = host.row_idx.data();
  SPRESS_TRY(const auto carries,
             Carries<T>::make(
                 shares, [&](std::uint64_t h) { return rows[h * share]; },
                 [&](std::uint64_t h) { return h != 0 && rows[h * share - 1] == rows[h * share]; }));
  Product<T> out;
  out.kernel = "share of " + std::to_string(share) + " entries per warp";
  out.multiply = [device, carries, share, shares](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK(fill_bytes(y, 0, device.rows * sizeof(T), stream));
    SPRESS_CHECK((with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) {
      const Operands<T, Values> operands = {device.nnz, share, device.row_idx.data(), device.col_idx.data(), values,
                                            x,          y,     carries.first_sums()};
      return launch(multiply_shares<T, Values>, blocks_for(shares, share_threads / warp_size), share_threads, stream,
                    operands);
    })));
    return carries.finish(y, stream);
  };
  return out;
}

template Result<Product<float>> coo_product(const Coo<Viewed>&, const Coo<Viewed>&, std::uint64_t);
template Result<Product<double>> coo_product(const Coo<Viewed>&, const Coo<Viewed>&, std::uint64_t);

SPRESS_CUDA_PRODUCT(Coo, make)

}  // namespace spress::cuda
