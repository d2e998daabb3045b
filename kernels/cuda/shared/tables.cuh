// Tables of values in shared memory, without waiting for banks.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

/// At most 256 values in shared memory, each once in every bank: lanes that read different ones never wait for one
/// another, as they would for a bank or a cache line. Filling it costs as much as some thousand entries, so blocks
/// should have many.
template <class T>
class BankedTable {
 public:
  static constexpr unsigned copies = 32 * 4 / sizeof(T);  // banks of 4 bytes
  static constexpr unsigned bytes = 256 * copies * sizeof(T);

  /// shared: `bytes` of shared memory, aligned to T, which fill has filled or will have before any value is read.
  __device__ __forceinline__ explicit BankedTable(const void* shared)
      : own_(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared)) + threadIdx.x % copies * sizeof(T)) {
    asm volatile("" : "+r"(own_));  // else it is worked out again for each value
  }

  /// All threads of the block take part. size: values of the table; value_of(code): each of them.
  template <class ValueOf>
  static __device__ __forceinline__ void fill(std::uint32_t size, void* shared, const ValueOf& value_of) {
    for (unsigned i = threadIdx.x; i < size * copies; i += blockDim.x)
      static_cast<T*>(shared)[i] = value_of(i / copies);
    __syncthreads();
  }
  /// The same with a table that stands in global memory.
  static __device__ __forceinline__ void fill(const T* table, std::uint32_t size, void* shared) {
    fill(size, shared, [=](unsigned code) { return load_shared(table + code); });
  }
  /// Requires: code < 256.
  __device__ __forceinline__ T operator[](std::uint32_t code) const {
    std::uint32_t address;  // told as one instruction: codes that are known to have a byte would be masked again
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(address) : "r"(code), "n"(copies * sizeof(T)), "r"(own_));
    return at(address);
  }
  /// By one of the four bytes of `codes`, 0 being the lowest: a dot product of bytes takes it out and makes it an
  /// address.
  __device__ __forceinline__ T of_byte(std::uint32_t codes, unsigned byte) const {
    static_assert(copies * sizeof(T) < 256);
    return at(__dp4a(codes, static_cast<std::uint32_t>(copies * sizeof(T)) << 8 * byte, own_));
  }

 private:
  static __device__ __forceinline__ T at(std::uint32_t address) {
    T value;
    if constexpr (sizeof(T) == 8)
      asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(address));
    else
      asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address));
    return value;
  }

  std::uint32_t own_;  // in shared memory: the copies in this lane's bank
};

/// Values as a kernel reads them, with load and decode. Stores without a table of 8-bit codes are taken as they are.
template <class Values>
struct NearValues {
  static constexpr unsigned shared_bytes = 0;
  Values values;

  __device__ __forceinline__ NearValues(const Values& v, std::uint32_t, void*) : values(v) {}
  __device__ __forceinline__ auto load(std::uint64_t i) const { return values.load(i); }
  __device__ __forceinline__ auto decode(decltype(values.load(0)) code) const { return values.decode(code); }
};

/// A table of 8-bit codes stands in shared memory.
template <class T>
struct NearValues<OnDevice<TableAccessor<T, std::uint8_t>>> {
  using Values = OnDevice<TableAccessor<T, std::uint8_t>>;
  static constexpr unsigned shared_bytes = BankedTable<T>::bytes;
  Values values;
  BankedTable<T> table;

  /// All threads of the block take part. size: of the table; shared: shared_bytes of shared memory, aligned to T.
  __device__ __forceinline__ NearValues(const Values& v, std::uint32_t size, void* shared) : values(v), table(shared) {
    BankedTable<T>::fill(v.table, size, shared);
  }
  __device__ __forceinline__ const std::uint8_t* codes() const { return values.codes; }
  __device__ __forceinline__ std::uint8_t load(std::uint64_t i) const { return values.load(i); }
  __device__ __forceinline__ T decode(std::uint8_t code) const { return table[code]; }
};

/// True for tables of 8-bit codes in shared memory.
template <class Values>
inline constexpr bool has_near_table = false;
template <class T>
inline constexpr bool has_near_table<NearValues<OnDevice<TableAccessor<T, std::uint8_t>>>> = true;

/// Blocks of a kernel that the device holds at once: the grid of one that fills a table first, or brings its work in
/// ahead, and takes item after item. Allows the kernel its shared memory, or leaves it what it has where that is more:
/// other products of it may still be alive. Errors: unsupported where one block alone needs more than there is.
template <class... Parameters>
[[nodiscard]] Result<unsigned> resident_blocks(void (*kernel)(Parameters...), unsigned block,
                                               std::size_t shared_bytes) {
  int device = 0, multiprocessors = 0, most_bytes = 0, blocks = 0;
  cudaFuncAttributes attributes{};
  SPRESS_CUDA_TRY(cudaGetDevice(&device));
  SPRESS_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  SPRESS_CUDA_TRY(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  SPRESS_CUDA_TRY(cudaFuncGetAttributes(&attributes, kernel));
  const std::size_t allowed = static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes);
  if (shared_bytes > allowed && shared_bytes + attributes.sharedSizeBytes <= static_cast<std::size_t>(most_bytes))
    SPRESS_CUDA_TRY(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
  SPRESS_CUDA_TRY(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(block), shared_bytes));
  if (blocks > 0) return static_cast<unsigned>(multiprocessors * blocks);
  return Error{ErrorCode::unsupported, "no multiprocessor of this device has " + std::to_string(shared_bytes) +
                                           " bytes of shared memory for " + std::to_string(block) + " threads"};
}

}  // namespace spress::cuda
