#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "formats/amb.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

constexpr std::uint32_t lanes = Amb<>::lanes;
static_assert(lanes == warp_size);
constexpr unsigned block_threads = 256, blocks_at_once = 4;  // told the latter, the compiler spends registers on loads
/// Steps that one warp takes at most: a chunk with a row of many entries is shared by several.
constexpr std::uint32_t piece_steps = 256;

/// Steps [first, last) of a chunk.
struct alignas(16) Piece {
  std::uint64_t chunk;
  std::uint32_t first, last;
};

template <class Values>
struct Matrix {
  DevicePositions chunk_start;
  const std::uint32_t* chunk_length;
  const std::uint16_t* window;
  const std::uint16_t* perm;
  const std::uint16_t* block_col;
  const std::uint32_t* present;  // null where every block is full
  std::uint32_t block, segment, sigma;
  Values values;

  Matrix(const Amb<Viewed>& a, const Values& v)
      : chunk_start(a.chunk_start),
        chunk_length(a.chunk_length.data()),
        window(a.window.data()),
        perm(a.perm.data()),
        block_col(a.block_col.data()),
        present(a.present.empty() ? nullptr : a.present.data()),
        block(a.block),
        segment(a.segment),
        sigma(a.sigma),
        values(v) {}
};

/// True where code 0, which fills up the blocks, is the number 0: then it is multiplied, as in the paper.
template <class Values>
inline constexpr bool zero_is_zero = false;
template <class T, class Code>
inline constexpr bool zero_is_zero<OnDevice<CastAccessor<T, Code>>> = true;

/// Steps that are on their way at once: as many as make up some ten columns.
template <unsigned block>
inline constexpr unsigned batch = block <= 2   ? 4
                                  : block == 3 ? 3
                                  : block <= 5 ? 2
                                               : 1;

/// The sum of one lane over `steps` steps from block slot `slot` on, which is that of lane 0. x: of the segment.
/// block: of the matrix, or 0 for any. Steps behind the last one are the last one again, loaded in vain: loads that
/// depend on a condition would wait for one another.
template <unsigned block, class T, class Values>
__device__ __forceinline__ T sum_steps(const Matrix<Values>& a, std::uint64_t slot, std::uint32_t steps, const T* x) {
  constexpr unsigned many = batch<block>, columns = block == 0 ? 1 : block;
  using Code = decltype(a.values.load(0));
  const unsigned lane = threadIdx.x % lanes;
  const std::uint32_t width = block == 0 ? a.block : block;
  const bool holes = !zero_is_zero<Values> && a.present != nullptr;
  T sum = 0;
  for (std::uint32_t k = 0; k < steps; k += many) {
    const std::uint64_t step = slot / lanes + k;
    const std::uint32_t last = steps - 1 - k;
    std::uint32_t ids[many];
    bool used[many];
#pragma unroll
    for (unsigned u = 0; u < many; ++u) ids[u] = load_once(a.block_col + (step + min(u, last)) * lanes + lane);
#pragma unroll
    for (unsigned u = 0; u < many; ++u) {
      used[u] = u <= last && ids[u] != Amb<>::no_block;
      if (ids[u] == Amb<>::no_block) ids[u] = 0;
    }
    for (std::uint32_t from = 0; from < width; from += columns) {
      Code codes[many][columns];
      std::uint32_t entries[many][columns];
      T factors[many][columns];
#pragma unroll
      for (unsigned u = 0; u < many; ++u)
#pragma unroll
        for (unsigned t = 0; t < columns; ++t) {
          const std::uint64_t at = (step + min(u, last)) * width + from + t;
          codes[u][t] = a.values.load(at * lanes + lane);
          entries[u][t] = holes ? load_once(a.present + at) : whole_warp;
        }
#pragma unroll
      for (unsigned u = 0; u < many; ++u)
#pragma unroll
        for (unsigned t = 0; t < columns; ++t) factors[u][t] = load_shared(x + ids[u] + from + t);
#pragma unroll
      for (unsigned u = 0; u < many; ++u)
#pragma unroll
        for (unsigned t = 0; t < columns; ++t) {
          const T next = sum + a.values.decode(codes[u][t]) * factors[u][t];
          if (used[u] && (entries[u][t] >> lane & 1) != 0) sum = next;
        }
    }
  }
  return sum;
}

/// A warp a chunk, or a piece of one where there are pieces. add: to what stands in y, since rows come in several
/// chunks; otherwise every row is in one.
template <unsigned block, class T, class Values>
__global__ void __launch_bounds__(block_threads, blocks_at_once)
    multiply_chunks(Matrix<Values> a, std::uint64_t count, const Piece* pieces, bool add, const T* x, T* y) {
  const unsigned lane = threadIdx.x % lanes;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block_threads / lanes);
  for (std::uint64_t w = std::uint64_t{blockIdx.x} * (block_threads / lanes) + threadIdx.x / lanes; w < count;
       w += stride) {
    const std::uint64_t chunk = pieces ? pieces[w].chunk : w;
    const std::uint32_t length = load_shared(a.chunk_length + chunk);
    const std::uint32_t first = pieces ? pieces[w].first : 0, last = pieces ? pieces[w].last : length & 0xFFFFu;
    const std::uint32_t row = load_once(a.perm + chunk * lanes + lane);
    T* window = y + std::uint64_t{load_shared(a.window + chunk)} * a.sigma;
    const T sum = sum_steps<block>(a, a.chunk_start[chunk] + std::uint64_t{first} * lanes, last - first,
                                   x + std::uint64_t{length >> 16} * a.segment);
    if (row == Amb<>::no_row) continue;
    if (add)
      atomicAdd(window + row, sum);
    else
      window[row] = sum;
  }
}

/// Pieces of all chunks, or none where no chunk is long.
std::vector<Piece> cut(const Amb<Viewed>& host) {
  std::vector<Piece> pieces;
  const auto long_chunk = [&](std::uint64_t c) { return host.steps(c) > piece_steps; };
  bool any = false;
  for (std::uint64_t c = 0; c < host.chunks && !any; ++c) any = long_chunk(c);
  for (std::uint64_t c = 0; c < host.chunks && any; ++c)
    for (std::uint32_t k = 0; k < host.steps(c); k += piece_steps)
      pieces.push_back({c, k, std::min<std::uint32_t>(k + piece_steps, host.steps(c))});
  return pieces;
}

/// In how many pieces the entries of a row are at most; 3 stands for more than that as well.
unsigned most_pieces_of_a_row(const Amb<Viewed>& host) {
  std::vector<std::uint8_t> pieces(host.rows, 0);
  unsigned most = 0;
  for (std::uint64_t c = 0; c < host.chunks && most < 3; ++c) {
    const std::uint32_t more = (host.steps(c) + piece_steps - 1) / piece_steps;
    for (std::uint32_t j = 0; j < lanes && host.perm[lanes * c + j] != Amb<>::no_row; ++j) {
      auto& count = pieces[host.first_row(c) + host.perm[lanes * c + j]];
      count = static_cast<std::uint8_t>(std::min(count + more, 3u));
      most = std::max<unsigned>(most, count);
    }
  }
  return most;
}

/// What a product launches, beside the matrix.
struct Plan {
  std::uint64_t count = 0;               // of warps
  std::shared_ptr<DeviceMemory> pieces;  // or none
  bool add = false, clear = false;
};

/// True for the stores whose kernels are made for every block size: the values themselves and the small table. Those of
/// others are made for small blocks only; larger ones take the kernel for any size.
template <class Values>
inline constexpr bool every_block = false;
template <class T>
inline constexpr bool every_block<OnDevice<CastAccessor<T, T>>> = true;
template <class T>
inline constexpr bool every_block<OnDevice<TableAccessor<T, std::uint8_t>>> = true;

/// Calls use with a kernel for blocks of `block` columns, trying from `from` on.
template <class T, class Values, unsigned from = 1, class Use>
Status with_kernel(std::uint32_t block, const Use& use) {
  if constexpr (from > (every_block<Values> ? Amb<>::largest_block : 3)) {
    return use(multiply_chunks<0, T, Values>);
  } else {
    if (block == from) return use(multiply_chunks<from, T, Values>);
    return with_kernel<T, Values, from + 1>(block, use);
  }
}

template <class T, class Values>
Status multiply(const Amb<Viewed>& device, const Plan& plan, const Values& values, const T* x, T* y, Stream stream) {
  return with_kernel<T, Values>(device.block, [&](auto kernel) {
    return launch(kernel, blocks_for(plan.count, block_threads / lanes), block_threads, stream,
                  Matrix<Values>(device, values), plan.count, plan.pieces ? plan.pieces->as<Piece>() : nullptr,
                  plan.add, x, y);
  });
}

template <class T>
Result<Product<T>> make(const Amb<Viewed>& host, const Amb<Viewed>& device) {
  const auto pieces = cut(host);
  const unsigned most = most_pieces_of_a_row(host);
  Plan plan;
  plan.count = pieces.empty() ? host.chunks : pieces.size();
  plan.add = most > 1;
  plan.clear = plan.add || host.used_lanes < host.rows;
  if (!pieces.empty()) {
    SPRESS_TRY(DeviceMemory list, upload(std::span<const Piece>(pieces), "the list of pieces"));
    plan.pieces = std::make_shared<DeviceMemory>(std::move(list));
  }
  Product<T> out;
  out.kernel = std::string(pieces.empty() ? "warp per chunk" : "warps per chunk") + ", blocks of " +
               std::to_string(host.block) + (plan.add ? ", sums added" : "");
  out.repeatable = most <= 2;  // 0 + a + b is 0 + b + a
  out.multiply = [device, plan](const T* x, T* y, Stream stream) -> Status {
    if (plan.clear) SPRESS_CHECK(fill_bytes(y, 0, device.rows * sizeof(T), stream));
    return with_device_accessor<T, Status>(
        device.values, [&]<class Values>(Values values) { return multiply(device, plan, values, x, y, stream); });
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(Amb, make)

}  // namespace spress::cuda
