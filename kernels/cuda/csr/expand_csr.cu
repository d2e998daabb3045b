#include "kernels/cuda/expand/expand.cuh"

namespace spress::cuda {
namespace {

template <class Put>
__global__ void put_values(std::uint64_t first, std::uint64_t last, Put put) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t k = first + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < last; k += stride) put(k, k);
}

/// Elements [first, last) of an array that both matrices have alike.
template <class Array>
Status keep(const Array& from, const Array& to, std::uint64_t first, std::uint64_t last, Stream stream) {
  const std::size_t width = size_of(from.dtype()), bytes = (last - first) * width;
  if (bytes == 0) return Ok{};
  SPRESS_CUDA_TRY(cudaMemcpyAsync(static_cast<std::uint8_t*>(const_cast<void*>(to.raw())) + first * width,
                                  static_cast<const std::uint8_t*>(from.raw()) + first * width, bytes,
                                  cudaMemcpyDeviceToDevice, stream));
  return Ok{};
}

}  // namespace

/// A CSR whose values are encoded: they are written out, the rest stays as it is.
template <>
Result<Expansion> expansion<Csr>(const ExpandTask<Csr>& task) {
  const auto& [host, device, target, size] = task;
  const auto itself = [](std::uint64_t u) { return u; };
  Cutter cutter(host.nnz, size);
  cutter.whole(host.row_ptr, device.row_ptr);
  cutter.whole(host.values.table, device.values.table);
  cutter.part(host.col_idx, device.col_idx, itself);
  cutter.part(host.values.codes, device.values.codes, itself);
  Expansion out;
  cutter.add_pieces(
      out,
      [device = device, target = target](Stream stream) {
        return keep(device.row_ptr, target.row_ptr, 0, device.row_ptr.size(), stream);
      },
      [device = device, target = target](std::uint64_t first, std::uint64_t last, Stream stream) -> Status {
        SPRESS_CHECK(keep(device.col_idx, target.col_idx, first, last, stream));
        return with_put(device.values, target.values, [&]<class Put>(Put put) -> Status {
          if (std::is_same_v<Put, PutNothing>) return Ok{};
          return launch(put_values<Put>, blocks_for(last - first, 1024), 256, stream, first, last, put);
        });
      });
  finish(out, task);
  return out;
}

}  // namespace spress::cuda
