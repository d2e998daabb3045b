#include <cstring>

#include "formats/coo/bccoo.hpp"
#include "kernels/cuda/coo/boundary_rows.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/bytes.cuh"

namespace spress::cuda {
namespace {

using namespace bccoo;

template <class T>
__device__ __forceinline__ T load_value(const std::uint8_t* at) {
  std::uint32_t words[sizeof(T) / 4];
  for (unsigned w = 0; w < sizeof(T) / 4; ++w) words[w] = read_bytes<4>(at + 4 * w);
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
        col += read_bytes<2>(at);
        at += 2;
      } else {
        col = read_bytes<4>(at);
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
