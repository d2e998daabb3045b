#include "formats/amb/amb.hpp"
#include "kernels/cuda/expand/expand.cuh"

namespace spress::cuda {
namespace {

constexpr unsigned block = 256;
using Layout = Amb<Viewed>;
static_assert(Layout::lanes == warp_size);

/// The arrays on the device.
struct Chunks {
  DevicePositions start;
  const std::uint32_t* length;
  const std::uint16_t *window, *perm, *block_col;
  const std::uint32_t *wide_col, *step_col;  // null where the matrix has none
  const std::uint32_t* present;              // null where every block is full
  std::uint32_t block, segment, sigma;       // segment: 0 where ids do not count from their segment

  Chunks(const Layout& host, const Layout& device)
      : start(device.chunk_start),
        length(device.chunk_length.data()),
        window(device.window.data()),
        perm(device.perm.data()),
        block_col(device.block_col.data()),
        wide_col(host.wide_col.empty() ? nullptr : device.wide_col.data()),
        step_col(host.step_col.empty() ? nullptr : device.step_col.data()),
        present(host.present.empty() ? nullptr : device.present.data()),
        block(host.block),
        segment(host.base() == ColumnBase::segment ? host.segment : 0),
        sigma(host.sigma) {}
  /// The column of a block from the base of its chunk on; whether there is a block.
  __device__ __forceinline__ bool find_block(std::uint64_t at, unsigned lane, std::uint32_t& col) const {
    col = wide_col != nullptr ? wide_col[at + lane] : block_col[at + lane];
    if (col == (wide_col != nullptr ? Layout::no_wide_block : Layout::no_block)) return false;
    if (step_col != nullptr) col += step_col[at / warp_size];
    return true;
  }
};

/// One lane of a chunk: the entries that its row has in the chunk's segment.
struct Lane {
  std::uint64_t row, first_col, slot;
  std::uint32_t steps;
  bool used;

  __device__ __forceinline__ Lane(const Chunks& a, std::uint64_t c, unsigned lane) {
    const unsigned in_window = a.perm[c * warp_size + lane];
    const std::uint32_t length = a.length[c];
    used = in_window != Layout::no_row;
    row = std::uint64_t{a.window[c]} * a.sigma + in_window;
    first_col = std::uint64_t{length >> 16} * a.segment;
    steps = length & 0xFFFF;
    slot = a.start[c];
  }
  /// Calls use(column, value slot) for each entry, by ascending column.
  template <class Use>
  __device__ __forceinline__ void for_each_entry(const Chunks& a, unsigned lane, Use&& use) const {
    std::uint64_t at = slot;
    for (std::uint32_t k = 0; k < steps; ++k, at += warp_size) {
      std::uint32_t col;
      if (!a.find_block(at, lane, col)) continue;
      for (std::uint32_t t = 0; t < a.block; ++t) {
        const std::uint64_t value = at * a.block + std::uint64_t{warp_size} * t;
        const bool there = a.present == nullptr || (a.present[value / warp_size] >> lane & 1) != 0;
        if (there) use(static_cast<std::uint32_t>(first_col + col + t), value + lane);
      }
    }
  }
};

/// Adds what each lane has to the length of its row.
template <class Count>
__global__ void count_entries(Chunks a, std::uint64_t chunks, Count* lengths) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / warp_size);
  std::uint64_t c = (std::uint64_t{blockIdx.x} * block + threadIdx.x) / warp_size;
  for (; c < chunks; c += stride) {
    const Lane mine(a, c, lane);
    if (!mine.used) continue;
    Count n = 0;
    mine.for_each_entry(a, lane, [&](std::uint32_t, std::uint64_t) { ++n; });
    if (n != 0) atomicAdd(lengths + mine.row, n);
  }
}

__global__ void copy_positions(RowPointers from, unsigned long long* to, std::uint64_t count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

/// Chunks [first, last) of one segment, whose rows are all different. next: where each row goes on.
template <class Put>
__global__ void expand_chunks(Chunks a, std::uint64_t first, std::uint64_t last, unsigned long long* next,
                              std::uint32_t* col_idx, Put put) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / warp_size);
  std::uint64_t c = first + (std::uint64_t{blockIdx.x} * block + threadIdx.x) / warp_size;
  for (; c < last; c += stride) {
    const Lane mine(a, c, lane);
    if (!mine.used) continue;
    std::uint64_t position = next[mine.row];
    mine.for_each_entry(a, lane, [&](std::uint32_t column, std::uint64_t value) {
      col_idx[position] = column;
      put(value, position++);
    });
    next[mine.row] = position;
  }
}

/// What all pieces share.
struct AmbExpandPlan {
  Chunks chunks;
  std::uint64_t count;                  // of chunks
  std::vector<std::uint64_t> segments;  // where each segment that has chunks begins, and their end
  ValueStore<Viewed> values;
  Csr<Viewed> target;
  Scan scan;
  unsigned long long* next;

  [[nodiscard]] Status find_rows(Stream stream) const {
    const RowPointers row_ptr(target.row_ptr);
    SPRESS_CHECK(row_ptr.clear(target.rows + 1, stream));
    const unsigned blocks = blocks_for(count, block / warp_size);
    if (row_ptr.wide)
      SPRESS_CHECK(launch(count_entries<unsigned long long>, blocks, block, stream, chunks, count,
                          static_cast<unsigned long long*>(row_ptr.data)));
    else
      SPRESS_CHECK(
          launch(count_entries<unsigned>, blocks, block, stream, chunks, count, static_cast<unsigned*>(row_ptr.data)));
    SPRESS_CHECK(scan.run(stream));
    return launch(copy_positions, blocks_for(target.rows, block), block, stream, row_ptr, next, target.rows);
  }

  /// Segment after segment: each goes on in the rows where the one before ended.
  [[nodiscard]] Status expand(std::uint64_t first, std::uint64_t last, Stream stream) const {
    return with_put(values, target.values, [&]<class Put>(Put put) -> Status {
      for (std::uint64_t from = first; from < last;) {
        const std::uint64_t to = std::min(last, *std::upper_bound(segments.begin(), segments.end(), from));
        SPRESS_CHECK(launch(expand_chunks<Put>, blocks_for(to - from, block / warp_size), block, stream, chunks, from,
                            to, next, const_cast<std::uint32_t*>(target.col_idx.data()), put));
        from = to;
      }
      return Ok{};
    });
  }
};

}  // namespace

/// The lengths of rows are known only when all indices have arrived: they go first, and values in pieces.
template <>
Result<Expansion> expansion<Amb>(const ExpandTask<Amb>& task) {
  const auto& [host, device, target, size] = task;
  Expansion out;
  auto plan = std::make_shared<AmbExpandPlan>(
      AmbExpandPlan{Chunks(host, device), host.chunks, {}, device.values, target, {}, nullptr});
  for_each_segment(host, [&](std::uint64_t first, std::uint64_t) { plan->segments.push_back(first); });
  plan->segments.push_back(host.chunks);
  SPRESS_TRY(plan->next, scratch_of<unsigned long long>(out, std::max<std::uint64_t>(target.rows, 1)));
  SPRESS_TRY(plan->scan, Scan::make(out, const_cast<void*>(target.row_ptr.raw()), target.row_ptr.dtype() == DType::u64,
                                    target.rows + 1));
  Cutter cutter(host.chunks, size);
  cutter.whole(host.chunk_start, device.chunk_start);
  cutter.whole(host.chunk_length, device.chunk_length);
  cutter.whole(host.window, device.window);
  cutter.whole(host.perm, device.perm);
  cutter.whole(host.block_col, device.block_col);
  cutter.whole(host.step_col, device.step_col);
  cutter.whole(host.wide_col, device.wide_col);
  cutter.whole(host.present, device.present);
  cutter.whole(host.values.table, device.values.table);
  cutter.part(host.values.codes, device.values.codes,
              [start = host.chunk_start, b = host.block](std::uint64_t c) { return start.position(c) * b; });
  cutter.add_pieces(
      out, [plan](Stream stream) { return plan->find_rows(stream); },
      [plan](std::uint64_t first, std::uint64_t last, Stream stream) { return plan->expand(first, last, stream); });
  finish(out, task);
  return out;
}

}  // namespace spress::cuda
