#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "formats/coo/bccoo_gpu.hpp"
#include "kernels/cuda/coo/bccoo_gpu_tuning.hpp"
#include "kernels/cuda/coo/bccoo_gpu_ways.hpp"
#include "kernels/cuda/coo/tuple_plan.cuh"
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

template <class T, std::size_t width>
Result<Product<T>> make_width(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  const PieceWay way = way_for(host);
  const auto pieces = cut_into_pieces<width>(host, way.most_entries);
  if (pieces.empty()) return product_of_nothing<T>(host.rows);
  const std::uint32_t shared_bytes = shared_bytes_for<width>(pieces);
  SPRESS_TRY(const auto plan, TuplePlan<T>::make(pieces, device, shared_bytes));
  Product<T> out;
  out.kernel = "warp per " + std::to_string(host.nnz / pieces.size()) + " tuples";
  SPRESS_CHECK(with_layout<width>(pieces, way.many_warps, [&]<class Layout, class Crew>(Layout, Crew) -> Status {
    SPRESS_TRY(const Grid grid, grid_for<Crew>(sum_pieces<T, Layout, Crew>, shared_bytes, pieces.size()));
    out.multiply = [=](const T* x, T* y, Stream stream) {
      return plan.multiply(x, y, stream, [&](const TupleTask<T>& task) {
        return launch_with_shared(sum_pieces<T, Layout, Crew>, grid.blocks, grid.warps * warp_size,
                                  std::size_t{grid.warps} * shared_bytes, stream, task);
      });
    };
    return Ok{};
  }));
  return out;
}

template <class T>
Result<Product<T>> make_by_rows(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  if (host.value_type == ValueType::none) return make_width<T, 0>(host, device);
  return make_width<T, sizeof(T)>(host, device);
}

}  // namespace

template <class T>
Result<Product<T>> bccoo_gpu_product(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device,
                                     std::optional<TupleWay> way) {
  if (host.value_type != ValueType::none && host.value_type != value_type_of<T>)
    return Error{ErrorCode::unsupported, "values of this type have no product on the device"};
  if (!way) way = goes_by_entries(host) ? TupleWay::by_entries : TupleWay::by_rows;
  return *way == TupleWay::by_entries ? bccoo_gpu_by_entries<T>(host, device) : make_by_rows<T>(host, device);
}

template Result<Product<float>> bccoo_gpu_product(const BccooGpu<Viewed>&, const BccooGpu<Viewed>&,
                                                  std::optional<TupleWay>);
template Result<Product<double>> bccoo_gpu_product(const BccooGpu<Viewed>&, const BccooGpu<Viewed>&,
                                                   std::optional<TupleWay>);

namespace {

template <class T>
Result<Product<T>> make(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  return bccoo_gpu_product<T>(host, device, std::nullopt);
}

}  // namespace

SPRESS_CUDA_PRODUCT(BccooGpu, make)

}  // namespace spress::cuda
