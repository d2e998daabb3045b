#include <algorithm>
#include <memory>
#include <string>
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
  std::uint8_t format;
  std::uint8_t lane_bits;  // as many lanes take a row
};

/// A warp's part of the shared memory, in bytes: what its copies wait for, beginnings of rows, tuples.
constexpr std::uint32_t starts_at = 16, tuples_at = starts_at + 528;
static_assert(tuples_at >= starts_at + (row_limit + 1) * sizeof(std::uint16_t) && tuples_at % 16 == 0);

constexpr std::uint32_t piece_entries = 512;
constexpr unsigned warps_per_block = 4;
constexpr unsigned row_batch = 4;  // entries of a row that a lane has on their way at once
constexpr unsigned unit = 16;      // bytes: what copies to shared memory are made of

/// Piece p leaves in first_sums[p] what it holds of the row in which it begins, and stores y for every row behind that
/// one up to the row in which the next piece begins: what it holds of that row. So every row but those up to the first
/// entry's is stored once, and what is missing is added from first_sums.
template <class T>
struct Task {
  const std::uint8_t* data;
  const Piece* pieces;
  std::uint64_t count;
  std::uint32_t shared_bytes;  // of a warp
  const T* lut;
  const T* x;
  T* y;
  T* first_sums;
};

// --- Tuples out of shared memory ---

/// Column and value of one tuple: its last bytes, shifted so that it ends with a word.
template <class Tuple>
struct Fields {
  static constexpr unsigned column_bytes = sizeof(typename Tuple::ColumnPart), value_bytes = Tuple::value_bytes;
  static constexpr unsigned words = (column_bytes + value_bytes + 3) / 4;

  std::uint32_t word[words];

  /// Those of the tuple that ends `end` bytes behind `shared`, which is aligned to words. A word in front of it is
  /// read, too.
  __device__ __forceinline__ Fields(const std::uint8_t* shared, std::uint32_t end) {
    const auto* aligned = reinterpret_cast<const std::uint32_t*>(shared) + end / 4 - words;
    std::uint32_t raw[words + 1];
#pragma unroll
    for (unsigned w = 0; w <= words; ++w) raw[w] = aligned[w];
#pragma unroll
    for (unsigned w = 0; w < words; ++w) word[w] = __funnelshift_r(raw[w], raw[w + 1], end % 4 * 8);
  }

  __device__ __forceinline__ std::uint32_t column() const { return number<column_bytes, value_bytes>(); }
  template <class T>
  __device__ __forceinline__ T value(const T* lut) const {
    if constexpr (Tuple::in_table)
      return load_shared(lut + number<1, 0>());
    else if constexpr (value_bytes == 8)
      return __hiloint2double(static_cast<int>(number<4, 0>()), static_cast<int>(number<4, 4>()));
    else if constexpr (value_bytes == 4)
      return __uint_as_float(number<4, 0>());
    else
      return T(1);
  }

 private:
  /// The number of `size` bytes, at most 4, with `behind` bytes behind it.
  template <unsigned size, unsigned behind>
  __device__ __forceinline__ std::uint32_t number() const {
    constexpr unsigned last = words - 1 - behind / 4, room = 4 - behind % 4;  // the word it ends in, its bytes there
    constexpr unsigned shift = room >= size ? 8 * (room - size) : 8 * (4 + room - size);
    const std::uint32_t whole =
        room >= size ? word[last] >> shift : __funnelshift_r(word[last - (room >= size ? 0 : 1)], word[last], shift);
    return size == 4 ? whole : whole & ((std::uint64_t{1} << (8 * size)) - 1);
  }
};

/// Keeps an address in registers, which the compiler would rather add up anew for every load.
template <class T>
__device__ __forceinline__ T* kept(T* address) {
#ifdef __CUDA_ARCH__
  asm("" : "+l"(address));
#endif
  return address;
}

/// The copies of one warp to its part of the shared memory. From Hopper on one lane hands them to the copy engine;
/// before, all lanes take part. What is copied is read once: it leaves x the cache.
class WarpCopies {
 public:
  /// barrier: in shared memory. All lanes of the warp construct theirs.
  __device__ __forceinline__ explicit WarpCopies(std::uint64_t* barrier) : barrier_(address(barrier)) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x % warp_size == 0) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier_) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");  // the copy engine must see it, too
    }
    __syncwarp();
#endif
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy_));
#endif
  }

  /// Copies `bytes`, a multiple of a unit. to and from: multiples of one. What the warp did with `to` before is over.
  __device__ __forceinline__ void copy(std::uint8_t* to, const std::uint8_t* from, std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x % warp_size == 0) {
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier_), "r"(bytes) : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], "
          "%4;" ::"r"(address(to)),
          "l"(from), "r"(bytes), "r"(barrier_), "l"(policy_)
          : "memory");
    }
    wait();
#else
    for (std::uint32_t at = threadIdx.x % warp_size * unit; at < bytes; at += warp_size * unit) {
#if __CUDA_ARCH__ >= 800
      asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(address(to + at)),
                   "l"(from + at), "l"(policy_)
                   : "memory");
#else
      for (unsigned i = 0; i < unit; ++i) to[at + i] = from[at + i];
#endif
    }
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncwarp();
#endif
  }

 private:
  [[nodiscard]] static __device__ __forceinline__ unsigned address(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
  }
#if __CUDA_ARCH__ >= 900
  __device__ __forceinline__ void wait() {
    unsigned done = 0;
    while (done == 0)
      asm volatile(
          "{\n.reg .pred there;\n"
          "mbarrier.try_wait.parity.shared.b64 there, [%1], %2;\n"
          "selp.u32 %0, 1, 0, there;\n}"
          : "=r"(done)
          : "r"(barrier_), "r"(phase_)
          : "memory");
    phase_ ^= 1;
  }
#endif

  unsigned barrier_, phase_ = 0;
  std::uint64_t policy_ = 0;
};

/// Brings the tuples of a piece into the warp's shared memory, from the boundary of a unit below on. Up to such a
/// boundary behind the array may be read: packed_view leaves room for it.
template <class T>
__device__ __forceinline__ void copy_in(const Task<T>& task, const Piece& piece, std::uint32_t bytes,
                                        std::uint8_t* shared, WarpCopies& copies) {
  const std::uint64_t from = piece.begin / unit * unit;
  const std::uint32_t whole = static_cast<std::uint32_t>(piece.begin - from) + bytes;
  copies.copy(shared, task.data + from, (whole + unit - 1) / unit * unit);
}

// --- Sums by rows ---

/// Notes with which entries rows begin: entry k + i is of row rows[i], the one before entry k of row `before`. Rows in
/// between have no entries. Rows are told by their distance to the piece's first.
template <unsigned n>
__device__ __forceinline__ void begin_rows(std::uint16_t* starts, std::uint32_t before, const std::uint32_t (&rows)[n],
                                           std::uint32_t k) {
  bool gap = rows[0] - before > 1;
  if (rows[0] != before) starts[rows[0]] = static_cast<std::uint16_t>(k);
#pragma unroll
  for (unsigned i = 1; i < n; ++i) {
    if (rows[i] != rows[i - 1]) starts[rows[i]] = static_cast<std::uint16_t>(k + i);
    gap |= rows[i] - rows[i - 1] > 1;
  }
  if (!gap) return;
#pragma unroll
  for (unsigned i = 0; i < n; ++i)
#pragma unroll 1
    for (std::uint32_t row = (i == 0 ? before : rows[i - 1]) + 1; row < rows[i]; ++row)
      starts[row] = static_cast<std::uint16_t>(k + i);
}

/// A piece in shared memory. Rows are told by their distance to that of its first entry.
template <class Tuple, class T>
struct Staged {
  const std::uint8_t* shared;
  std::uint32_t tuples;         ///< where they begin there, in bytes
  const std::uint16_t* starts;  ///< rows + 1: the entry that a row begins with
  std::uint32_t rows;
  const T* x;  ///< of the chunk
  const T* lut;

  /// What one lane of `lanes` adds up of entries [first, last). Entries behind the last one are read in vain: loads
  /// that depend on a condition would wait for one another.
  __device__ __forceinline__ T sum(std::uint32_t first, std::uint32_t last, unsigned lane, unsigned lanes) const {
    constexpr std::uint32_t length = Tuple::bytes;
    const std::uint32_t ends = tuples + last * length, stride = lanes * length;  // ends: where the last tuple does
    T sum = 0;
    for (std::uint32_t end = tuples + (first + lane + 1) * length; end <= ends; end += row_batch * stride) {
      T factors[row_batch], values[row_batch];
#pragma unroll
      for (unsigned u = 0; u < row_batch; ++u) {
        const Fields<Tuple> fields(shared, min(end + u * stride, ends));
        factors[u] = load_shared(x + fields.column());
        values[u] = fields.value(lut);
      }
#pragma unroll
      for (unsigned u = 0; u < row_batch; ++u) {
        const T next = sum + values[u] * factors[u];
        if (end + u * stride <= ends) sum = next;
      }
    }
    return sum;
  }
};

/// Finds where rows begin. Returns how many there are, from that of the first entry to that of the last.
template <class Tuple>
__device__ __forceinline__ std::uint32_t find_rows(const std::uint8_t* tuples, std::uint32_t entries,
                                                   std::uint16_t* starts) {
  constexpr unsigned consecutive = 4;  // entries of a lane: for tuples of an odd length all lanes read other banks
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint32_t first = tuples[0];
  std::uint32_t row_before = 0;
  for (std::uint32_t base = 0; base < entries; base += warp_size * consecutive) {
    const std::uint32_t k = base + lane * consecutive;
    std::uint32_t rows[consecutive];
#pragma unroll
    for (unsigned i = 0; i < consecutive; ++i)
      rows[i] = tuples[min(k + i, entries - 1) * std::uint32_t{Tuple::bytes}] - first;
    std::uint32_t before = __shfl_up_sync(whole_warp, rows[consecutive - 1], 1);
    if (lane == 0) before = row_before;
    begin_rows(starts, before, rows, k);
    row_before = __shfl_sync(whole_warp, rows[consecutive - 1], warp_size - 1);
  }
  if (lane == 0) {
    starts[0] = 0;
    starts[row_before + 1] = static_cast<std::uint16_t>(entries);
  }
  __syncwarp();
  return row_before + 1;
}

/// The sum over each group of `lanes` neighbouring lanes, a power of two, in all of them.
template <class T>
__device__ __forceinline__ T sum_over_group(T sum, unsigned lanes) {
  for (unsigned step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  return sum;
}

/// Calls store(row, sum) for every row of a piece. A row takes 2^lane_bits lanes; one that is much longer than that is
/// left to the whole warp. So neighbouring lanes ask for neighbouring elements of x where rows follow a stencil.
template <class Tuple, class T, class Store>
__device__ __forceinline__ void sum_rows(const Staged<Tuple, T>& piece, unsigned lane_bits, const Store& store) {
  const unsigned lane = threadIdx.x % warp_size, lanes = 1u << lane_bits, place = lane & (lanes - 1);
  for (std::uint32_t base = 0; base < piece.rows; base += warp_size >> lane_bits) {
    const std::uint32_t row = base + (lane >> lane_bits);
    const bool real = row < piece.rows;
    const std::uint32_t first = real ? piece.starts[row] : 0, last = real ? piece.starts[row + 1] : 0;
    const bool is_long = lanes < warp_size && last - first > 64 * lanes;
    const T sum = sum_over_group(piece.sum(first, is_long ? first : last, place, lanes), lanes);
    if (real && !is_long && place == 0) store(row, sum);
    for (unsigned left = __ballot_sync(whole_warp, is_long && place == 0); left != 0; left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t its_first = __shfl_sync(whole_warp, first, from);
      const std::uint32_t its_last = __shfl_sync(whole_warp, last, from);
      const T its_sum = sum_over_group(piece.sum(its_first, its_last, lane, warp_size), warp_size);
      if (lane == static_cast<unsigned>(from)) store(row, its_sum);
    }
  }
}

template <class Tuple, class T>
__device__ __forceinline__ void sum_piece(const Task<T>& task, const Piece& piece, T* first_sum, std::uint8_t* shared,
                                          WarpCopies& copies) {
  copy_in(task, piece, piece.entries * std::uint32_t{Tuple::bytes}, shared + tuples_at, copies);
  const std::uint32_t tuples = tuples_at + static_cast<std::uint32_t>(piece.begin % unit);
  auto* starts = reinterpret_cast<std::uint16_t*>(shared + starts_at);
  const std::uint32_t rows = find_rows<Tuple>(shared + tuples, piece.entries, starts);
  const Staged<Tuple, T> staged = {shared, tuples, starts, rows, kept(task.x + piece.column), task.lut};
  T* y = task.y + piece.first_row;
  sum_rows(staged, piece.lane_bits, [&](std::uint32_t row, T sum) { *(row == 0 ? first_sum : y + row) = sum; });
  const std::uint32_t behind = piece.next_row - piece.first_row;
  for (std::uint64_t row = std::uint64_t{rows} + threadIdx.x % warp_size; row <= behind; row += warp_size)
    y[row] = T(0);
}

/// Chunks of one layout, which saves the registers of the others. Told how many blocks a multiprocessor is to hold, the
/// compiler spends what registers there are on loads that are on their way at once.
template <class Tuple>
struct OneLayout {
  static constexpr unsigned blocks_at_once = 8;
  template <class T>
  static __device__ __forceinline__ void sum(const Task<T>& task, const Piece& piece, T* first_sum,
                                             std::uint8_t* shared, WarpCopies& copies) {
    sum_piece<Tuple>(task, piece, first_sum, shared, copies);
  }
};

/// Chunks of any layout with values of `width` bytes.
template <std::size_t width>
struct AnyLayout {
  static constexpr unsigned blocks_at_once = 7;
  template <class T>
  static __device__ __forceinline__ void sum(const Task<T>& task, const Piece& piece, T* first_sum,
                                             std::uint8_t* shared, WarpCopies& copies) {
    switch (piece.format) {
      case 0: return sum_piece<Tuple<std::uint8_t, false, width>>(task, piece, first_sum, shared, copies);
      case 1: return sum_piece<Tuple<std::uint16_t, false, width>>(task, piece, first_sum, shared, copies);
      case 2: return sum_piece<Tuple<std::uint32_t, false, width>>(task, piece, first_sum, shared, copies);
      default: break;
    }
    if constexpr (width != 0) switch (piece.format) {
        case by_table: return sum_piece<Tuple<std::uint8_t, true, width>>(task, piece, first_sum, shared, copies);
        case by_table + 1: return sum_piece<Tuple<std::uint16_t, true, width>>(task, piece, first_sum, shared, copies);
        default: return sum_piece<Tuple<std::uint32_t, true, width>>(task, piece, first_sum, shared, copies);
      }
  }
};

/// A warp a piece.
template <class T, class Layout>
__global__ void __launch_bounds__(warps_per_block* warp_size, Layout::blocks_at_once) sum_pieces(Task<T> task) {
  extern __shared__ uint4 shared_units[];
  const unsigned warp = threadIdx.x / warp_size;
  std::uint8_t* shared = reinterpret_cast<std::uint8_t*>(shared_units) + warp * task.shared_bytes;
  WarpCopies copies(reinterpret_cast<std::uint64_t*>(shared));
  const std::uint64_t stride = std::uint64_t{gridDim.x} * warps_per_block;
  for (std::uint64_t p = std::uint64_t{blockIdx.x} * warps_per_block + warp; p < task.count; p += stride) {
    const Piece piece = task.pieces[p];
    Layout::sum(task, piece, task.first_sums + p, shared, copies);
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

/// How many lanes take a row, as a power of two: as few turns as can be for `rows` rows of `entries` entries together.
/// Whole batches are not counted: with more lanes a row fewer of them share a line of x, which costs more than it
/// saves.
std::uint8_t lane_bits_for(std::uint64_t rows, std::uint64_t entries) {
  const auto parts = [](std::uint64_t whole, std::uint64_t size) { return (whole + size - 1) / size; };
  std::uint8_t best = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint8_t bits = 0; bits <= 5; ++bits) {
    const std::uint64_t steps = parts(parts(entries, rows), std::uint64_t{1} << bits) + bits;  // to add, and to add up
    const std::uint64_t turns = parts(rows, warp_size >> bits) * steps;
    if (turns < least) {
      least = turns;
      best = bits;
    }
  }
  return best;
}

/// The pieces of a matrix, in order.
template <std::size_t width>
std::vector<Piece> cut(const BccooGpu<Viewed>& host) {
  std::vector<Piece> pieces;
  for (std::uint64_t h = 0; h < host.row.size(); ++h) {
    const std::uint64_t entries = entries_of<width>(host, h), begin = host.offset.position(h);
    const std::uint64_t tuple = (host.offset.position(h + 1) - begin) / entries;
    for (std::uint64_t k = 0; k < entries; k += piece_entries) {
      const std::uint64_t at = begin + k * tuple, count = std::min<std::uint64_t>(piece_entries, entries - k);
      const std::uint32_t first = host.data[at], last = host.data[at + (count - 1) * tuple];
      if (!pieces.empty()) pieces.back().next_row = host.row[h] + first;
      pieces.push_back({at, host.row[h], host.column[h], host.row[h] + first, 0, static_cast<std::uint32_t>(count),
                        host.format[h], lane_bits_for(last - first + 1, count)});
    }
  }
  if (!pieces.empty()) pieces.back().next_row = static_cast<std::uint32_t>(host.rows - 1);
  return pieces;
}

/// Shared memory of a warp, as the largest piece takes it, with what precedes it in its first unit and what is read
/// behind it.
template <std::size_t width>
std::uint32_t shared_bytes_for(const std::vector<Piece>& pieces) {
  std::uint32_t tuples = 0;
  for (const Piece& piece : pieces)
    with_tuple<width>(piece.format, [&]<class Tuple>(Tuple) {
      tuples = std::max<std::uint32_t>(tuples, piece.entries * std::uint32_t{Tuple::bytes});
    });
  return (tuples_at + tuples + 3 * unit - 1) / unit * unit;
}

/// Calls use(Layout{}) with the one layout of all pieces, or that of any.
template <std::size_t width, class Use>
Status with_layout(const std::vector<Piece>& pieces, Use&& use) {
  for (const Piece& piece : pieces)
    if (piece.format != pieces.front().format) return use(AnyLayout<width>{});
  return with_tuple<width>(pieces.front().format,
                           [&]<class Tuple>(Tuple) -> Status { return use(OneLayout<Tuple>{}); });
}

template <class T, class Layout>
Status multiply(const Task<T>& task, std::uint64_t empty_rows, Stream stream) {
  SPRESS_CHECK(fill_bytes(task.y, 0, empty_rows * sizeof(T), stream));
  SPRESS_CHECK(launch_with_shared(sum_pieces<T, Layout>, blocks_for(task.count, warps_per_block),
                                  warps_per_block * warp_size, warps_per_block * task.shared_bytes, stream, task));
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
  const std::uint32_t shared_bytes = shared_bytes_for<width>(pieces);
  SPRESS_CHECK(with_layout<width>(pieces, [&]<class Layout>(Layout) -> Status {
    out.multiply = [=, count = pieces.size(), empty_rows = std::uint64_t{pieces.front().first_row}](
                       const T* x, T* y, Stream stream) -> Status {
      const Task<T> task = {device.data.data(),
                            device_pieces->as<Piece>(),
                            count,
                            shared_bytes,
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
