// The product of a matrix in CSR, straight from memory. Where all entries are on their way at once, a product takes as
// long as a thread waits: for the ends of its row, for columns and values, and for x. Nothing else may come between,
// shared memory and a second kernel least of all.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/cuda/csr/direct_rows.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

/// The matrix and the vectors of a product.
template <class T, class Values>
struct DirectOperands {
  DevicePositions row_ptr;
  const std::uint32_t* col_idx;
  Values values;
  const T* x;
  T* y;
};

/// What is dealt out, on the device.
template <class T>
struct DirectDeal {
  std::uint32_t rows, log_lanes, most_by_lanes;
  std::uint32_t pieces, warp_blocks, warp_rows;
  const DirectPiece* by_block;
  const std::uint32_t* by_warp;
  T* partials;        // of pieces
  unsigned* arrived;  // pieces of each row with several of them; 0 between products
};

/// There are at most most_direct_entries.
template <class T, class Values>
__device__ __forceinline__ std::uint32_t entry_at(const DirectOperands<T, Values>& a, std::uint64_t row) {
  return static_cast<std::uint32_t>(a.row_ptr[row]);
}

/// Every stride-th of entries [at, end). All lanes of the warp take part. Reads go on behind the end with the last
/// entry again, so that none waits for another's condition; but where no lane has a second entry, none does more than
/// one.
template <class T, class Values>
__device__ __forceinline__ T sum_directly(const DirectOperands<T, Values>& a, std::uint32_t at, std::uint32_t end,
                                          unsigned stride) {
  T sum = 0;
  for (; __any_sync(whole_warp, at < end); at += direct_batch * stride) {
    const bool last_round = !__any_sync(whole_warp, at + stride < end);
    if (last_round) {
      if (at < end) sum += a.values[at] * load_shared(a.x + load_once(a.col_idx + at));
      break;
    }
    if (at >= end) continue;
    std::uint32_t columns[direct_batch];
    CodeOf<Values> codes[direct_batch];
    T factors[direct_batch];
#pragma unroll
    for (unsigned u = 0; u < direct_batch; ++u) {
      const std::uint32_t k = min(at + u * stride, end - 1);
      columns[u] = load_once(a.col_idx + k);
      codes[u] = a.values.load(k);
    }
#pragma unroll
    for (unsigned u = 0; u < direct_batch; ++u) factors[u] = load_shared(a.x + columns[u]);
#pragma unroll
    for (unsigned u = 0; u < direct_batch; ++u)
      if (at + u * stride < end) sum += a.values.decode(codes[u]) * factors[u];
  }
  return sum;
}

/// By the first warp of the block whose piece is the last to have been added up.
template <class T>
__device__ __forceinline__ T sum_of_pieces(const T* partials, std::uint32_t pieces) {
  T sum = 0;
#pragma unroll 4
  for (std::uint32_t p = threadIdx.x; p < pieces; p += warp_size) sum += __ldcg(partials + p);  // others have written
  return sum_over_lanes(sum);
}

template <class T, class Values>
__device__ __forceinline__ void multiply_piece(const DirectOperands<T, Values>& a, const DirectDeal<T>& deal) {
  constexpr unsigned warps = direct_threads / warp_size;
  __shared__ T of_warp[warps];
  const DirectPiece piece = deal.by_block[blockIdx.x];
  T sum = sum_over_lanes(sum_directly(a, piece.entry + threadIdx.x, piece.entry + piece.entries, direct_threads));
  if (threadIdx.x % warp_size == 0) of_warp[threadIdx.x / warp_size] = sum;
  __syncthreads();
  if (threadIdx.x >= warp_size) return;
  sum = sum_over_lanes(threadIdx.x < warps ? of_warp[threadIdx.x] : T(0));
  if (piece.pieces > 1) {
    unsigned before = 0;
    if (threadIdx.x == 0) {
      deal.partials[blockIdx.x] = sum;
      __threadfence();
      before = atomicAdd(deal.arrived + piece.split, 1u);
      __threadfence();
    }
    if (__shfl_sync(whole_warp, before, 0) + 1 != piece.pieces) return;
    __syncwarp();  // the other lanes read behind what the first one has seen
    sum = sum_of_pieces(deal.partials + piece.first, piece.pieces);
    if (threadIdx.x == 0) deal.arrived[piece.split] = 0;
  }
  if (threadIdx.x == 0) a.y[piece.row] = sum;
}

template <class T, class Values>
__device__ __forceinline__ void multiply_by_warp(const DirectOperands<T, Values>& a, const DirectDeal<T>& deal,
                                                 unsigned block) {
  const unsigned item = block * (direct_threads / warp_size) + threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  if (item >= deal.warp_rows) return;
  const std::uint32_t row = load_shared(deal.by_warp + item);
  const T sum = sum_over_lanes(sum_directly(a, entry_at(a, row) + lane, entry_at(a, row + 1), warp_size));
  if (lane == 0) a.y[row] = sum;
}

template <class T, class Values>
__device__ __forceinline__ void multiply_by_lanes(const DirectOperands<T, Values>& a, const DirectDeal<T>& deal,
                                                  unsigned block) {
  const unsigned lanes = 1u << deal.log_lanes, lane = threadIdx.x & (lanes - 1);
  const std::uint64_t row = std::uint64_t{block} * (direct_threads >> deal.log_lanes) + (threadIdx.x >> deal.log_lanes);
  std::uint32_t begin = 0, end = 0;
  if (row < deal.rows) begin = entry_at(a, row), end = entry_at(a, row + 1);
  const bool taken = row < deal.rows && end - begin <= deal.most_by_lanes;
  const T sum = sum_over_lanes(sum_directly(a, begin + lane, taken ? end : begin, lanes), lanes);
  if (taken && lane == 0) a.y[row] = sum;
}

/// The longest rows first.
template <class T, class Values>
__global__ void __launch_bounds__(direct_threads) multiply_directly(DirectOperands<T, Values> a, DirectDeal<T> deal) {
  if (blockIdx.x < deal.pieces)
    multiply_piece(a, deal);
  else if (blockIdx.x < deal.pieces + deal.warp_blocks)
    multiply_by_warp(a, deal, blockIdx.x - deal.pieces);
  else
    multiply_by_lanes(a, deal, blockIdx.x - deal.pieces - deal.warp_blocks);
}

/// The deal of one matrix on the device.
template <class T>
class DirectMemory {
 public:
  /// Errors: as allocate and copy_to_device.
  [[nodiscard]] static Result<DirectMemory> make(const DirectRows& host, std::uint64_t rows) {
    DirectMemory out;
    const std::vector<unsigned> none(host.split_rows);
    SPRESS_TRY(out.by_block_, upload(std::span<const DirectPiece>(host.by_block), "the list of pieces of long rows"));
    SPRESS_TRY(out.by_warp_, upload(std::span<const std::uint32_t>(host.by_warp), "the list of long rows"));
    SPRESS_TRY(out.arrived_, upload(std::span<const unsigned>(none), "the counters of long rows"));
    const std::uint64_t partials = host.split_rows == 0 ? 0 : host.by_block.size();
    SPRESS_TRY(out.partials_, allocate(partials * sizeof(T), "the partial sums of long rows"));
    DirectDeal<T>& deal = out.deal_;
    deal.rows = static_cast<std::uint32_t>(rows);
    deal.log_lanes = host.log_lanes;
    deal.most_by_lanes = host.most_by_lanes;
    deal.pieces = static_cast<std::uint32_t>(host.by_block.size());
    deal.warp_rows = static_cast<std::uint32_t>(host.by_warp.size());
    deal.warp_blocks = blocks_for(host.by_warp.size(), direct_threads / warp_size);
    deal.by_block = out.by_block_.template as<const DirectPiece>();
    deal.by_warp = out.by_warp_.template as<const std::uint32_t>();
    deal.partials = out.partials_.template as<T>();
    deal.arrived = out.arrived_.template as<unsigned>();
    return Result<DirectMemory>(std::move(out));  // nvcc would copy
  }
  [[nodiscard]] const DirectDeal<T>& view() const { return deal_; }
  [[nodiscard]] unsigned blocks() const {
    return deal_.pieces + deal_.warp_blocks + blocks_for(deal_.rows, direct_threads >> deal_.log_lanes);
  }

 private:
  DeviceMemory by_block_, by_warp_, arrived_, partials_;
  DirectDeal<T> deal_ = {};
};

}  // namespace spress::cuda
