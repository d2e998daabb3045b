#include "kernels/cuda/csr/opt_csr_columns.cuh"
#include "kernels/cuda/expand/expand.cuh"

namespace spress::cuda {
namespace {

/// Rows of more entries are taken by a block each.
constexpr std::uint64_t longest_row = 4096;
constexpr unsigned block = 256;

__global__ void copy_positions(DevicePositions from, RowPointers to, std::uint64_t count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) to.set(i, from[i]);
}

/// The length of each row where the matrix has it; behind the last one anything, which a scan overwrites.
__global__ void write_lengths(OptCsrIndices a, RowPointers lengths, std::uint64_t rows) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) lengths.set(a.row_of(i), a.row_ptr[i + 1] - a.row_ptr[i]);
  if (i == rows) lengths.set(rows, 0);
}

template <class Team, class Put>
__device__ __forceinline__ void expand_row(const OptCsrIndices& a, std::uint64_t i, const Team& team,
                                           std::uint64_t begin, RowPointers row_ptr, std::uint32_t* col_idx, Put put) {
  const std::uint64_t to = row_ptr[a.row_of(i)];
  for_each_column(a, i, team, [&](std::uint64_t k, std::uint32_t column) {
    const std::uint64_t position = to + (k - begin);
    col_idx[position] = column;
    put(k, position);
  });
}

/// Stored rows [first, last) by teams of `lanes`, but for the long ones.
template <unsigned lanes, class Put>
__global__ void expand_rows(OptCsrIndices a, std::uint64_t first, std::uint64_t last, RowPointers row_ptr,
                            std::uint32_t* col_idx, Put put) {
  const LaneGroup<lanes> team;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (blockDim.x / lanes);
  std::uint64_t i = first + (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
  for (; i < last; i += stride) {
    const std::uint64_t begin = a.row_ptr[i];
    if (a.row_ptr[i + 1] - begin <= longest_row) expand_row(a, i, team, begin, row_ptr, col_idx, put);
  }
}

/// A block a long row.
template <class Put>
__global__ void expand_long_rows(OptCsrIndices a, const std::uint32_t* rows, std::uint64_t count, RowPointers row_ptr,
                                 std::uint32_t* col_idx, Put put) {
  __shared__ std::uint32_t of_warps[block / warp_size];
  const WholeBlock<block> team{threadIdx.x, of_warps};
  for (std::uint64_t r = blockIdx.x; r < count; r += gridDim.x)
    expand_row(a, rows[r], team, a.row_ptr[rows[r]], row_ptr, col_idx, put);
}

std::vector<std::uint32_t> find_long_rows(const OptCsr<Viewed>& a) {
  std::vector<std::uint32_t> rows;
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    for (std::uint64_t i = 0; i < a.rows; ++i)
      if (row_ptr[i + 1] - row_ptr[i] > longest_row) rows.push_back(static_cast<std::uint32_t>(i));
  });
  return rows;
}

/// What all pieces share.
struct OptCsrExpandPlan {
  OptCsrIndices indices;
  ValueStore<Viewed> values;
  Csr<Viewed> target;
  bool reordered;
  Scan scan;
  std::vector<std::uint32_t> long_rows;
  const std::uint32_t* device_long_rows;

  [[nodiscard]] Status make_row_ptr(Stream stream) const {
    const RowPointers to(target.row_ptr);
    const unsigned blocks = blocks_for(target.rows + 1, block);
    if (!reordered) return launch(copy_positions, blocks, block, stream, indices.row_ptr, to, target.rows + 1);
    SPRESS_CHECK(launch(write_lengths, blocks, block, stream, indices, to, target.rows));
    return scan.run(stream);
  }

  [[nodiscard]] Status expand(std::uint64_t first, std::uint64_t last, Stream stream) const {
    return with_put(values, target.values, [&]<class Put>(Put put) -> Status {
      const RowPointers row_ptr(target.row_ptr);
      auto* const col_idx = const_cast<std::uint32_t*>(target.col_idx.data());
      const std::uint64_t rows = last - first;
      if (target.nnz <= 12 * target.rows)
        SPRESS_CHECK(launch(expand_rows<8, Put>, blocks_for(rows, block / 8), block, stream, indices, first, last,
                            row_ptr, col_idx, put));
      else
        SPRESS_CHECK(launch(expand_rows<warp_size, Put>, blocks_for(rows, block / warp_size), block, stream, indices,
                            first, last, row_ptr, col_idx, put));
      const auto begin = std::lower_bound(long_rows.begin(), long_rows.end(), first);
      const auto count = static_cast<std::uint64_t>(std::lower_bound(begin, long_rows.end(), last) - begin);
      return launch(expand_long_rows<Put>, blocks_for(count, 1), block, stream, indices,
                    device_long_rows + (begin - long_rows.begin()), count, row_ptr, col_idx, put);
    });
  }
};

/// Arrays whose elements follow the rows, one section of which each code array covers.
void cut_rows(const OptCsr<Viewed>& host, const OptCsr<Viewed>& device, Cutter& cutter) {
  const auto entry = [row_ptr = host.row_ptr](std::uint64_t row) { return row_ptr.position(row); };
  const auto code_of = [&](std::size_t s) {
    const std::uint64_t first = host.section_start.position(s), last = host.section_start.position(s + 1);
    return [=](std::uint64_t row) { return entry(std::clamp(row, first, last)) - entry(first); };
  };
  cutter.whole(host.row_ptr, device.row_ptr);
  cutter.whole(host.row_perm, device.row_perm);
  cutter.whole(host.values.table, device.values.table);
  cutter.part(host.first_col, device.first_col, [](std::uint64_t row) { return row; });
  cutter.part(host.col8, device.col8, code_of(0));
  cutter.part(host.col16, device.col16, code_of(1));
  cutter.part(host.col32, device.col32, code_of(2));
  cutter.part(host.values.codes, device.values.codes, entry);
}

}  // namespace

template <>
Result<PieceWork> piece_work<OptCsr>(const ExpandTask<OptCsr>& task, Expansion& out) {
  const auto& host = task.host;
  auto plan = std::make_shared<OptCsrExpandPlan>(OptCsrExpandPlan{OptCsrIndices(host, task.device),
                                                                  task.device.values,
                                                                  task.target,
                                                                  !host.row_perm.empty(),
                                                                  {},
                                                                  find_long_rows(host),
                                                                  nullptr});
  if (plan->reordered) {
    SPRESS_TRY(plan->scan, Scan::make(out, const_cast<void*>(task.target.row_ptr.raw()),
                                      task.target.row_ptr.dtype() == DType::u64, host.rows + 1));
  }
  if (!plan->long_rows.empty()) {
    SPRESS_TRY(std::uint32_t * rows, scratch_of<std::uint32_t>(out, plan->long_rows.size()));
    SPRESS_CHECK(copy_to_device(rows, plan->long_rows.data(), plan->long_rows.size() * sizeof *rows));
    plan->device_long_rows = rows;
  }
  PieceWork pieces;
  pieces.units = host.rows;
  pieces.cut = [host = host, device = task.device](Cutter& cutter) { cut_rows(host, device, cutter); };
  pieces.head = [plan](Stream stream) { return plan->make_row_ptr(stream); };
  pieces.work = [plan](std::uint64_t first, std::uint64_t last, Stream stream) {
    return plan->expand(first, last, stream);
  };
  return pieces;
}

template <>
Result<Expansion> expansion<OptCsr>(const ExpandTask<OptCsr>& task) {
  return expansion_by_pieces(task);
}

}  // namespace spress::cuda
