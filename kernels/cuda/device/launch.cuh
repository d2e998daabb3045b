// What kernels share: launches that are checked, loads that tell the cache what comes again, sums over warps, positions
// of either width, and the definition of a format's product from one function template.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/values/values.hpp"
#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/spmv.hpp"

namespace spress::cuda {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned whole_warp = 0xFFFFFFFFu;

/// Blocks that give `items` threads (or warps, for items per block = warps of a block), at most what a grid holds:
/// kernels go on with a stride where a matrix has more.
[[nodiscard]] inline unsigned blocks_for(std::uint64_t items, std::uint64_t items_per_block) {
  return static_cast<unsigned>(std::min<std::uint64_t>((items + items_per_block - 1) / items_per_block, 0x7FFFFFFFu));
}

/// launch(kernel, grid, block, shared bytes, stream, arguments...): an empty grid launches nothing.
template <class... Parameters, class... Arguments>
[[nodiscard]] Status launch_with_shared(void (*kernel)(Parameters...), unsigned grid, unsigned block,
                                        std::size_t shared_bytes, Stream stream, Arguments&&... arguments) {
  if (grid == 0) return Ok{};
  kernel<<<grid, block, shared_bytes, stream>>>(std::forward<Arguments>(arguments)...);
  SPRESS_CUDA_TRY(cudaGetLastError());
  return Ok{};
}
/// The same without shared memory sized at run time.
template <class... Parameters, class... Arguments>
[[nodiscard]] Status launch(void (*kernel)(Parameters...), unsigned grid, unsigned block, Stream stream,
                            Arguments&&... arguments) {
  return launch_with_shared(kernel, grid, block, 0, stream, std::forward<Arguments>(arguments)...);
}

// --- Loads ---

/// What is read once in a product: it leaves x the cache.
template <class T>
__device__ __forceinline__ T load_once(const T* at) {
  return __ldcs(at);
}
/// What other threads read again, and nobody writes during the kernel: x, tables.
template <class T>
__device__ __forceinline__ T load_shared(const T* at) {
  return __ldg(at);
}

/// The same for x where rows ask for elements all over it: L2 keeps it, as far as it fits, while the matrix streams
/// past.
template <class T>
__device__ __forceinline__ T load_kept(const T* at) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  T value;
  if constexpr (sizeof(T) == 8)
    asm("ld.global.nc.L2::cache_hint.f64 %0, [%1], %2;" : "=d"(value) : "l"(at), "l"(policy));
  else
    asm("ld.global.nc.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(value) : "l"(at), "l"(policy));
  return value;
}

/// An accessor of a value store whose codes are read once and whose table is read all the time. load and decode are the
/// two halves of [], for kernels that have many codes on their way before they need the first value.
template <class Accessor>
struct OnDevice;

/// What stands for a code where every entry has the same value.
struct NoCode {};

template <class T, class Code>
struct OnDevice<CastAccessor<T, Code>> {
  const Code* codes;
  explicit OnDevice(CastAccessor<T, Code> a) : codes(a.codes) {}
  __device__ __forceinline__ Code load(std::uint64_t i) const { return load_once(codes + i); }
  __device__ __forceinline__ T decode(Code code) const { return static_cast<T>(code); }
  __device__ __forceinline__ T operator[](std::uint64_t i) const { return decode(load(i)); }
};
template <class T, class Code>
struct OnDevice<TableAccessor<T, Code>> {
  const Code* codes;
  const T* table;
  explicit OnDevice(TableAccessor<T, Code> a) : codes(a.codes), table(a.table) {}
  __device__ __forceinline__ Code load(std::uint64_t i) const { return load_once(codes + i); }
  __device__ __forceinline__ T decode(Code code) const { return load_shared(table + code); }
  __device__ __forceinline__ T operator[](std::uint64_t i) const { return decode(load(i)); }
};
/// The address of the one value of all entries, on the device; null for a pattern, whose value is 1.
template <class T>
struct IsoAddress {
  const T* value;
};
template <class T>
struct OnDevice<IsoAddress<T>> {
  const T* value;
  explicit OnDevice(IsoAddress<T> a) : value(a.value) {}
  __device__ __forceinline__ NoCode load(std::uint64_t) const { return {}; }
  __device__ __forceinline__ T decode(NoCode) const { return value == nullptr ? T(1) : load_shared(value); }
  __device__ __forceinline__ T operator[](std::uint64_t) const { return decode({}); }
};

/// The codes of a device accessor; NoCode where it has none.
template <class Values>
using CodeOf = decltype(std::declval<const Values&>().load(0));

/// Calls use(accessor), which returns R, with the device's accessor of a store there.
template <class T, class R, class Use>
[[nodiscard]] R with_device_accessor(const ValueStore<Viewed>& device, Use&& use) {
  R result = Error{ErrorCode::unsupported, "values of this type have no product on the device"};
  with_accessor<T, IsoAddress<T>>(device, [&]<class A>(A accessor) {
    static_cast<void>(result = use(OnDevice<A>(accessor)));  // nvcc takes the assignment for a discarded result
  });
  return result;
}

// --- Positions ---

/// An array of 32-bit or 64-bit positions on the device. The width is the same for all threads, so the branch is free.
struct DevicePositions {
  const void* data;
  bool wide;
  explicit DevicePositions(const Positions<Viewed>& positions)
      : data(positions.raw()), wide(positions.dtype() == DType::u64) {}
  __device__ __forceinline__ std::uint64_t operator[](std::uint64_t i) const {
    return wide ? __ldg(static_cast<const unsigned long long*>(data) + i)
                : __ldg(static_cast<const unsigned*>(data) + i);
  }
};

// --- Sums ---

/// The sum over groups of `width` neighbouring lanes (a power of two), in the first lane of each. All lanes take part.
template <unsigned width = warp_size, class T>
__device__ __forceinline__ T sum_over_lanes(T value) {
#pragma unroll
  for (unsigned step = width / 2; step > 0; step /= 2) value += __shfl_down_sync(whole_warp, value, step, width);
  return value;
}

/// The same where `width` is not known before; what the other lanes get is of no use.
template <class T>
__device__ __forceinline__ T sum_over_lanes(T value, unsigned width) {
  for (unsigned step = width / 2; step > 0; step /= 2) value += __shfl_down_sync(whole_warp, value, step);
  return value;
}

// --- Definition ---

/// Defines product<float, F> and product<double, F> from the template MAKE<T>(host, device), which stands in the same
/// file: for formats none of whose parameters chooses among products.
#define SPRESS_CUDA_PRODUCT(F, MAKE)                                                                                  \
  template <>                                                                                                         \
  Result<Product<float>> product<float, F>(const F<Viewed>& host, const F<Viewed>& device, const F<Owned>::Params&) { \
    return MAKE<float>(host, device);                                                                                 \
  }                                                                                                                   \
  template <>                                                                                                         \
  Result<Product<double>> product<double, F>(const F<Viewed>& host, const F<Viewed>& device,                          \
                                             const F<Owned>::Params&) {                                               \
    return MAKE<double>(host, device);                                                                                \
  }

}  // namespace spress::cuda
