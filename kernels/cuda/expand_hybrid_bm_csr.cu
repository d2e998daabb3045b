#include "formats/hybrid_bm_csr.hpp"
#include "kernels/cuda/expand.cuh"

namespace spress::cuda {
namespace {

constexpr unsigned block = 256;

/// A CSR on the device.
template <class Bits>
struct Part {
  DevicePositions row_ptr;
  std::uint32_t* col_idx;
  Bits* values;
  explicit Part(const Csr<Viewed>& a)
      : row_ptr(a.row_ptr),
        col_idx(const_cast<std::uint32_t*>(a.col_idx.data())),
        values(static_cast<Bits*>(const_cast<void*>(a.values.codes.raw()))) {}
};

/// How many of the columns [begin, end), which ascend, lie left of `column`.
__device__ __forceinline__ std::uint64_t columns_before(const std::uint32_t* col_idx, std::uint64_t begin,
                                                        std::uint64_t end, std::uint32_t column) {
  std::uint64_t low = begin;
  while (low < end) {
    const std::uint64_t middle = low + (end - low) / 2;
    if (col_idx[middle] < column)
      low = middle + 1;
    else
      end = middle;
  }
  return low - begin;
}

/// The entries of row r of one part, each behind those of the other part that lie left of it.
template <unsigned lanes, class Bits>
__device__ __forceinline__ void merge_row(std::uint64_t r, unsigned rank, const Part<Bits>& from,
                                          const Part<Bits>& other, const Part<Bits>& to) {
  const std::uint64_t end = from.row_ptr[r + 1], other_begin = other.row_ptr[r], other_end = other.row_ptr[r + 1];
  for (std::uint64_t k = from.row_ptr[r] + rank; k < end; k += lanes) {
    const std::uint32_t column = from.col_idx[k];
    const std::uint64_t position = k + other_begin + columns_before(other.col_idx, other_begin, other_end, column);
    to.col_idx[position] = column;
    if constexpr (!std::is_same_v<Bits, NoBits>) to.values[position] = from.values[k];
  }
}

/// Puts two matrices without common entries together, rows by teams of lanes.
template <unsigned lanes, class Bits>
__global__ void merge(std::uint64_t rows, Part<Bits> a, Part<Bits> b, RowPointers row_ptr, Part<Bits> to) {
  const unsigned rank = threadIdx.x % lanes;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / lanes);
  std::uint64_t r = (std::uint64_t{blockIdx.x} * block + threadIdx.x) / lanes;
  for (; r <= rows; r += stride) {
    if (rank == 0) row_ptr.set(r, a.row_ptr[r] + b.row_ptr[r]);
    if (r == rows) continue;
    merge_row<lanes>(r, rank, a, b, to);
    merge_row<lanes>(r, rank, b, a, to);
  }
}

Status merge_parts(const Csr<Viewed>& a, const Csr<Viewed>& b, const Csr<Viewed>& to, Stream stream) {
  return with_bits_of(to.values.type, [&]<class Bits>(Bits) -> Status {
    const auto run = [&](auto kernel, unsigned lanes) {
      return launch(kernel, blocks_for(to.rows + 1, block / lanes), block, stream, to.rows, Part<Bits>(a),
                    Part<Bits>(b), RowPointers(to.row_ptr), Part<Bits>(to));
    };
    return to.nnz <= 12 * to.rows ? run(merge<4, Bits>, 4) : run(merge<16, Bits>, 16);
  });
}

/// Room on the device for a CSR with `nnz` of the target's entries.
Result<Csr<Viewed>> make_part(const Csr<Viewed>& target, std::uint64_t nnz, Expansion& out) {
  Csr<Viewed> shape = target;
  shape.nnz = shape.values.count = nnz;
  shape.row_ptr.bind(position_type(nnz), nullptr, target.rows + 1);
  shape.col_idx.bind(DType::u32, nullptr, nnz);
  const bool pattern = target.values.type == ValueType::none;
  if (!pattern) shape.values.codes.bind(target.values.codes.dtype(), nullptr, nnz);
  SPRESS_TRY(auto* memory, scratch_of<std::uint8_t>(out, packed_size(shape)));
  return packed_view(shape, memory);
}

}  // namespace

/// Each part becomes a CSR of its own, and the end puts both together.
template <>
Result<Expansion> expansion<HybridBmCsr>(const ExpandTask<HybridBmCsr>& task) {
  const auto& [host, device, target, size] = task;
  Expansion out;
  ExpandTask<BmSparseCsr> dense = {dense_part(host), dense_part(device), target, size};
  ExpandTask<OptCsr> scattered = {scattered_part(host), scattered_part(device), target, size};
  const bool both = host.bm.nnz != 0 && host.csr.nnz != 0;
  if (both) {
    SPRESS_TRY(dense.target, make_part(target, host.bm.nnz, out));
    SPRESS_TRY(scattered.target, make_part(target, host.csr.nnz, out));
  }
  if (host.bm.nnz != 0) SPRESS_CHECK(add_expansion(dense, out));
  if (host.csr.nnz != 0) SPRESS_CHECK(add_expansion(scattered, out));
  if (both)
    out.pieces.push_back({{}, [a = dense.target, b = scattered.target, to = target](Stream stream) {
                            return merge_parts(a, b, to, stream);
                          }});
  if (host.nnz == 0)
    out.pieces.push_back(
        {{}, [to = target](Stream stream) { return RowPointers(to.row_ptr).clear(to.rows + 1, stream); }});
  finish(out, task);
  return out;
}

}  // namespace spress::cuda
