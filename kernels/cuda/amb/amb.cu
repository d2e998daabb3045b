#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/amb/amb.hpp"
#include "kernels/cuda/amb/amb_chunks.cuh"
#include "kernels/cuda/amb/chunk_lists.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {
namespace {

using namespace amb;

/// The launch parameters of a product, besides the matrix.
struct AmbPlan {
  std::uint64_t count = 0;             // of warps
  std::shared_ptr<DeviceMemory> list;  // pieces, stretches or, for whole chunks, nothing
  bool stretches = false;
  bool add = false, clear = false;
  unsigned multiprocessors = 1;
};

Result<AmbPlan> make_plan(const Amb<Viewed>& host, unsigned most_pieces) {
  AmbPlan plan;
  plan.add = most_pieces > 1;
  plan.clear = plan.add || host.used_lanes < host.rows;
  int device = 0, multiprocessors = 0;
  SPRESS_CUDA_TRY(cudaGetDevice(&device));
  SPRESS_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  plan.multiprocessors = static_cast<unsigned>(multiprocessors);
  plan.count = host.chunks;
  plan.stretches = host.block <= small_block &&
                   host.slots() * (2 + host.block * code_width(host.values)) < short_chunk * host.chunks;
  const auto take = [&](const auto& list) -> Status {
    if (list.empty()) return Ok{};
    plan.count = list.size();
    SPRESS_TRY(DeviceMemory memory, upload(std::span(list), "the list of what each warp takes"));
    plan.list = std::make_shared<DeviceMemory>(std::move(memory));
    return Ok{};
  };
  SPRESS_CHECK(plan.stretches ? take(join_short_chunks(host)) : take(cut_long_chunks(host)));
  return plan;
}

/// Whether a store has a kernel for every block size: raw values and the small table. Other stores have kernels for
/// small blocks only, and one kernel for all larger sizes.
template <class Values>
inline constexpr bool every_block = has_small_table<Values>;
template <class T>
inline constexpr bool every_block<OnDevice<CastAccessor<T, T>>> = true;

/// Calls use.template operator()<b>() with b = block, or b = 0 where there are no kernels for that block size.
template <class Values, unsigned from = 1, class Use>
Status with_block(std::uint32_t block, const Use& use) {
  if constexpr (from > (every_block<Values> ? Amb<>::largest_block : small_block)) {
    return use.template operator()<0>();
  } else {
    if (block == from) return use.template operator()<from>();
    return with_block<Values, from + 1>(block, use);
  }
}

template <class T, class Values>
Status multiply(const Amb<Viewed>& device, const AmbPlan& plan, const Values& values, const T* x, T* y, Stream stream) {
  const AmbArrays<Values> a(device, values);
  const unsigned blocks = blocks_for(plan.count, block_threads / lanes);
  // A block that has read the table takes several chunks.
  const unsigned grid = has_small_table<Values> ? std::min(blocks, blocks_at_once * plan.multiprocessors) : blocks;
  return with_block<Values>(device.block, [&]<unsigned block>() -> Status {
    if constexpr (block != 0 && block <= small_block)
      if (plan.stretches)
        return launch(multiply_stretches<block, T, Values>, grid, block_threads, stream, a, device.chunks, plan.count,
                      plan.list->as<ChunkStretch>(), plan.add, x, y);
    return launch(multiply_chunks<block, T, Values>, grid, block_threads, stream, a, plan.count,
                  plan.list ? plan.list->as<ChunkPiece>() : nullptr, plan.add, x, y);
  });
}

template <class T>
Result<Product<T>> make(const Amb<Viewed>& host, const Amb<Viewed>& device) {
  const unsigned most_pieces = most_pieces_of_a_row(host);
  SPRESS_TRY(const AmbPlan plan, make_plan(host, most_pieces));
  Product<T> out;
  out.kernel = std::string(plan.stretches ? "warp per some chunks"
                           : plan.list    ? "warps per chunk"
                                          : "warp per chunk") +
               ", blocks of " + std::to_string(host.block) + (plan.add ? ", sums added" : "");
  out.repeatable = most_pieces <= 2;  // 0 + a + b is 0 + b + a
  out.multiply = [device, plan](const T* x, T* y, Stream stream) -> Status {
    if (plan.clear) SPRESS_CHECK(fill_bytes(y, 0, device.rows * sizeof(T), stream));
    return with_device_accessor<T, Status>(
        device.values, [&]<class Values>(Values values) { return multiply(device, plan, values, x, y, stream); });
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(Amb, make)

}  // namespace spress::cuda
