// Sums by rows of products that stand in shared memory: products[k] for entry k.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

/// Entries of a lane that are on their way at once.
inline constexpr unsigned entries_at_once = 8;

/// The entry of its row with which a lane begins. Lanes of rows of a multiple of four entries would meet in the same
/// few banks of shared memory all the way: each of those rows begins somewhere else, and goes round.
__device__ __forceinline__ unsigned turn_of_row(unsigned count, unsigned log_lanes) {
  if (!__all_sync(whole_warp, count % 4 == 0) || count == 0) return 0;
  return (threadIdx.x % warp_size >> log_lanes << log_lanes) % count;
}

/// A row of more entries is added up by a warp.
inline constexpr unsigned most_by_thread = 32;

template <class Products>
using ProductOf = std::remove_cvref_t<decltype(std::declval<const Products&>()[0u])>;

/// The sum of a row of few products.
template <class Products>
__device__ __forceinline__ ProductOf<Products> sum_by_thread(const Products& products, unsigned begin, unsigned count,
                                                             unsigned turn) {
  using T = ProductOf<Products>;
  T sum = 0;
  for (unsigned k = 0; k < count; k += entries_at_once) {
    T part[entries_at_once];
#pragma unroll
    for (unsigned u = 0; u < entries_at_once; ++u) {
      const unsigned turned = k + u + turn;
      part[u] = k + u < count ? products[begin + (turned < count ? turned : turned - count)] : T(0);
    }
#pragma unroll
    for (unsigned u = 0; u < entries_at_once; ++u) sum += part[u];
  }
  return sum;
}

/// The sums of those rows of a warp's lanes that `mine` says, each by all lanes. All lanes take part.
template <class Products>
__device__ __forceinline__ ProductOf<Products> sum_by_warp(const Products& products, unsigned row_begin,
                                                           unsigned row_end, bool mine) {
  using T = ProductOf<Products>;
  const unsigned lane = threadIdx.x % warp_size;
  T sum = 0;
  for (unsigned left = __ballot_sync(whole_warp, mine); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const unsigned begin = __shfl_sync(whole_warp, row_begin, owner), end = __shfl_sync(whole_warp, row_end, owner);
    T part = 0;
#pragma unroll 4
    for (unsigned k = begin + lane; k < end; k += warp_size) part += products[k];
    part = sum_over_lanes(part);
    part = __shfl_sync(whole_warp, part, 0);
    if (static_cast<int>(lane) == owner) sum = part;
  }
  return sum;
}

/// The sum of products [begin, end), a row for each thread. turn: the entry of the row with which to begin. All threads
/// of a warp take part.
template <class Products>
__device__ __forceinline__ ProductOf<Products> sum_of_products(const Products& products, unsigned begin, unsigned end,
                                                               unsigned turn) {
  const unsigned count = end - begin;
  const auto sum = sum_by_warp(products, begin, end, count > most_by_thread);
  return count <= most_by_thread ? sum_by_thread(products, begin, count, turn) : sum;
}

}  // namespace spress::cuda
