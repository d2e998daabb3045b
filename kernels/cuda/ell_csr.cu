#include "formats/ell_csr.hpp"
#include "kernels/cuda/joints.cuh"
#include "kernels/cuda/slots.cuh"

namespace spress::cuda {
namespace {

/// What the kernel needs of the format, on the device.
struct Parts {
  std::uint64_t ell_warps, csr_warps;
  std::uint64_t ell_rows, ell_slots;
  std::uint32_t per_thread;
  DevicePositions warp_row, warp_start, csr_warp_start;
  const std::uint8_t* warp_width;
  const std::uint32_t* csr_warp_row;
  const std::uint32_t* col_idx;
  const std::uint32_t* row_perm;  // null for the identity

  explicit Parts(const EllCsr<Viewed>& a)
      : ell_warps(a.warp_width.size()),
        csr_warps(a.csr_warp_row.size()),
        ell_rows(a.ell_rows),
        ell_slots(a.ell_slots),
        per_thread(static_cast<std::uint32_t>(a.per_thread)),
        warp_row(a.warp_row),
        warp_start(a.warp_start),
        csr_warp_start(a.csr_warp_start),
        warp_width(a.warp_width.data()),
        csr_warp_row(a.csr_warp_row.data()),
        col_idx(a.col_idx.data()),
        row_perm(a.row_perm.empty() ? nullptr : a.row_perm.data()) {}

  __device__ __forceinline__ std::uint64_t row_of(std::uint64_t stored) const {
    return row_perm ? load_once(row_perm + stored) : stored;
  }
};

/// A warp of the ELL part: its lanes' sums, then those of the lanes of each row, which the first of them stores.
template <class T, class Values>
__device__ __forceinline__ void multiply_ell_warp(const Parts& a, const Values& values, std::uint64_t w, unsigned lane,
                                                  const T* x, T* y) {
  const std::uint64_t first_row = a.warp_row[w];
  const auto rows = static_cast<std::uint32_t>(a.warp_row[w + 1] - first_row);
  const std::uint32_t width = load_once(a.warp_width + w);
  const std::uint32_t threads = max(1u, (width + a.per_thread - 1) / a.per_thread);
  const std::uint32_t lanes = rows * threads, place = lane / threads;
  const std::uint32_t steps = lane < lanes ? (width + threads - 1) / threads : 0;
  const bool stores = lane < lanes && place * threads == lane;
  const std::uint64_t row = stores ? a.row_of(first_row + place) : 0;
  T sum = sum_slots(a.col_idx, values, {a.warp_start[w] + lane, lanes, steps}, x);
  sum = sum_over_places(sum, lane - place * threads, threads, 1);
  if (stores) y[row] = sum;
}

/// A warp of the CSR part: its sum stands for the whole row, or is one of several partial sums.
template <class T, class Values>
__device__ __forceinline__ void multiply_csr_warp(const Parts& a, const Values& values, std::uint64_t p, unsigned lane,
                                                  const T* x, T* partials, T* y) {
  const std::uint32_t row = load_shared(a.csr_warp_row + p);
  const bool alone = (p == 0 || load_shared(a.csr_warp_row + p - 1) != row) &&
                     (p + 1 == a.csr_warps || load_shared(a.csr_warp_row + p + 1) != row);
  const std::uint64_t first = a.csr_warp_start[p];
  const auto entries = static_cast<std::uint32_t>(a.csr_warp_start[p + 1] - first);
  const std::uint32_t steps = (entries + warp_size - 1 - lane) / warp_size;
  const T sum = sum_over_lanes(sum_slots(a.col_idx, values, {a.ell_slots + first + lane, warp_size, steps}, x));
  if (lane != 0) return;
  if (alone)
    y[a.row_of(a.ell_rows + row)] = sum;
  else
    partials[p] = sum;
}

/// Both parts in one launch: the long rows first, since their warps take longest.
template <class T, class Values>
__global__ void __launch_bounds__(128) multiply_parts(Parts a, Values values, T* partials, const T* x, T* y) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (blockDim.x / warp_size);
  std::uint64_t item = std::uint64_t{blockIdx.x} * (blockDim.x / warp_size) + threadIdx.x / warp_size;
  for (; item < a.csr_warps + a.ell_warps; item += stride) {
    if (item < a.csr_warps)
      multiply_csr_warp(a, values, item, lane, x, partials, y);
    else
      multiply_ell_warp(a, values, item - a.csr_warps, lane, x, y);
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

template <class T>
Result<Product<T>> make(const EllCsr<Viewed>& host, const EllCsr<Viewed>& device) {
  const auto list = find_joints(host);
  SPRESS_TRY(const auto joints, Joints<T>::make(list, list.empty() ? 0 : host.csr_warp_row.size(), 1));
  Product<T> out;
  out.kernel = "warps of both parts in one launch";
  if (!joints.empty()) out.kernel += ", long rows by several";
  out.multiply = [parts = Parts(device), values = device.values, joints](const T* x, T* y, Stream stream) -> Status {
    constexpr unsigned threads = 128;
    SPRESS_CHECK((with_device_accessor<T, Status>(values, [&]<class Values>(Values accessor) {
      return launch(multiply_parts<T, Values>, blocks_for(parts.csr_warps + parts.ell_warps, threads / warp_size),
                    threads, stream, parts, accessor, joints.partials(), x, y);
    })));
    return joints.finish(parts.row_perm, false, y, stream);
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(EllCsr, make)

}  // namespace spress::cuda
