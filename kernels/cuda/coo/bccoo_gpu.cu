#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formats/coo/bccoo_gpu.hpp"
#include "kernels/cuda/coo/boundary_rows.cuh"
#include "kernels/cuda/device/copy_engine.cuh"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {
namespace {

using namespace bccoo_gpu;

/// What one warp takes: entries of a chunk, or of a chunk and the next one where both are coded alike: their tuples
/// lie behind one another. Pieces end with rows, unless a row is longer than a piece.
struct alignas(16) Piece {
  std::uint64_t begin;        // of its tuples in data
  std::uint32_t first_row;    // of its first entry
  std::uint32_t next_row;     // of the next piece's first entry; behind the last piece the rows of the matrix
  std::uint32_t column;       // of the first entry's chunk
  std::uint32_t next_column;  // of the chunk behind that one
  std::uint16_t entries;
  std::uint16_t here;             // entries of the first entry's chunk
  std::uint8_t next_chunk_row;    // of the chunk behind that one, counted from first_row
  std::uint8_t rows_less_one;     // from the row of the first entry to that of the last
  std::uint8_t lane_bits;         // as many lanes take a row
  std::uint8_t format_and_begun;  // the chunk's format, and begun_bit if the row of the first entry begins before
};
constexpr unsigned begun_bit = 8;
constexpr std::uint32_t piece_rows = 256;  // at most
static_assert(piece_rows <= 256);          // rows_less_one has a byte

[[nodiscard]] constexpr std::uint8_t format_of(const Piece& piece) { return piece.format_and_begun & (begun_bit - 1); }

/// One block runs on a multiprocessor, so that its warps, at work on neighbouring rows, share lines of x in its cache:
/// as many as shared memory has room for, at most what leaves each thread registers for a batch, the entries of a row
/// that a lane has on their way at once.
template <unsigned most_warps, unsigned row_batch>
struct Crew {
  static constexpr unsigned warps = most_warps, batch = row_batch;
};
using LongBatches = Crew<24, 7>;  // a row of a 7-point stencil at once
using ManyWarps = Crew<28, 6>;
constexpr unsigned unit = 16;       // bytes: what copies to shared memory are made of
constexpr unsigned tuples_at = 32;  // in a warp's shared memory, behind what its copies wait for

/// Piece p stores y for its rows, and clears what lies between them and the next piece. What it holds of a row that
/// begins in an earlier piece it leaves in first_sums[p].
template <class T>
struct Task {
  const std::uint8_t* data;
  const Piece* pieces;
  std::uint32_t count;
  std::uint32_t shared_bytes;  // of a warp
  const T* lut;
  const T* x;
  T* y;
  T* first_sums;
  std::uint32_t zero = 0;  // see wait_for_all
};

/// A descriptor on its way from memory: a word in each of the first lanes, so that it takes one register and not eight.
class PieceOnItsWay {
 public:
  /// All lanes of the warp take part, here and below.
  __device__ __forceinline__ explicit PieceOnItsWay(const Piece* at)
      : word_(threadIdx.x % warp_size < words
                  ? load_once(reinterpret_cast<const std::uint32_t*>(at) + threadIdx.x % warp_size)
                  : 0) {}

  __device__ __forceinline__ Piece get() const {
    Piece out;
    out.begin = begin();
    out.first_row = word(2), out.next_row = word(3);
    out.column = word(4), out.next_column = word(5);
    const std::uint32_t counts = word(6), rest = word(7);
    out.entries = static_cast<std::uint16_t>(counts), out.here = static_cast<std::uint16_t>(counts >> 16);
    out.next_chunk_row = static_cast<std::uint8_t>(rest);
    out.rows_less_one = static_cast<std::uint8_t>(rest >> 8);
    out.lane_bits = static_cast<std::uint8_t>(rest >> 16);
    out.format_and_begun = static_cast<std::uint8_t>(rest >> 24);
    return out;
  }
  /// Parts of it.
  __device__ __forceinline__ std::uint64_t begin() const { return word(0) | std::uint64_t{word(1)} << 32; }
  __device__ __forceinline__ std::uint32_t entries() const { return word(6) & 0xFFFF; }
  __device__ __forceinline__ unsigned format() const { return word(7) >> 24 & (begun_bit - 1); }
  __device__ __forceinline__ bool begun() const { return (word(7) >> 24 & begun_bit) != 0; }
  __device__ __forceinline__ unsigned lane_bits() const { return word(7) >> 16 & 0xFF; }
  __device__ __forceinline__ std::uint32_t first_row() const { return word(2); }
  __device__ __forceinline__ std::uint32_t next_row() const { return word(3); }

 private:
  [[nodiscard]] __device__ __forceinline__ std::uint32_t word(int w) const { return __shfl_sync(whole_warp, word_, w); }

  static constexpr int words = sizeof(Piece) / sizeof(std::uint32_t);
  static_assert(words == 8);
  std::uint32_t word_;
};

// --- Tuples out of shared memory ---

/// What the block has of it. Where a warp's part lies is told in bytes from here, for addresses of one number.
__device__ __forceinline__ std::uint8_t* block_memory() {
  extern __shared__ uint4 shared_units[];
  return reinterpret_cast<std::uint8_t*>(shared_units);
}

/// Column and value of one tuple: its last bytes, shifted so that it ends with a word.
template <class Tuple>
struct Fields {
  static constexpr unsigned column_bytes = sizeof(typename Tuple::ColumnPart), value_bytes = Tuple::value_bytes;
  static constexpr unsigned words = (column_bytes + value_bytes + 3) / 4;

  std::uint32_t word[words];

  /// Those of the tuple that ends `end` bytes behind the beginning of shared memory. A word in front of it is read,
  /// too.
  __device__ __forceinline__ explicit Fields(std::uint32_t end) {
    const auto* aligned = reinterpret_cast<const std::uint32_t*>(block_memory()) + end / 4 - words;
    std::uint32_t raw[words + 1];
#pragma unroll
    for (unsigned w = 0; w <= words; ++w) raw[w] = aligned[w];
#pragma unroll
    for (unsigned w = 0; w < words; ++w) word[w] = __funnelshift_r(raw[w], raw[w + 1], 8 * end);  // modulo 32
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

/// The copies of one warp to its part of the shared memory.
class WarpCopies {
 public:
  /// barrier: in shared memory. All lanes of the warp construct theirs.
  __device__ __forceinline__ explicit WarpCopies(std::uint64_t* barrier)
      : barrier_(copy_engine::address(barrier)), policy_(copy_engine::read_once()) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x % warp_size == 0) copy_engine::make_barrier(barrier_);
    __syncwarp();
#endif
  }

  /// Starts to copy `bytes`, a multiple of a unit. to and from: multiples of one. What the warp did with `to` before is
  /// over. What is copied is there behind wait.
  __device__ __forceinline__ void start(std::uint8_t* to, const std::uint8_t* from, std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x % warp_size == 0) {
      copy_engine::order_copies();
      copy_engine::arrive_and_expect(barrier_, bytes);
      copy_engine::copy(copy_engine::address(to), from, bytes, barrier_, policy_);
    }
#else
    for (std::uint32_t at = threadIdx.x % warp_size * unit; at < bytes; at += warp_size * unit)
      copy_engine::copy_16(copy_engine::address(to + at), from + at, policy_);
#endif
  }

  __device__ __forceinline__ void wait() {
#if __CUDA_ARCH__ >= 900
    copy_engine::wait(barrier_, phase_);
    phase_ ^= 1;
#else
    copy_engine::wait_for_own();
    __syncwarp();
#endif
  }

 private:
  unsigned barrier_, phase_ = 0;
  std::uint64_t policy_;
};

// --- Sums by rows ---

/// Keeps the compiler from adding the first product before the last factors are on their way: it would rather save
/// registers and wait twice. zero: 0, which it does not know.
template <class T, unsigned n>
__device__ __forceinline__ void wait_for_all(const T (&factors)[n], T& first_value, std::uint32_t zero) {
  std::uint32_t all = 0;
#pragma unroll
  for (unsigned u = n - 3; u < n; ++u) {
    if constexpr (sizeof(T) == 8)
      all |= static_cast<std::uint32_t>(__double2hiint(factors[u]));
    else
      all |= __float_as_uint(factors[u]);
  }
  if constexpr (sizeof(T) == 8)
    first_value =
        __hiloint2double(__double2hiint(first_value), __double2loint(first_value) | static_cast<int>(all & zero));
  else
    first_value = __uint_as_float(__float_as_uint(first_value) | (all & zero));
}

/// A piece in shared memory. Rows are told by their distance to that of its first entry.
template <class Tuple, class T>
struct Staged {
  static constexpr std::uint32_t length = Tuple::bytes;

  std::uint32_t tuples;               ///< where they begin in shared memory, in bytes
  std::uint32_t entries, here, rows;  ///< here: entries of the first chunk
  std::uint32_t column, next_column;  ///< of the chunks
  std::uint32_t row, next_row;        ///< of the chunks: the former is 0 or less than that
  const T* x;
  const T* lut;
  std::uint32_t zero;  ///< of the task

  /// copied: where the units that were copied begin in shared memory.
  __device__ __forceinline__ Staged(const Piece& piece, std::uint32_t copied, const Task<T>& task)
      : tuples(copied + static_cast<std::uint32_t>(piece.begin % unit)),
        entries(piece.entries),
        here(piece.here),
        rows(piece.rows_less_one + 1u),
        column(piece.column),
        next_column(piece.next_column),
        row(0u - block_memory()[tuples]),
        next_row(piece.next_chunk_row),
        x(task.x),
        lut(task.lut),
        zero(task.zero) {}

  [[nodiscard]] __device__ __forceinline__ std::uint32_t row_of(std::uint32_t entry) const {
    return block_memory()[tuples + entry * length] + (entry < here ? row : next_row);
  }

  /// The entry that a row begins with, for row from 1 to `rows`. average: entries of a row.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t start_of(std::uint32_t wanted, float average) const {
    if (wanted == rows) return entries;
    const auto guess =
        min(max(static_cast<std::uint32_t>(average * static_cast<float>(wanted) + 0.5f), 1u), entries - 1);
    const bool before = row_of(guess) < wanted;
    if (!before && row_of(guess - 1) < wanted) return guess;  // right where all rows have as many entries
    return before ? search_behind(guess + 1, wanted) : search_up_to(guess - 1, wanted);
  }

  /// What one lane of `lanes` adds up of entries [first, last).
  template <unsigned batch>
  __device__ __forceinline__ T sum(std::uint32_t first, std::uint32_t last, unsigned lane, unsigned lanes) const {
    const std::uint32_t ends = tuples + last * length, stride = lanes * length;  // ends: where the last tuple does
    std::uint32_t end = tuples + (first + lane + 1) * length;
    T sum = 0;
    for (; end + (batch - 1) * stride <= ends; end += batch * stride) add<batch, true>(end, stride, ends, sum);
    if (end <= ends) add<batch, false>(end, stride, ends, sum);
    return sum;
  }

 private:
  /// The first entry of a row, or of one behind it, from `low` on, where there is one: by steps that grow, since most
  /// guesses are near.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t search_behind(std::uint32_t low, std::uint32_t wanted) const {
    std::uint32_t step = 1;
#pragma unroll 1
    for (; low + step < entries && row_of(low + step - 1) < wanted; step *= 2) low += step;
    return search(low, min(low + step - 1, entries - 1), wanted);
  }
  /// The same up to `high`, which is no entry of a row before.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t search_up_to(std::uint32_t high, std::uint32_t wanted) const {
    std::uint32_t step = 1;
#pragma unroll 1
    for (; high > step && row_of(high - step) >= wanted; step *= 2) high -= step;
    return search(high > step ? high - step + 1 : 1, high, wanted);
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t search(std::uint32_t low, std::uint32_t high,
                                                                std::uint32_t wanted) const {
#pragma unroll 1
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (row_of(middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /// Adds a batch of entries, or what there is of it. Entries behind the last one are read in vain: loads that depend
  /// on a condition would wait for one another.
  template <unsigned batch, bool whole>
  __device__ __forceinline__ void add(std::uint32_t end, std::uint32_t stride, std::uint32_t ends, T& sum) const {
    const std::uint32_t chunk_ends = tuples + here * length;
    T factors[batch], values[batch];
#pragma unroll
    for (unsigned u = 0; u < batch; ++u) {
      const std::uint32_t at = whole ? end + u * stride : min(end + u * stride, ends);
      const Fields<Tuple> fields(at);
      factors[u] = load_shared(x + (fields.column() + (at <= chunk_ends ? column : next_column)));
      values[u] = fields.value(lut);
    }
    if constexpr (Tuple::value_bytes != 0) wait_for_all(factors, values[0], zero);
#pragma unroll
    for (unsigned u = 0; u < batch; ++u) {
      const T next = sum + values[u] * factors[u];
      if (whole || end + u * stride <= ends) sum = next;
    }
  }
};

/// The sum over each group of `lanes` neighbouring lanes, a power of two, in all of them.
template <class T>
__device__ __forceinline__ T sum_over_group(T sum, unsigned lanes) {
  for (unsigned step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  return sum;
}

/// Calls store(mine, row, sum) for every row of a piece, with all lanes of a warp; `mine` where the sum is this lane's.
/// A row takes 2^lane_bits lanes; one that is much longer than that is left to the whole warp. So neighbouring lanes
/// ask for neighbouring elements of x where rows follow a stencil.
template <unsigned batch, class Tuple, class T, class Store>
__device__ __forceinline__ void sum_rows(const Staged<Tuple, T>& piece, unsigned lane_bits, const Store& store) {
  const unsigned lane = threadIdx.x % warp_size, lanes = 1u << lane_bits, place = lane & (lanes - 1);
  const float average = __fdividef(static_cast<float>(piece.entries), static_cast<float>(piece.rows));
  std::uint32_t begin = 0;  // of this turn's rows
  for (std::uint32_t base = 0; base < piece.rows; base += warp_size >> lane_bits) {
    const std::uint32_t row = base + (lane >> lane_bits);
    const bool real = row < piece.rows;
    const std::uint32_t last = real ? piece.start_of(row + 1, average) : 0;
    const std::uint32_t of_row_before = __shfl_up_sync(whole_warp, last, lanes);
    const std::uint32_t first = !real ? 0 : lane < lanes ? begin : of_row_before;
    begin = __shfl_sync(whole_warp, last, warp_size - 1);
    const bool is_long = lanes < warp_size && last - first > 64 * lanes;
    const T sum = sum_over_group(piece.template sum<batch>(first, is_long ? first : last, place, lanes), lanes);
    store(real && !is_long && place == 0, row, sum);
#pragma unroll 1
    for (unsigned left = __ballot_sync(whole_warp, is_long && place == 0); left != 0; left &= left - 1) {
      const int its_lane = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t its_row = __shfl_sync(whole_warp, row, its_lane);
      const T its_sum = piece.template sum<batch>(__shfl_sync(whole_warp, first, its_lane),
                                                  __shfl_sync(whole_warp, last, its_lane), lane, warp_size);
      const T whole = sum_over_group(its_sum, warp_size);
      store(lane == 0, its_row, whole);
    }
  }
}

template <unsigned batch, class Tuple, class T>
__device__ __forceinline__ void sum_piece(const Task<T>& task, const PieceOnItsWay& word, std::uint32_t p,
                                          std::uint32_t copied) {
  const Staged<Tuple, T> staged(word.get(), copied, task);
  sum_rows<batch>(staged, word.lane_bits(), [&](bool mine, std::uint32_t row, T sum) {
    const bool begun = word.begun();
    T* y = task.y + word.first_row() + row;
    if (mine) *(begun && row == 0 ? task.first_sums + p : y) = sum;
  });
  const std::uint32_t first_row = word.first_row(), behind = word.next_row() - first_row;
#pragma unroll 1
  for (std::uint64_t row = std::uint64_t{staged.rows} + threadIdx.x % warp_size; row < behind; row += warp_size)
    task.y[first_row + row] = T(0);
}

/// Chunks of one layout, which saves the code of the others.
template <class OnlyTuple>
struct OneLayout {
  [[nodiscard]] static __device__ __forceinline__ std::uint32_t tuple_bytes(unsigned) { return OnlyTuple::bytes; }
  template <class Use>
  static __device__ __forceinline__ void with_tuple_of(const PieceOnItsWay&, const Use& use) {
    use(OnlyTuple{});
  }
};

/// Chunks of any layout with values of `width` bytes.
template <std::size_t width>
struct AnyLayout {
  [[nodiscard]] static __device__ __forceinline__ std::uint32_t tuple_bytes(unsigned format) {
    return 1 + (1u << (format & column_bits)) + ((format & by_table) != 0 ? 1u : static_cast<unsigned>(width));
  }
  template <class Use>
  static __device__ __forceinline__ void with_tuple_of(const PieceOnItsWay& piece, const Use& use) {
    const unsigned format = piece.format();
    switch (format) {
      case 0: return use(Tuple<std::uint8_t, false, width>{});
      case 1: return use(Tuple<std::uint16_t, false, width>{});
      case 2: return use(Tuple<std::uint32_t, false, width>{});
      default: break;
    }
    if constexpr (width != 0) switch (format) {
        case by_table: return use(Tuple<std::uint8_t, true, width>{});
        case by_table + 1: return use(Tuple<std::uint16_t, true, width>{});
        default: return use(Tuple<std::uint32_t, true, width>{});
      }
  }
};

/// A warp a piece. While its tuples come, the descriptor of the warp's next one does. Up to the end of a unit behind
/// the array of tuples may be read: packed_view leaves room for it.
template <class T, class Layout, class Crew>
__global__ void __launch_bounds__(Crew::warps* warp_size, 1) sum_pieces(Task<T> task) {
  const unsigned warps = blockDim.x / warp_size, warp = threadIdx.x / warp_size;
  const std::uint32_t stride = gridDim.x * warps, memory = warp * task.shared_bytes;
  std::uint32_t p = blockIdx.x * warps + warp;
  if (p >= task.count) return;
  WarpCopies copies(reinterpret_cast<std::uint64_t*>(block_memory() + memory));
  PieceOnItsWay here(task.pieces + p);
  for (;;) {
    const std::uint64_t begin = here.begin();
    const auto before = static_cast<std::uint32_t>(begin % unit);
    const std::uint32_t bytes = before + here.entries() * Layout::tuple_bytes(here.format());
    copies.start(block_memory() + memory + tuples_at, task.data + begin - before, (bytes + unit - 1) / unit * unit);
    const bool is_last = task.count - p <= stride;
    const PieceOnItsWay next(task.pieces + (is_last ? p : p + stride));
    copies.wait();
    Layout::with_tuple_of(
        here, [&]<class Tuple>(Tuple) { sum_piece<Crew::batch, Tuple>(task, here, p, memory + tuples_at); });
    if (is_last) return;
    __syncwarp();  // before the next piece comes over this one
    here = next;
    p += stride;
  }
}

// --- On the host ---

/// Wavefronts of shared memory that four loads by all lanes take where rows have `row_entries` entries each: a load
/// takes as many as there are words in the bank that is asked most.
unsigned wavefronts(std::uint32_t row_entries, std::uint32_t tuple, unsigned lane_bits) {
  unsigned total = 0;
  for (std::uint32_t shift = 0; shift < 4; ++shift) {
    std::array<std::uint8_t, 32> words{};
    std::uint32_t before = ~0u;
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      const std::uint32_t entry = (lane >> lane_bits) * row_entries + (lane & ((1u << lane_bits) - 1));
      const std::uint32_t word = (shift + entry * tuple) / 4;
      if (word != before) ++words[word % 32];
      before = word;
    }
    total += *std::max_element(words.begin(), words.end());
  }
  return total;
}

/// How many rows a piece takes, and how many lanes a row, as a power of two.
struct Shape {
  std::uint32_t rows = 0;
  std::uint8_t lane_bits = 0;
};

/// The cheapest by a model, for a piece of at most `rows` rows of `entries` entries together: whole turns of the warp,
/// few steps in each, few conflicts between banks.
Shape best_shape(std::uint32_t rows, std::uint32_t entries, std::uint32_t tuple) {
  constexpr double for_a_piece = 4, for_a_turn = 0.5, for_a_sum_over_lanes = 0.35, for_x = 0.35, for_wavefront = 0.04;
  const double average = static_cast<double>(entries) / rows;
  Shape best;
  double least = 0;
  for (std::uint8_t bits = 0; bits <= 5; ++bits) {
    const std::uint32_t at_once = warp_size >> bits, taken = rows >= at_once ? rows / at_once * at_once : rows;
    const double step = for_x + for_wavefront * wavefronts(static_cast<std::uint32_t>(average + 0.5), tuple, bits);
    const double steps = std::ceil(average / (1u << bits) - 0.01);
    const double turn = steps * step + for_a_sum_over_lanes * bits + for_a_turn;
    const double cost = ((taken + at_once - 1) / at_once * turn + for_a_piece) / taken;
    if (best.rows == 0 || cost < least) least = cost, best = {taken, bits};
  }
  return best;
}

/// Tuples from one entry of a chunk on: the chunk's others and, where they are coded alike, those of the next chunk.
template <std::size_t width>
struct Stretch {
  const BccooGpu<Viewed>& host;
  std::uint64_t chunk, here, entries, tuple_bytes, begin;  // here: entries of the chunk
  bool joined;

  Stretch(const BccooGpu<Viewed>& matrix, std::uint64_t h, std::uint64_t entry) : host(matrix), chunk(h) {
    const std::uint64_t of_chunk = entries_of<width>(host, h), at = host.offset.position(h);
    tuple_bytes = (host.offset.position(h + 1) - at) / of_chunk;
    begin = at + entry * tuple_bytes;
    here = of_chunk - entry;
    joined = h + 1 < host.row.size() && host.format[h + 1] == host.format[h];
    entries = here + (joined ? entries_of<width>(host, h + 1) : 0);
  }

  [[nodiscard]] std::uint64_t row(std::uint64_t i) const {
    return host.data[begin + i * tuple_bytes] + std::uint64_t{host.row[i < here ? chunk : chunk + 1]};
  }
  /// The first of entries [0, end) whose row is not before this one, or `end`.
  [[nodiscard]] std::uint64_t first_of(std::uint64_t wanted, std::uint64_t end) const {
    std::uint64_t low = 0;
    while (low < end) {
      const std::uint64_t middle = (low + end) / 2;
      if (row(middle) < wanted)
        low = middle + 1;
      else
        end = middle;
    }
    return low;
  }
};

/// Cuts a matrix into pieces.
template <std::size_t width>
class Cutter {
 public:
  Cutter(const BccooGpu<Viewed>& host, std::uint32_t most_entries) : host_(host), most_entries_(most_entries) {}

  /// The pieces, in order.
  [[nodiscard]] std::vector<Piece> pieces() {
    while (chunk_ < host_.row.size()) add_piece();
    if (!pieces_.empty()) pieces_.back().next_row = static_cast<std::uint32_t>(host_.rows);
    return std::move(pieces_);
  }

 private:
  void add_piece() {
    const Stretch<width> stretch(host_, chunk_, entry_);
    const std::uint64_t first_row = stretch.row(0);
    const auto [entries, lane_bits] = next_piece(stretch, first_row);
    const std::uint64_t last_row = stretch.row(entries - 1);
    const bool begun = !pieces_.empty() && last_row_ == first_row, both = stretch.here < entries;
    if (!pieces_.empty()) pieces_.back().next_row = static_cast<std::uint32_t>(first_row);
    pieces_.push_back({stretch.begin, static_cast<std::uint32_t>(first_row), 0, host_.column[chunk_],
                       both ? host_.column[chunk_ + 1] : 0, static_cast<std::uint16_t>(entries),
                       static_cast<std::uint16_t>(std::min(stretch.here, entries)),
                       static_cast<std::uint8_t>(both ? host_.row[chunk_ + 1] - first_row : 0),
                       static_cast<std::uint8_t>(last_row - first_row), lane_bits,
                       static_cast<std::uint8_t>(host_.format[chunk_] | (begun ? begun_bit : 0))});
    last_row_ = last_row;
    go_on(stretch, entries);
  }

  /// Entries of the piece that a stretch begins with, and its lanes a row.
  std::pair<std::uint64_t, std::uint8_t> next_piece(const Stretch<width>& stretch, std::uint64_t first_row) {
    const std::uint64_t most = std::min<std::uint64_t>(most_entries_, stretch.entries);
    std::uint64_t end = stretch.first_of(first_row + piece_rows, most);
    const bool row_ends = end < stretch.entries ? stretch.row(end) != stretch.row(end - 1) : !stretch.joined;
    const std::uint64_t whole = row_ends ? end : stretch.first_of(stretch.row(end - 1), end);
    if (whole != 0) end = whole;
    const auto rows = static_cast<std::uint32_t>(stretch.row(end - 1) - first_row + 1);
    const Shape shape =
        shape_for(rows, static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(stretch.tuple_bytes));
    return {shape.rows < rows ? stretch.first_of(first_row + shape.rows, end) : end, shape.lane_bits};
  }

  /// Most pieces of a matrix are alike.
  Shape shape_for(std::uint32_t rows, std::uint32_t entries, std::uint32_t tuple) {
    Shape& known = shapes_[{rows, entries, tuple}];
    if (known.rows == 0) known = best_shape(rows, entries, tuple);
    return known;
  }

  void go_on(const Stretch<width>& stretch, std::uint64_t entries) {
    entry_ += entries;
    if (entries < stretch.here) return;
    ++chunk_;
    entry_ = entries - stretch.here;
    if (entries < stretch.entries || !stretch.joined) return;
    ++chunk_;
    entry_ = 0;
  }

  const BccooGpu<Viewed>& host_;
  std::uint32_t most_entries_;  // of a piece
  std::vector<Piece> pieces_;
  std::map<std::array<std::uint32_t, 3>, Shape> shapes_;
  std::uint64_t chunk_ = 0, entry_ = 0, last_row_ = 0;
};

/// The pieces of a matrix, in order. Where all but few are smaller than they may be, these few are cut smaller, too:
/// then more warps have room.
template <std::size_t width>
std::vector<Piece> pieces_of(const BccooGpu<Viewed>& host, std::uint32_t most) {
  auto pieces = Cutter<width>(host, most).pieces();
  if (pieces.empty()) return pieces;
  std::vector<std::uint32_t> entries(pieces.size());
  std::transform(pieces.begin(), pieces.end(), entries.begin(), [](const Piece& piece) { return piece.entries; });
  const auto usual = entries.begin() + static_cast<std::ptrdiff_t>(entries.size() * 9 / 10);
  std::nth_element(entries.begin(), usual, entries.end());
  if (*usual < most) pieces = Cutter<width>(host, std::max(*usual, most / 2)).pieces();
  return pieces;
}

/// Shared memory of a warp, as the largest piece takes it, with what precedes its tuples in their first unit.
template <std::size_t width>
std::uint32_t shared_bytes_for(const std::vector<Piece>& pieces) {
  std::uint32_t tuples = 0;
  for (const Piece& piece : pieces)
    with_tuple<width>(format_of(piece), [&]<class Tuple>(Tuple) {
      tuples = std::max<std::uint32_t>(tuples, piece.entries * std::uint32_t{Tuple::bytes});
    });
  return (tuples_at + tuples + 2 * unit - 1) / unit * unit;
}

/// Entries of a piece at most, and who takes it: chosen by what was measured on stencils and finite elements.
struct Way {
  std::uint32_t most_entries;
  bool many_warps;
};
Way way_for(const BccooGpu<Viewed>& host) {
  constexpr std::uint32_t of_long_rows = 870;   // 32 rows of a 27-point stencil, and little more
  constexpr std::uint32_t of_short_rows = 450;  // 64 rows of a 7-point stencil
  const std::uint64_t row = host.nnz / std::max<std::uint64_t>(host.rows, 1);
  return {row < 14 ? of_short_rows : of_long_rows, row < 14 || row >= 40};
}

/// Calls use(Layout{}, Crew{}) with the one layout of all pieces, or that of any.
template <std::size_t width, class Use>
Status with_layout(const std::vector<Piece>& pieces, bool many_warps, Use&& use) {
  const std::uint8_t format = format_of(pieces.front());
  if (std::any_of(pieces.begin(), pieces.end(), [=](const Piece& piece) { return format_of(piece) != format; }))
    return use(AnyLayout<width>{}, LongBatches{});
  return with_tuple<width>(format, [&]<class Tuple>(Tuple) -> Status {
    return many_warps ? use(OneLayout<Tuple>{}, ManyWarps{}) : use(OneLayout<Tuple>{}, LongBatches{});
  });
}

/// Blocks of a launch, and warps of a block.
struct Grid {
  unsigned blocks = 0, warps = 0;
};

/// One block for each multiprocessor, where warps take `shared_bytes` each and there are that many pieces. Lets the
/// kernel have all the memory there is, since other matrices' products may want more of it, but leaves x in the cache
/// what this one does without.
template <class Crew, class Kernel>
Result<Grid> grid_for(Kernel kernel, std::uint32_t shared_bytes, std::uint64_t pieces) {
  int device = 0, processors = 0, memory = 0;
  SPRESS_CUDA_TRY(cudaGetDevice(&device));
  SPRESS_CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  SPRESS_CUDA_TRY(cudaDeviceGetAttribute(&memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  Grid grid;
  const auto most_blocks = static_cast<unsigned>(std::max(1, processors));
  const unsigned room = std::min(static_cast<unsigned>(memory) / shared_bytes, Crew::warps);
  grid.warps = std::clamp(blocks_for(pieces, most_blocks), 1u, std::max(1u, room));
  grid.blocks = std::min(most_blocks, blocks_for(pieces, grid.warps));
  SPRESS_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, memory));
  const int share = static_cast<int>(100 * std::uint64_t{grid.warps} * shared_bytes / static_cast<unsigned>(memory));
  SPRESS_CUDA_TRY(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, std::min(share + 2, 100)));
  return grid;
}

/// What a product keeps.
template <class T>
struct Plan {
  Task<T> task;  // less x and y
  std::shared_ptr<DeviceMemory> pieces;
  Carries<T> carries;
  std::uint64_t empty_rows = 0;  // in front of the first entry
  Grid grid;
};

template <class T, class Layout, class Crew>
Status multiply(const Plan<T>& plan, const T* x, T* y, Stream stream) {
  Task<T> task = plan.task;
  task.x = x;
  task.y = y;
  SPRESS_CHECK(fill_bytes(y, 0, plan.empty_rows * sizeof(T), stream));
  SPRESS_CHECK(launch_with_shared(sum_pieces<T, Layout, Crew>, plan.grid.blocks, plan.grid.warps * warp_size,
                                  std::size_t{plan.grid.warps} * task.shared_bytes, stream, task));
  return plan.carries.finish(y, stream);
}

template <class T, std::size_t width>
Result<Product<T>> make_width(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  Product<T> out;
  const Way way = way_for(host);
  const auto pieces = pieces_of<width>(host, way.most_entries);
  if (pieces.empty()) {
    out.multiply = [rows = host.rows](const T*, T* y, Stream stream) {
      return fill_bytes(y, 0, rows * sizeof(T), stream);
    };
    return out;
  }
  if (pieces.size() > 0xFFFFFFFFu) return Error{ErrorCode::unsupported, "more than 2^32 pieces of rows", {}, 0};
  out.kernel = "warp per " + std::to_string(host.nnz / pieces.size()) + " tuples";
  Plan<T> plan;
  SPRESS_TRY(DeviceMemory list, upload(std::span<const Piece>(pieces), "the list of pieces"));
  plan.pieces = std::make_shared<DeviceMemory>(std::move(list));
  SPRESS_TRY(plan.carries, Carries<T>::make(
                               pieces.size(), [&](std::uint64_t p) { return pieces[p].first_row; },
                               [&](std::uint64_t p) { return (pieces[p].format_and_begun & begun_bit) != 0; }));
  plan.empty_rows = pieces.front().first_row;
  plan.task = {device.data.data(),
               plan.pieces->template as<Piece>(),
               static_cast<std::uint32_t>(pieces.size()),
               shared_bytes_for<width>(pieces),
               static_cast<const T*>(device.lut.raw()),
               nullptr,
               nullptr,
               plan.carries.first_sums()};
  SPRESS_CHECK(with_layout<width>(pieces, way.many_warps, [&]<class Layout, class Crew>(Layout, Crew) -> Status {
    SPRESS_TRY(plan.grid, grid_for<Crew>(sum_pieces<T, Layout, Crew>, plan.task.shared_bytes, pieces.size()));
    out.multiply = [plan](const T* x, T* y, Stream stream) { return multiply<T, Layout, Crew>(plan, x, y, stream); };
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
