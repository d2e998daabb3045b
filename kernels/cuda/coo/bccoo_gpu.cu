#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/coo/bccoo_gpu.hpp"
#include "kernels/cuda/coo/bccoo_gpu_tuning.hpp"
#include "kernels/cuda/coo/boundary_rows.cuh"
#include "kernels/cuda/coo/tuple_pieces.hpp"
#include "kernels/cuda/coo/tuple_sums.cuh"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {
namespace {

/// Bytes of shared memory of a warp: enough for the largest piece, and for the bytes before its tuples in their first
/// copy unit.
template <std::size_t width>
std::uint32_t shared_bytes_for(const std::vector<TuplePiece>& pieces) {
  std::uint32_t tuples = 0;
  for (const TuplePiece& piece : pieces)
    bccoo_gpu::with_tuple<width>(format_of(piece), [&]<class Tuple>(Tuple) {
      tuples = std::max<std::uint32_t>(tuples, piece.entries * std::uint32_t{Tuple::bytes});
    });
  return (tuples_at + tuples + 2 * copy_unit - 1) / copy_unit * copy_unit;
}

/// Calls use(Layout{}, Crew{}): OneLayout where all pieces have the same layout, else AnyLayout.
template <std::size_t width, class Use>
Status with_layout(const std::vector<TuplePiece>& pieces, bool many_warps, Use&& use) {
  const std::uint8_t format = format_of(pieces.front());
  if (std::any_of(pieces.begin(), pieces.end(), [=](const TuplePiece& piece) { return format_of(piece) != format; }))
    return use(AnyLayout<width>{}, LongBatches{});
  return bccoo_gpu::with_tuple<width>(format, [&]<class Tuple>(Tuple) -> Status {
    return many_warps ? use(OneLayout<Tuple>{}, ManyWarps{}) : use(OneLayout<Tuple>{}, LongBatches{});
  });
}

/// Blocks of a launch, and warps of a block.
struct Grid {
  unsigned blocks = 0, warps = 0;
};

/// One block for each multiprocessor, with as many warps of `shared_bytes` as fit. The kernel may take all shared
/// memory, since the products of other matrices may need more of it. What this product does not need is left to the
/// cache for x.
template <class Crew, class Kernel>
Result<Grid> grid_for(Kernel kernel, std::uint32_t shared_bytes, std::uint64_t pieces) {
  int device = 0, processors = 0, memory = 0;
  SPRESS_CUDA_TRY(cudaGetDevice(&device));
  SPRESS_CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  SPRESS_CUDA_TRY(cudaDeviceGetAttribute(&memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  Grid grid;
  const auto most_blocks = static_cast<unsigned>(std::max(1, processors));
  const unsigned room = std::min(static_cast<unsigned>(memory) / shared_bytes, Crew::warps);
  grid.warps = std::clamp(blocks_for(pieces, most_blocks), 1u, std::max(1u, room));
  grid.blocks = std::min(most_blocks, blocks_for(pieces, grid.warps));
  SPRESS_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, memory));
  const int share = static_cast<int>(100 * std::uint64_t{grid.warps} * shared_bytes / static_cast<unsigned>(memory));
  SPRESS_CUDA_TRY(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, std::min(share + 2, 100)));
  return grid;
}

/// The state that a product keeps between its calls.
template <class T>
struct TuplePlan {
  TupleTask<T> task;  // without x and y
  std::shared_ptr<DeviceMemory> pieces;
  Carries<T> carries;
  std::uint64_t empty_rows = 0;  // before the first entry
  Grid grid;
};

template <class T, class Layout, class Crew>
Status multiply(const TuplePlan<T>& plan, const T* x, T* y, Stream stream) {
  TupleTask<T> task = plan.task;
  task.x = x;
  task.y = y;
  SPRESS_CHECK(fill_bytes(y, 0, plan.empty_rows * sizeof(T), stream));
  SPRESS_CHECK(launch_with_shared(sum_pieces<T, Layout, Crew>, plan.grid.blocks, plan.grid.warps * warp_size,
                                  std::size_t{plan.grid.warps} * task.shared_bytes, stream, task));
  return plan.carries.finish(y, stream);
}

template <class T, std::size_t width>
Result<Product<T>> make_width(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  Product<T> out;
  const PieceWay way = way_for(host);
  const auto pieces = cut_into_pieces<width>(host, way.most_entries);
  if (pieces.empty()) {
    out.multiply = [rows = host.rows](const T*, T* y, Stream stream) {
      return fill_bytes(y, 0, rows * sizeof(T), stream);
    };
    return out;
  }
  if (pieces.size() > 0xFFFFFFFFu) return Error{ErrorCode::unsupported, "more than 2^32 pieces of rows", {}, 0};
  out.kernel = "warp per " + std::to_string(host.nnz / pieces.size()) + " tuples";
  TuplePlan<T> plan;
  SPRESS_TRY(DeviceMemory list, upload(std::span<const TuplePiece>(pieces), "the list of pieces"));
  plan.pieces = std::make_shared<DeviceMemory>(std::move(list));
  SPRESS_TRY(plan.carries, Carries<T>::make(
                               pieces.size(), [&](std::uint64_t p) { return pieces[p].first_row; },
                               [&](std::uint64_t p) { return (pieces[p].format_and_begun & begun_bit) != 0; }));
  plan.empty_rows = pieces.front().first_row;
  plan.task = {device.data.data(),
               plan.pieces->template as<TuplePiece>(),
               static_cast<std::uint32_t>(pieces.size()),
               shared_bytes_for<width>(pieces),
               static_cast<const T*>(device.lut.raw()),
               nullptr,
               nullptr,
               plan.carries.first_sums()};
  SPRESS_CHECK(with_layout<width>(pieces, way.many_warps, [&]<class Layout, class Crew>(Layout, Crew) -> Status {
    SPRESS_TRY(plan.grid, grid_for<Crew>(sum_pieces<T, Layout, Crew>, plan.task.shared_bytes, pieces.size()));
    out.multiply = [plan](const T* x, T* y, Stream stream) { return multiply<T, Layout, Crew>(plan, x, y, stream); };
    return Ok{};
  }));
  return out;
}

template <class T>
Result<Product<T>> make(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  if (host.value_type == ValueType::none) return make_width<T, 0>(host, device);
  if (host.value_type == value_type_of<T>) return make_width<T, sizeof(T)>(host, device);
  return Error{ErrorCode::unsupported, "values of this type have no product on the device", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(BccooGpu, make)

}  // namespace spress::cuda
