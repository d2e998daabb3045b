#include "kernels/cuda/expand/expand.cuh"
#include "kernels/cuda/slice_delta/slice_delta_lanes.hpp"

namespace spress::cuda {
namespace {

constexpr unsigned block = 256;

/// The length of each row but the long ones, where the matrix has it; behind the last row anything, which a scan
/// overwrites. A warp a slice.
__global__ void write_lengths(SliceLanes a, RowPointers lengths) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / warp_size);
  std::uint64_t i = (std::uint64_t{blockIdx.x} * block + threadIdx.x) / warp_size;
  if (i == 0 && lane == 0) lengths.set(a.rows, 0);
  for (; i < a.slices; i += stride) {
    const std::uint64_t stored = i * slice_rows + lane;
    if (stored < a.rows) lengths.set(a.row(stored), length_of_lane(a, i, lane));
  }
}

/// Those of the long rows: the first piece of each tells it.
__global__ void write_long_lengths(SliceLanes a, RowPointers lengths) {
  const std::uint64_t p = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (p >= a.items - a.slices || (p > 0 && a.long_row[p - 1] == a.long_row[p])) return;
  lengths.set(a.long_row[p], a.entries(p, a.first_piece(p, true)));
}

/// A warp an item of [first, last).
template <class Put>
__global__ void expand_items(SliceLanes a, std::uint64_t first, std::uint64_t last, RowPointers row_ptr,
                             std::uint32_t* col_idx, Put put) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / warp_size);
  std::uint64_t i = first + (std::uint64_t{blockIdx.x} * block + threadIdx.x) / warp_size;
  for (; i < last; i += stride) {
    for_each_entry_of_lane(a, i, lane, row_ptr, [&](const LaneEntry& entry) {
      col_idx[entry.position] = entry.column;
      put(entry.value, entry.position);
    });
  }
}

/// What all pieces share.
struct DeltaExpandPlan {
  SliceLanes lanes;
  SliceDelta<Viewed> device;
  Csr<Viewed> target;
  Scan scan;

  [[nodiscard]] Status make_row_ptr(Stream stream) const {
    const RowPointers to(target.row_ptr);
    const unsigned blocks = std::max(1u, blocks_for(lanes.slices, block / warp_size));
    SPRESS_CHECK(launch(write_lengths, blocks, block, stream, lanes, to));
    SPRESS_CHECK(launch(write_long_lengths, blocks_for(lanes.items - lanes.slices, block), block, stream, lanes, to));
    return scan.run(stream);
  }
  [[nodiscard]] Status expand(std::uint64_t first, std::uint64_t last, Stream stream) const {
    return with_put(device.values, target.values, [&]<class Put>(Put put) -> Status {
      return launch(expand_items<Put>, blocks_for(last - first, block / warp_size), block, stream, lanes, first, last,
                    RowPointers(target.row_ptr), const_cast<std::uint32_t*>(target.col_idx.data()), put);
    });
  }
};

}  // namespace

template <>
Result<Expansion> expansion<SliceDelta>(const ExpandTask<SliceDelta>& task) {
  const auto& [host, device, target, size] = task;
  Expansion out;
  auto plan = std::make_shared<DeltaExpandPlan>(DeltaExpandPlan{SliceLanes(host, device), device, target, {}});
  SPRESS_TRY(plan->scan, Scan::make(out, const_cast<void*>(target.row_ptr.raw()), target.row_ptr.dtype() == DType::u64,
                                    target.rows + 1));
  Cutter cutter(plan->lanes.items, size);
  cut_items(host, device, cutter);
  cutter.add_pieces(
      out, [plan](Stream stream) { return plan->make_row_ptr(stream); },
      [plan](std::uint64_t first, std::uint64_t last, Stream stream) { return plan->expand(first, last, stream); });
  finish(out, task);
  return out;
}

}  // namespace spress::cuda
