#include "formats/padded/ell_csr.hpp"
#include "kernels/cuda/shared/partial_sums.cuh"
#include "kernels/cuda/shared/strided_sums.cuh"

namespace spress::cuda {
namespace {

/// What the kernel needs of the format, on the device.
struct Parts {
  std::uint32_t ell_warps, csr_warps;
  std::uint32_t ell_rows;
  std::uint64_t ell_slots;
  std::uint32_t per_thread;
  DevicePositions warp_row, warp_start, csr_warp_start;
  const std::uint8_t* warp_width;
  const std::uint32_t* csr_warp_row;
  const std::uint32_t* col_idx;
  const std::uint32_t* row_perm;  // null for the identity

  explicit Parts(const EllCsr<Viewed>& a)
      : ell_warps(static_cast<std::uint32_t>(a.warp_width.size())),
        csr_warps(static_cast<std::uint32_t>(a.csr_warp_row.size())),
        ell_rows(static_cast<std::uint32_t>(a.ell_rows)),
        ell_slots(a.ell_slots),
        per_thread(static_cast<std::uint32_t>(a.per_thread)),
        warp_row(a.warp_row),
        warp_start(a.warp_start),
        csr_warp_start(a.csr_warp_start),
        warp_width(a.warp_width.data()),
        csr_warp_row(a.csr_warp_row.data()),
        col_idx(a.col_idx.data()),
        row_perm(a.row_perm.empty() ? nullptr : a.row_perm.data()) {}

  __device__ __forceinline__ std::uint32_t row_of(std::uint32_t stored) const {
    return row_perm ? load_once(row_perm + stored) : stored;
  }
  /// CSR warp p has only a part of its row.
  __device__ __forceinline__ bool shares_row(std::uint32_t p) const {
    const std::uint32_t row = load_shared(csr_warp_row + p);
    return (p != 0 && load_shared(csr_warp_row + p - 1) == row) ||
           (p + 1 != csr_warps && load_shared(csr_warp_row + p + 1) == row);
  }
};

/// A warp's share: what its lanes sum, and how the sums of `threads` neighbouring lanes become those of rows.
struct WarpTask {
  LaneSlots slots;
  std::uint32_t turns = 0;  // no lane has more slots
  std::uint32_t threads = warp_size;
  std::uint32_t place = 0;  // of this lane among those of its row
  bool stores = false;      // this lane has the sum of a row
  std::uint32_t stored_row = 0;
};

__device__ __forceinline__ WarpTask ell_task(const Parts& a, std::uint32_t w, unsigned lane) {
  const auto first_row = static_cast<std::uint32_t>(a.warp_row[w]);
  const std::uint32_t rows = static_cast<std::uint32_t>(a.warp_row[w + 1]) - first_row;
  const std::uint32_t width = load_once(a.warp_width + w);
  WarpTask out;
  out.threads = max(1u, (width + a.per_thread - 1) / a.per_thread);
  const std::uint32_t lanes = rows * out.threads, steps = (width + out.threads - 1) / out.threads;
  const std::uint32_t row = out.threads == 1 ? lane : lane / out.threads;
  out.place = lane - row * out.threads;
  out.stores = lane < lanes && out.place == 0;
  out.stored_row = first_row + row;
  out.turns = steps;
  out.slots = {a.warp_start[w] + lane, lanes, lane < lanes ? steps : 0};
  return out;
}

/// Each of `pieces` groups of lanes takes a CSR warp of the format: those from item * pieces on.
template <unsigned pieces>
__device__ __forceinline__ WarpTask csr_task(const Parts& a, std::uint32_t item, unsigned lane) {
  constexpr unsigned threads = warp_size / pieces;
  const std::uint32_t p = item * pieces + lane / threads;
  const bool exists = pieces == 1 || p < a.csr_warps;
  const std::uint64_t first = exists ? a.csr_warp_start[p] : 0;
  const auto entries = exists ? static_cast<std::uint32_t>(a.csr_warp_start[p + 1] - first) : 0;
  WarpTask out;
  out.threads = threads;
  out.place = lane % threads;
  out.stores = exists && out.place == 0;
  out.stored_row = a.ell_rows + (exists ? load_shared(a.csr_warp_row + p) : 0);
  out.turns = (entries + threads - 1) / threads;
  if (pieces != 1) out.turns = __reduce_max_sync(whole_warp, out.turns);
  out.slots = {a.ell_slots + first + out.place, threads, (entries + threads - 1 - out.place) / threads};
  return out;
}

/// Threads of a block, and blocks for which a multiprocessor shall have registers. Where each block fills a table, few
/// large ones; else small ones, which come and go with less waiting, and which have the registers that keep the loop
/// from spilling.
struct BlockShape {
  unsigned threads, resident;
};
template <class Values, unsigned batch>
inline constexpr BlockShape block_shape = NearValues<Values>::shared_bytes != 0 ? BlockShape{slot_threads, slot_blocks}
                                          : batch == slot_batch                 ? BlockShape{256, 6}
                                                                                : BlockShape{128, 8};

/// The sum of a lane's slots. Where every lane has one in each step, as in the CSR part and where each thread has a
/// row, their distance is known when this is compiled.
template <unsigned batch, class T, class Values>
__device__ __forceinline__ T sum_task(const std::uint32_t* col_idx, const Values& values, const WarpTask& task,
                                      const T* x) {
  LaneSlots slots = task.slots;
  if (slots.stride != warp_size) return sum_slots<false, batch>(col_idx, values, slots, task.turns, x);
  slots.stride = warp_size;
  return sum_slots<false, batch>(col_idx, values, slots, task.turns, x);
}

/// Both parts in one launch: the long rows first, since their warps take longest. A row of the CSR part that several
/// warps of the format share is left to Joints, as partial sums. batch: slots of a lane on their way at once.
template <unsigned batch, unsigned pieces, class T, class Values>
__global__ void __launch_bounds__(block_shape<Values, batch>.threads, block_shape<Values, batch>.resident)
    multiply_parts(Parts a, Values stored_values, std::uint32_t table_size, T* partials, const T* x, T* y) {
  constexpr unsigned threads = block_shape<Values, batch>.threads;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const NearValues<Values> values(stored_values, table_size, shared_bytes);
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint32_t csr_items = (a.csr_warps + pieces - 1) / pieces;
  for (std::uint32_t item = first_item<threads>(); item < csr_items + a.ell_warps; item += item_stride<threads>()) {
    const bool csr = item < csr_items;
    const WarpTask task = csr ? csr_task<pieces>(a, item, lane) : ell_task(a, item - csr_items, lane);
    const bool shared = pieces == 1 && csr && a.shares_row(item);
    const std::uint32_t row = task.stores && !shared ? a.row_of(task.stored_row) : 0;
    T sum = sum_task<batch>(a.col_idx, values, task, x);
    sum = sum_over_places(sum, task.place, task.threads, 1);
    if (!task.stores) continue;
    if (shared)
      partials[item] = sum;
    else
      y[row] = sum;
  }
}

/// The rows of the CSR part that take more than one warp.
[[nodiscard]] std::vector<Joint> find_joints(const EllCsr<Viewed>& host) {
  std::vector<Joint> joints;
  const auto& row = host.csr_warp_row;
  for (std::uint64_t p = 0, next; p < row.size(); p = next) {
    for (next = p + 1; next < row.size() && row[next] == row[p];) ++next;
    if (next - p == 1) continue;
    joints.push_back({.first_piece = p,
                      .first_row = static_cast<std::uint32_t>(host.ell_rows + row[p]),
                      .pieces = static_cast<std::uint32_t>(next - p)});
  }
  return joints;
}

/// Which of the kernels a matrix takes.
struct Way {
  bool long_units;  // the warps take many turns each
  unsigned pieces;  // CSR warps of the format to each
  [[nodiscard]] std::uint64_t items(const EllCsr<Viewed>& host) const {
    return host.warp_width.size() + (host.csr_warp_row.size() + pieces - 1) / pieces;
  }
};

/// Where CSR rows are short and none is cut, a warp takes several, so that each lane has more than one slot on its way.
/// That pays while the device holds at least half of the warps at once; of more, others work while one waits, and the
/// whole sectors that 32 lanes read count more.
inline constexpr unsigned pieces_together = 8;
inline constexpr std::uint64_t rounds_together = 2;

[[nodiscard]] Way way_of(const EllCsr<Viewed>& host, bool any_joints) {
  std::uint64_t turns = 0, longest = 0;
  for (std::uint64_t w = 0; w < host.warp_width.size(); ++w) turns += ell_warp(host, w).steps;
  for (std::uint64_t p = 0; p < host.csr_warp_row.size(); ++p) {
    const std::uint64_t entries = host.csr_warp_start.position(p + 1) - host.csr_warp_start.position(p);
    longest = std::max(longest, entries);
    turns += (entries + warp_size - 1) / warp_size;
  }
  const bool together = !any_joints && longest <= long_unit_turns * (warp_size / pieces_together);
  return {are_long_units(turns, host.warp_width.size() + host.csr_warp_row.size()), together ? pieces_together : 1};
}

template <class T, class Values>
struct PartsKernel {
  void (*function)(Parts, Values, std::uint32_t, T*, const T*, T*);
  unsigned threads;  // of a block
};

template <class T, class Values>
[[nodiscard]] PartsKernel<T, Values> kernel_for(const Way& way) {
  constexpr unsigned batch = batch_of_long_units<Values>;
  constexpr unsigned threads = block_shape<Values, slot_batch>.threads;
  if (way.long_units && batch != slot_batch)
    return {way.pieces == 1 ? multiply_parts<batch, 1, T, Values> : multiply_parts<batch, pieces_together, T, Values>,
            block_shape<Values, batch>.threads};
  return {way.pieces == 1 ? multiply_parts<slot_batch, 1, T, Values>
                          : multiply_parts<slot_batch, pieces_together, T, Values>,
          threads};
}

/// Warps of the kernel that the device holds at once.
template <class T>
[[nodiscard]] Result<std::uint64_t> resident_warps(const ValueStore<Viewed>& values, const Way& way) {
  return with_device_accessor<T, Result<std::uint64_t>>(values, [&]<class Values>(Values) -> Result<std::uint64_t> {
    const auto kernel = kernel_for<T, Values>(way);
    SPRESS_TRY(const unsigned blocks,
               resident_blocks(kernel.function, kernel.threads, NearValues<Values>::shared_bytes));
    return std::uint64_t{blocks} * kernel.threads / warp_size;
  });
}

template <class T>
Result<Product<T>> make(const EllCsr<Viewed>& host, const EllCsr<Viewed>& device) {
  const auto list = find_joints(host);
  SPRESS_TRY(const auto joints, Joints<T>::make(list, list.empty() ? 0 : host.csr_warp_row.size(), 1));
  const Parts parts(device);
  Way way = way_of(host, !joints.empty());
  SPRESS_TRY(const std::uint64_t resident, (resident_warps<T>(device.values, way)));
  if (way.items(host) > rounds_together * resident) way.pieces = 1;
  SPRESS_TRY(const unsigned blocks,
             (with_device_accessor<T, Result<unsigned>>(device.values, [&]<class Values>(Values) {
               const auto kernel = kernel_for<T, Values>(way);
               return slot_blocks_for<Values>(kernel.function, way.items(host), kernel.threads);
             })));
  Product<T> out;
  out.kernel = "warps of both parts in one launch";
  if (way.pieces != 1 && !host.csr_warp_row.empty()) out.kernel += ", long rows by fewer lanes";
  if (!joints.empty()) out.kernel += ", long rows by several";
  out.multiply = [parts, store = device.values, joints, blocks, way](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK((with_device_accessor<T, Status>(store, [&]<class Values>(Values values) {
      const auto kernel = kernel_for<T, Values>(way);
      return launch_with_shared(kernel.function, blocks, kernel.threads, NearValues<Values>::shared_bytes, stream,
                                parts, values, table_size(store), joints.partials(), x, y);
    })));
    return joints.finish(parts.row_perm, false, y, stream);
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(EllCsr, make)

}  // namespace spress::cuda
