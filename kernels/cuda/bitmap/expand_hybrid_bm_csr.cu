#include "formats/bitmap/bitmap_blocks.hpp"
#include "formats/bitmap/hybrid_bm_csr.hpp"
#include "kernels/cuda/expand/expand.cuh"

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

/// Puts rows [first, last) of two matrices without common entries together, rows by teams of lanes.
template <unsigned lanes, class Bits>
__global__ void merge(std::uint64_t first, std::uint64_t last, Part<Bits> a, Part<Bits> b, RowPointers row_ptr,
                      Part<Bits> to) {
  const unsigned rank = threadIdx.x % lanes;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / lanes);
  std::uint64_t r = first + (std::uint64_t{blockIdx.x} * block + threadIdx.x) / lanes;
  for (; r <= last; r += stride) {
    if (rank == 0) row_ptr.set(r, a.row_ptr[r] + b.row_ptr[r]);
    if (r == last) continue;
    merge_row<lanes>(r, rank, a, b, to);
    merge_row<lanes>(r, rank, b, a, to);
  }
}

/// The CSRs of both parts, and what becomes of them.
struct Parts {
  Csr<Viewed> a, b, to;

  [[nodiscard]] Status merge_rows(std::uint64_t first, std::uint64_t last, Stream stream) const {
    return with_bits_of(to.values.type, [&]<class Bits>(Bits) -> Status {
      const auto run = [&](auto kernel, unsigned lanes) {
        return launch(kernel, blocks_for(last - first + 1, block / lanes), block, stream, first, last, Part<Bits>(a),
                      Part<Bits>(b), RowPointers(to.row_ptr), Part<Bits>(to));
      };
      return to.nnz <= 12 * to.rows ? run(merge<4, Bits>, 4) : run(merge<16, Bits>, 16);
    });
  }
};

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

/// The task of each part.
struct Tasks {
  ExpandTask<BmSparseCsr> dense;
  ExpandTask<OptCsr> scattered;
};

/// Both parts in pieces of the same rows, which are put together while the next ones are on their way.
Status add_pieces_of_both(const Tasks& tasks, const Parts& parts, Expansion& out) {
  SPRESS_TRY(const PieceWork dense, piece_work(tasks.dense, out));
  SPRESS_TRY(const PieceWork scattered, piece_work(tasks.scattered, out));
  const auto row = [rows = parts.to.rows](std::uint64_t block_row) { return std::min(block_row * bitmap_side, rows); };
  Cutter cutter(dense.units, tasks.dense.piece);
  dense.cut(cutter);
  cutter.count_by(row);
  scattered.cut(cutter);
  cutter.add_pieces(
      out,
      [=](Stream stream) -> Status {
        SPRESS_CHECK(dense.head(stream));
        return scattered.head(stream);
      },
      [=](std::uint64_t first, std::uint64_t last, Stream stream) -> Status {
        SPRESS_CHECK(dense.work(first, last, stream));
        SPRESS_CHECK(scattered.work(row(first), row(last), stream));
        return parts.merge_rows(row(first), row(last), stream);
      });
  return Ok{};
}

/// One part after the other, whose rows do not come in the same order, and both put together in the end.
Status add_part_by_part(const Tasks& tasks, const Parts& parts, Expansion& out) {
  SPRESS_CHECK(add_expansion(tasks.dense, out));
  SPRESS_CHECK(add_expansion(tasks.scattered, out));
  out.pieces.push_back({{}, [=](Stream stream) { return parts.merge_rows(0, parts.to.rows, stream); }});
  return Ok{};
}

Status add_parts(const HybridBmCsr<Viewed>& host, Tasks tasks, Expansion& out) {
  const Csr<Viewed> target = tasks.dense.target;
  if (host.nnz == 0) {
    out.pieces.push_back(
        {{}, [=](Stream stream) { return RowPointers(target.row_ptr).clear(target.rows + 1, stream); }});
    return Ok{};
  }
  if (host.csr.nnz == 0) return add_expansion(tasks.dense, out);
  if (host.bm.nnz == 0) return add_expansion(tasks.scattered, out);
  SPRESS_TRY(tasks.dense.target, make_part(target, host.bm.nnz, out));
  SPRESS_TRY(tasks.scattered.target, make_part(target, host.csr.nnz, out));
  const Parts parts = {tasks.dense.target, tasks.scattered.target, target};
  return host.csr.row_perm.empty() ? add_pieces_of_both(tasks, parts, out) : add_part_by_part(tasks, parts, out);
}

}  // namespace

/// Each part becomes a CSR of its own, and both are put together.
template <>
Result<Expansion> expansion<HybridBmCsr>(const ExpandTask<HybridBmCsr>& task) {
  const auto& [host, device, target, size] = task;
  Expansion out;
  SPRESS_CHECK(add_parts(host,
                         {{dense_part(host), dense_part(device), target, size},
                          {scattered_part(host), scattered_part(device), target, size}},
                         out));
  finish(out, task);
  return out;
}

}  // namespace spress::cuda
