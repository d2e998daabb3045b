#include "formats/ell_csr.hpp"
#include "kernels/cuda/joints.cuh"
#include "kernels/cuda/slots.cuh"

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
  const std::uint32_t row = lane / out.threads;
  out.place = lane - row * out.threads;
  out.stores = lane < lanes && out.place == 0;
  out.stored_row = first_row + row;
  out.turns = steps;
  out.slots = {a.warp_start[w] + lane, lanes, lane < lanes ? steps : 0};
  return out;
}

__device__ __forceinline__ WarpTask csr_task(const Parts& a, std::uint32_t p, unsigned lane) {
  const std::uint64_t first = a.csr_warp_start[p];
  const auto entries = static_cast<std::uint32_t>(a.csr_warp_start[p + 1] - first);
  WarpTask out;
  out.place = lane;
  out.stores = lane == 0;
  out.stored_row = a.ell_rows + load_shared(a.csr_warp_row + p);
  out.turns = (entries + warp_size - 1) / warp_size;
  out.slots = {a.ell_slots + first + lane, warp_size, (entries + warp_size - 1 - lane) / warp_size};
  return out;
}

/// Threads of a block, and blocks for which a multiprocessor shall have registers. Long units take the blocks of
/// slots.cuh. Others take few large blocks where each fills a table, else smaller ones, which come and go with less
/// waiting, and which have the registers that keep the loop from spilling.
template <class Values, unsigned batch>
inline constexpr bool small_blocks = batch == slot_batch&& NearValues<Values>::shared_bytes == 0;
template <class Values, unsigned batch>
inline constexpr unsigned part_threads = small_blocks<Values, batch> ? 256 : slot_threads;
template <class Values, unsigned batch>
inline constexpr unsigned part_blocks = batch != slot_batch           ? long_unit_blocks
                                        : small_blocks<Values, batch> ? 6
                                                                      : slot_blocks;

/// Both parts in one launch: the long rows first, since their warps take longest. A row of the CSR part that several
/// warps share is left to Joints, as partial sums. batch: slots of a lane on their way at once.
template <unsigned batch, class T, class Values>
__global__ void __launch_bounds__(part_threads<Values, batch>, part_blocks<Values, batch>)
    multiply_parts(Parts a, Values stored_values, std::uint32_t table_size, T* partials, const T* x, T* y) {
  constexpr unsigned threads = part_threads<Values, batch>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const NearValues<Values> values(stored_values, table_size, shared_bytes);
  const unsigned lane = threadIdx.x % warp_size;
  for (std::uint32_t item = first_item<threads>(); item < a.csr_warps + a.ell_warps; item += item_stride<threads>()) {
    const bool csr = item < a.csr_warps;
    const WarpTask task = csr ? csr_task(a, item, lane) : ell_task(a, item - a.csr_warps, lane);
    const bool shared = csr && a.shares_row(item);
    const std::uint32_t row = task.stores && !shared ? a.row_of(task.stored_row) : 0;
    T sum = sum_slots<false, batch>(a.col_idx, values, task.slots, task.turns, x);
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

/// Whether the warps of both parts take many turns each.
[[nodiscard]] bool has_long_units(const EllCsr<Viewed>& host) {
  std::uint64_t turns = 0;
  for (std::uint64_t w = 0; w < host.warp_width.size(); ++w) turns += ell_warp(host, w).steps;
  for (std::uint64_t p = 0; p < host.csr_warp_row.size(); ++p)
    turns += (host.csr_warp_start.position(p + 1) - host.csr_warp_start.position(p) + warp_size - 1) / warp_size;
  return are_long_units(turns, host.warp_width.size() + host.csr_warp_row.size());
}

template <class T, class Values>
struct PartsKernel {
  decltype(&multiply_parts<slot_batch, T, Values>) function;
  unsigned threads;  // of a block
};

template <class T, class Values>
[[nodiscard]] PartsKernel<T, Values> kernel_for(bool long_units) {
  constexpr unsigned batch = batch_of_long_units<Values>;
  if (long_units) return {multiply_parts<batch, T, Values>, part_threads<Values, batch>};
  return {multiply_parts<slot_batch, T, Values>, part_threads<Values, slot_batch>};
}

template <class T>
Result<Product<T>> make(const EllCsr<Viewed>& host, const EllCsr<Viewed>& device) {
  const auto list = find_joints(host);
  SPRESS_TRY(const auto joints, Joints<T>::make(list, list.empty() ? 0 : host.csr_warp_row.size(), 1));
  const Parts parts(device);
  const bool long_units = has_long_units(host);
  SPRESS_TRY(const unsigned blocks,
             (with_device_accessor<T, Result<unsigned>>(device.values, [&]<class Values>(Values) {
               const auto kernel = kernel_for<T, Values>(long_units);
               return slot_blocks_for<Values>(kernel.function, host.csr_warp_row.size() + host.warp_width.size(),
                                              kernel.threads);
             })));
  Product<T> out;
  out.kernel = "warps of both parts in one launch";
  if (!joints.empty()) out.kernel += ", long rows by several";
  out.multiply = [parts, store = device.values, joints, blocks, long_units](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK((with_device_accessor<T, Status>(store, [&]<class Values>(Values values) {
      const auto kernel = kernel_for<T, Values>(long_units);
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
