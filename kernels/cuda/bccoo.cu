#include <cstring>

#include "formats/bccoo.hpp"
#include "kernels/cuda/carries.cuh"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

using namespace bccoo;

/// `bytes` (at most 4) of a stream, little-endian. Words are aligned: what is read lies in the words of these bytes,
/// for which packed_view leaves room.
template <unsigned bytes>
__device__ __forceinline__ std::uint32_t load_bytes(const std::uint8_t* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto skip = static_cast<unsigned>(address % 4);
  const auto* words = reinterpret_cast<const std::uint32_t*>(address - skip);
  const std::uint32_t low = load_shared(words), high = skip + bytes > 4 ? load_shared(words + 1) : 0;
  const std::uint32_t word = __funnelshift_r(low, high, 8 * skip);
  return bytes == 4 ? word : word & ((1u << 8 * (bytes % 4)) - 1);
}

template <class T>
__device__ __forceinline__ T load_value(const std::uint8_t* at) {
  std::uint32_t words[sizeof(T) / 4];
  for (unsigned w = 0; w < sizeof(T) / 4; ++w) words[w] = load_bytes<4>(at + 4 * w);
  T value;
  std::memcpy(&value, words, sizeof value);
  return value;
}

template <class T>
struct Operands {
  std::uint64_t chunks, rows;
  const std::uint32_t* row;
  DevicePositions offset;
  const std::uint8_t* data;
  const T* lut;
  const T* x;
  T* y;
  T* first_sums;
};

inline constexpr unsigned chunk_threads = 64;

/// One thread a chunk: where a tuple begins is known only from the one before. width: bytes of a value, 0 of a pattern.
template <class T, unsigned width>
__global__ void __launch_bounds__(chunk_threads) multiply_chunks(Operands<T> a) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * chunk_threads;
  for (std::uint64_t h = std::uint64_t{blockIdx.x} * chunk_threads + threadIdx.x; h < a.chunks; h += stride) {
    const std::uint8_t *at = a.data + a.offset[h], *end = a.data + a.offset[h + 1];
    std::uint64_t row = load_once(a.row + h);
    T* target = h == 0 ? a.y + row : a.first_sums + h;
    T sum = 0;
    std::uint32_t col = 0;
    while (at < end) {
      const unsigned key = load_shared(at++), step = key & step_mask;
      if (step == end_of_row) {
        *target = sum;
        sum = 0;
        target = a.y + ++row;
        continue;
      }
      if (step < step_follows) {
        col += step;
      } else if (step == step_follows) {
        col += load_bytes<2>(at);
        at += 2;
      } else {
        col = load_bytes<4>(at);
        at += 4;
      }
      T value = 1;
      if (width != 0) {
        const bool in_table = (key & by_table) != 0;
        value = in_table ? load_shared(a.lut + load_shared(at)) : load_value<T>(at);
        at += in_table ? 1 : width;
      }
      sum += value * load_shared(a.x + col);
    }
    if (row < a.rows) *target = sum;
  }
}

template <class T>
Result<Product<T>> make(const Bccoo<Viewed>& host, const Bccoo<Viewed>& device) {
  const std::uint64_t chunks = host.row.size(), rows_before = chunks == 0 ? host.rows : host.row[0];
  // A chunk stores whatever it holds of the row in which the next one begins, be it nothing.
  SPRESS_TRY(const auto carries,
             Carries<T>::make(
                 chunks, [&](std::uint64_t h) { return host.row[h]; }, [](std::uint64_t h) { return h != 0; }));
  Product<T> out;
  out.kernel = "chunk per thread";
  out.multiply = [device, carries, chunks, rows_before](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK(fill_bytes(y, 0, rows_before * sizeof(T), stream));
    const bool pattern = device.value_type == ValueType::none;
    const Operands<T> operands = {chunks,
                                  device.rows,
                                  device.row.data(),
                                  DevicePositions(device.offset),
                                  device.data.data(),
                                  pattern ? nullptr : device.lut.template as<T>(),
                                  x,
                                  y,
                                  carries.first_sums()};
    SPRESS_CHECK(launch(pattern ? multiply_chunks<T, 0> : multiply_chunks<T, sizeof(T)>,
                        blocks_for(chunks, chunk_threads), chunk_threads, stream, operands));
    return carries.finish(y, stream);
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(Bccoo, make)

}  // namespace spress::cuda
