#include <cuda_pipeline.h>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "formats/bccoo_gpu.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

using namespace bccoo_gpu;

/// What one warp takes: entries of one chunk, all of it where it is short.
struct alignas(16) Piece {
  std::uint64_t begin;      // of its tuples in data
  std::uint32_t row;        // of the chunk
  std::uint32_t column;     // of the chunk
  std::uint32_t first_row;  // of its first entry
  std::uint32_t next_row;   // of the next piece's first entry; behind the last piece the last row of the matrix
  std::uint32_t entries;
  std::uint32_t format;
};

constexpr std::uint32_t piece_entries = 512;
constexpr unsigned unit = 16;                                // bytes that one asynchronous copy moves
constexpr unsigned warps_per_block = 4, blocks_at_once = 8;  // told the latter, the compiler spends registers on loads

/// Piece p leaves in first_sums[p] what it holds of the row in which it begins, and stores y for every row behind that
/// one up to the row in which the next piece begins: what it holds of that row. So every row but those up to the first
/// entry's is stored once, and what is missing is added from first_sums.
template <class T>
struct Task {
  const std::uint8_t* data;
  std::uint64_t data_bytes;
  const Piece* pieces;
  std::uint64_t count;
  std::uint32_t buffer;  // bytes of a warp's part of the shared memory
  const T* lut;
  const T* x;
  T* y;
  T* first_sums;
};

// --- Tuples out of shared memory ---

/// Consecutive tuples of one lane: as few as fill whole words, and an odd number of them, so that the lanes of a warp
/// read from different banks.
template <class Tuple>
struct Run {
  static constexpr unsigned tuples = Tuple::bytes % 2 != 0 ? 4 : Tuple::bytes % 4 != 0 ? 6 : 5;
  static constexpr unsigned words = tuples * Tuple::bytes / 4;
  static_assert(words * 4 == tuples * Tuple::bytes && words % 2 == 1);

  std::uint32_t word[words];

  /// at: the word with the first byte, which lies `shift` bits behind its start.
  __device__ __forceinline__ Run(const std::uint32_t* at, unsigned shift) {
    std::uint32_t raw[words + 1];
#pragma unroll
    for (unsigned w = 0; w <= words; ++w) raw[w] = at[w];
#pragma unroll
    for (unsigned w = 0; w < words; ++w) word[w] = __funnelshift_r(raw[w], raw[w + 1], shift);
  }

  /// The number of `bytes` bytes, at most 4, from a byte on.
  template <unsigned bytes>
  __device__ __forceinline__ std::uint32_t number(unsigned from) const {
    const unsigned w = from / 4, shift = from % 4 * 8;
    const std::uint32_t whole =
        shift / 8 + bytes <= 4 ? word[w] >> shift : __funnelshift_r(word[w], word[w + 1 < words ? w + 1 : w], shift);
    return bytes == 4 ? whole : whole & ((std::uint64_t{1} << (8 * bytes)) - 1);
  }
  __device__ __forceinline__ std::uint32_t row(unsigned i) const { return number<1>(i * Tuple::bytes); }
  __device__ __forceinline__ std::uint32_t column(unsigned i) const {
    return number<sizeof(typename Tuple::ColumnPart)>(i * Tuple::bytes + Tuple::column_at);
  }
  /// inside: false behind the last entry, where any number does.
  template <class T>
  __device__ __forceinline__ T value(unsigned i, bool inside, const T* lut) const {
    const unsigned at = i * Tuple::bytes + Tuple::value_at;
    if constexpr (Tuple::in_table)
      return load_shared(lut + (inside ? number<1>(at) : 0));
    else if constexpr (Tuple::value_bytes == 8)
      return __hiloint2double(static_cast<int>(number<4>(at + 4)), static_cast<int>(number<4>(at)));
    else if constexpr (Tuple::value_bytes == 4)
      return __uint_as_float(number<4>(at));
    else
      return T(1);
  }
};

/// Brings the tuples of a piece into the warp's shared memory, from the boundary of a unit below on.
template <class T>
__device__ __forceinline__ void copy_in(const Task<T>& task, const Piece& piece, std::uint32_t bytes,
                                        std::uint8_t* shared) {
  const std::uint64_t from = piece.begin / unit * unit;
  const std::uint32_t whole = static_cast<std::uint32_t>(piece.begin - from) + bytes;
  for (std::uint32_t at = threadIdx.x % warp_size * unit; at < whole; at += warp_size * unit) {
    const std::uint64_t left = task.data_bytes - (from + at);
    const unsigned beyond = left < unit ? unit - static_cast<unsigned>(left) : 0;  // never read behind the array
    __pipeline_memcpy_async(shared + at, task.data + from + at, unit, beyond);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
}

// --- Sums by rows ---

/// Where sums go. Rows are told by their distance to the chunk's first row.
template <class T>
struct Rows {
  T* y;  ///< of the chunk's first row
  T* first_sum;
  std::uint32_t first;  ///< distance of the piece's first row

  __device__ __forceinline__ void store(std::uint32_t row, T sum) const { *(row == first ? first_sum : y + row) = sum; }
  /// Rows between two that have entries have none.
  __device__ __forceinline__ void clear_between(std::uint32_t row, std::uint32_t next) const {
    for (++row; row < next; ++row) y[row] = T(0);
  }
};

/// The inclusive sums over lanes with the same row. begins: this lane is the first of its row.
template <class T>
__device__ __forceinline__ T scan_rows(T sum, bool begins, unsigned lane) {
  const unsigned heads = __ballot_sync(whole_warp, begins) | 1u;
  const unsigned distance = lane - (31 - __clz(static_cast<int>(heads & (whole_warp >> (31 - lane)))));
#pragma unroll
  for (unsigned step = 1; step < warp_size; step *= 2) {
    const T before = __shfl_up_sync(whole_warp, sum, step);
    if (distance >= step) sum += before;
  }
  return sum;
}

/// The row that is being summed, and what it has so far. The same in all lanes.
template <class T>
struct Open {
  std::uint32_t row;
  T sum;
};

/// Stores what add_entries leaves out: sums of rows that lie between a lane's first and last row, and zeros for rows
/// without entries, up to row_after, the first of the next lane.
template <unsigned n, class T>
__device__ __forceinline__ void store_inner_rows(const std::uint32_t (&rows)[n], const T (&terms)[n],
                                                 std::uint32_t row_after, const Rows<T>& out) {
  T sum = terms[0];
#pragma unroll
  for (unsigned i = 1; i < n; ++i) {
    if (rows[i] == rows[i - 1]) {
      sum += terms[i];
      continue;
    }
    if (rows[i - 1] != rows[0]) out.store(rows[i - 1], sum);
    out.clear_between(rows[i - 1], rows[i]);
    sum = terms[i];
  }
  out.clear_between(rows[n - 1], row_after);
}

/// Adds `n` consecutive entries of each lane, by ascending rows. Every row that ends among them is stored. Most lanes
/// have entries of one row or of two neighbours, so that they do the same without branches.
template <unsigned n, class T>
__device__ __forceinline__ void add_entries(const std::uint32_t (&rows)[n], const T (&terms)[n], const Rows<T>& out,
                                            Open<T>& open) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint32_t first = rows[0], last = rows[n - 1];
  T head = terms[0], tail = terms[n - 1];
#pragma unroll
  for (unsigned i = 1; i < n; ++i) {
    if (rows[i] == first) head += terms[i];
    if (rows[n - 1 - i] == last) tail += terms[n - 1 - i];
  }
  std::uint32_t row_before = __shfl_up_sync(whole_warp, last, 1);
  std::uint32_t row_after = __shfl_down_sync(whole_warp, first, 1);
  if (lane == 0) {
    row_before = open.row;
    if (last == open.row) tail += open.sum;
  }
  if (lane == warp_size - 1) row_after = last;
  tail = scan_rows(tail, row_before != last, lane);
  T sum_before = __shfl_up_sync(whole_warp, tail, 1);
  if (lane == 0) {
    sum_before = open.sum;
    if (first != open.row) {
      out.store(open.row, open.sum);
      out.clear_between(open.row, first);
    }
  }
  if (first != last) out.store(first, first == row_before ? sum_before + head : head);
  if (last != row_after) out.store(last, tail);
  if (last - first > 1 || row_after - last > 1) store_inner_rows(rows, terms, row_after, out);
  open.row = __shfl_sync(whole_warp, last, warp_size - 1);
  open.sum = __shfl_sync(whole_warp, tail, warp_size - 1);
}

template <class Tuple, class T>
__device__ __forceinline__ void sum_piece(const Task<T>& task, const Piece& piece, T* first_sum, std::uint8_t* shared) {
  using Run = Run<Tuple>;
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint32_t bytes = piece.entries * std::uint32_t{Tuple::bytes};
  copy_in(task, piece, bytes, shared);
  const auto start = static_cast<std::uint32_t>(piece.begin % unit);
  const std::uint32_t last = shared[start + bytes - Tuple::bytes];  // distance of the last entry's row
  const auto* words = reinterpret_cast<const std::uint32_t*>(shared) + start / 4;
  const unsigned shift = start % 4 * 8;
  const T* x = task.x + piece.column;
  const Rows<T> out = {task.y + piece.row, first_sum, piece.first_row - piece.row};
  Open<T> open = {out.first, T(0)};
  for (std::uint32_t k = lane * Run::tuples; k - lane * Run::tuples < piece.entries; k += warp_size * Run::tuples) {
    const Run run(words + (k < piece.entries ? k : 0) / Run::tuples * Run::words, shift);
    std::uint32_t rows[Run::tuples];
    T factors[Run::tuples], terms[Run::tuples];
    bool inside[Run::tuples];
    // What lies behind the last entry is replaced rather than left out: loads that depend on a condition would wait for
    // one another.
#pragma unroll
    for (unsigned i = 0; i < Run::tuples; ++i) {
      inside[i] = k + i < piece.entries;
      factors[i] = load_shared(x + (inside[i] ? run.column(i) : 0));
    }
#pragma unroll
    for (unsigned i = 0; i < Run::tuples; ++i) {
      const T term = run.template value<T>(i, inside[i], task.lut) * factors[i];
      rows[i] = inside[i] ? run.row(i) : last;
      terms[i] = inside[i] ? term : T(0);
    }
    add_entries(rows, terms, out, open);
  }
  if (lane == 0) out.store(open.row, open.sum);
  for (std::uint64_t row = std::uint64_t{piece.row} + open.row + 1 + lane; row <= piece.next_row; row += warp_size)
    task.y[row] = T(0);
}

/// Chunks of one layout, which saves the registers of the others.
template <class Tuple>
struct OneLayout {
  template <class T>
  static __device__ __forceinline__ void sum(const Task<T>& task, const Piece& piece, T* first_sum,
                                             std::uint8_t* shared) {
    sum_piece<Tuple>(task, piece, first_sum, shared);
  }
};

/// Chunks of any layout with values of `width` bytes.
template <std::size_t width>
struct AnyLayout {
  template <class T>
  static __device__ __forceinline__ void sum(const Task<T>& task, const Piece& piece, T* first_sum,
                                             std::uint8_t* shared) {
    switch (piece.format) {
      case 0: return sum_piece<Tuple<std::uint8_t, false, width>>(task, piece, first_sum, shared);
      case 1: return sum_piece<Tuple<std::uint16_t, false, width>>(task, piece, first_sum, shared);
      case 2: return sum_piece<Tuple<std::uint32_t, false, width>>(task, piece, first_sum, shared);
      default: break;
    }
    if constexpr (width != 0) switch (piece.format) {
        case by_table: return sum_piece<Tuple<std::uint8_t, true, width>>(task, piece, first_sum, shared);
        case by_table + 1: return sum_piece<Tuple<std::uint16_t, true, width>>(task, piece, first_sum, shared);
        default: return sum_piece<Tuple<std::uint32_t, true, width>>(task, piece, first_sum, shared);
      }
  }
};

/// A warp a piece.
template <class T, class Layout>
__global__ void __launch_bounds__(warps_per_block* warp_size, blocks_at_once) sum_pieces(Task<T> task) {
  extern __shared__ uint4 shared_units[];
  const unsigned warp = threadIdx.x / warp_size;
  std::uint8_t* shared = reinterpret_cast<std::uint8_t*>(shared_units) + warp * task.buffer;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * warps_per_block;
  for (std::uint64_t p = std::uint64_t{blockIdx.x} * warps_per_block + warp; p < task.count; p += stride) {
    const Piece piece = task.pieces[p];
    Layout::sum(task, piece, task.first_sums + p, shared);
    __syncwarp();  // before the next piece comes over this one
  }
}

/// Adds first_sums to y, all pieces that begin in one row by one thread, or by its warp where there are many: in the
/// same order each time. Nothing stands in y for the row in which the first piece begins.
template <class T>
__global__ void add_first_sums(std::uint64_t count, const Piece* pieces, const T* first_sums, T* y) {
  constexpr std::uint64_t few = 16;
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t base = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane; base < count; base += stride) {
    const std::uint64_t p = base + lane;
    bool first = false, many = false;
    if (p < count) {
      const std::uint32_t row = pieces[p].first_row;
      first = p == 0 || pieces[p - 1].first_row != row;
      many = first && p + few < count && pieces[p + few].first_row == row;
      if (first && !many) {
        T sum = first_sums[p];
        for (std::uint64_t q = p + 1; q < count && pieces[q].first_row == row; ++q) sum += first_sums[q];
        y[row] = p == 0 ? sum : y[row] + sum;
      }
    }
    for (unsigned left = __ballot_sync(whole_warp, many); left != 0; left &= left - 1) {
      const std::uint64_t from = base + static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
      const std::uint32_t row = pieces[from].first_row;
      T sum = 0;
      for (std::uint64_t q = from + lane; q < count && pieces[q].first_row == row; q += warp_size) sum += first_sums[q];
      sum = sum_over_lanes(sum);
      if (lane == 0) y[row] = from == 0 ? sum : y[row] + sum;
    }
  }
}

// --- On the host ---

/// The pieces of a matrix, in order.
template <std::size_t width>
std::vector<Piece> cut(const BccooGpu<Viewed>& host) {
  std::vector<Piece> pieces;
  for (std::uint64_t h = 0; h < host.row.size(); ++h) {
    const std::uint64_t entries = entries_of<width>(host, h), begin = host.offset.position(h);
    const std::uint64_t tuple = (host.offset.position(h + 1) - begin) / entries;
    for (std::uint64_t k = 0; k < entries; k += piece_entries) {
      const std::uint64_t at = begin + k * tuple;
      const std::uint32_t first_row = host.row[h] + host.data[at];
      if (!pieces.empty()) pieces.back().next_row = first_row;
      pieces.push_back({at, host.row[h], host.column[h], first_row, 0,
                        static_cast<std::uint32_t>(std::min<std::uint64_t>(piece_entries, entries - k)),
                        host.format[h]});
    }
  }
  if (!pieces.empty()) pieces.back().next_row = static_cast<std::uint32_t>(host.rows - 1);
  return pieces;
}

/// Shared memory of a warp: the longest piece, what precedes it in its first unit, and what the lane with its last
/// entry reads behind it.
template <std::size_t width>
std::uint32_t buffer_bytes(const std::vector<Piece>& pieces) {
  std::uint64_t longest = 0;
  for (const Piece& piece : pieces) {
    const std::uint64_t bytes = with_tuple<width>(static_cast<std::uint8_t>(piece.format),
                                                  [&]<class Tuple>(Tuple) { return piece.entries * Tuple::bytes; });
    longest = std::max(longest, bytes);
  }
  constexpr std::uint64_t behind = 64;
  return static_cast<std::uint32_t>((longest + 2 * unit + behind) / unit * unit);
}

/// Calls use(Layout{}) with the one layout of all pieces, or that of any.
template <std::size_t width, class Use>
Status with_layout(const std::vector<Piece>& pieces, Use&& use) {
  for (const Piece& piece : pieces)
    if (piece.format != pieces.front().format) return use(AnyLayout<width>{});
  return with_tuple<width>(static_cast<std::uint8_t>(pieces.front().format),
                           [&]<class Tuple>(Tuple) -> Status { return use(OneLayout<Tuple>{}); });
}

template <class T, class Layout>
Status multiply(const Task<T>& task, std::uint64_t empty_rows, Stream stream) {
  SPRESS_CHECK(fill_bytes(task.y, 0, empty_rows * sizeof(T), stream));
  sum_pieces<T, Layout>
      <<<blocks_for(task.count, warps_per_block), warps_per_block * warp_size, warps_per_block * task.buffer, stream>>>(
          task);
  SPRESS_CUDA_TRY(cudaGetLastError());
  return launch(add_first_sums<T>, blocks_for(task.count, 256), 256, stream, task.count, task.pieces, task.first_sums,
                task.y);
}

template <class T, std::size_t width>
Result<Product<T>> make_width(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  Product<T> out;
  out.kernel = "warp per " + std::to_string(piece_entries) + " tuples";
  const auto pieces = cut<width>(host);
  if (pieces.empty()) {
    out.multiply = [rows = host.rows](const T*, T* y, Stream stream) {
      return fill_bytes(y, 0, rows * sizeof(T), stream);
    };
    return out;
  }
  SPRESS_TRY(DeviceMemory list, upload(std::span<const Piece>(pieces), "the list of pieces"));
  SPRESS_TRY(DeviceMemory sums, allocate(pieces.size() * sizeof(T), "the sums of rows that are cut"));
  const auto device_pieces = std::make_shared<DeviceMemory>(std::move(list));
  const auto first_sums = std::make_shared<DeviceMemory>(std::move(sums));
  const std::uint32_t buffer = buffer_bytes<width>(pieces);
  SPRESS_CHECK(with_layout<width>(pieces, [&]<class Layout>(Layout) -> Status {
    out.multiply = [=, count = pieces.size(), empty_rows = std::uint64_t{pieces.front().first_row}](
                       const T* x, T* y, Stream stream) -> Status {
      const Task<T> task = {device.data.data(),
                            device.data.size(),
                            device_pieces->as<Piece>(),
                            count,
                            buffer,
                            static_cast<const T*>(device.lut.raw()),
                            x,
                            y,
                            first_sums->as<T>()};
      return multiply<T, Layout>(task, empty_rows, stream);
    };
    return Ok{};
  }));
  return out;
}

template <class T>
Result<Product<T>> make(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  if (host.value_type == ValueType::none) return make_width<T, 0>(host, device);
  if (host.value_type == value_type_of<T>) return make_width<T, sizeof(T)>(host, device);
  return Error{ErrorCode::unsupported, "values of this type have no product on the device", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(BccooGpu, make)

}  // namespace spress::cuda
