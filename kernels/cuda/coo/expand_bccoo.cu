#include "formats/coo/bccoo.hpp"
#include "kernels/cuda/expand/expand.cuh"

namespace spress::cuda {
namespace {

using namespace bccoo;

constexpr unsigned block = 128;

/// The arrays on the device.
struct Tuples {
  const std::uint8_t* data;
  DevicePositions offset;
  const std::uint32_t* row;
  const void* lut;
  std::uint64_t chunk;
};

/// One entry, as the walk over the tuples finds it: its value part stands at `value` of the window.
struct Entry {
  std::uint32_t column = 0;
  unsigned value = 0;
  bool in_table = false;
};

/// A piece of a stream in shared memory: a walk that reads its keys from there waits for each far less.
class Window {
 public:
  static constexpr unsigned size = 1024;
  static constexpr unsigned longest_tuple = 1 + 4 + 16;

  /// memory: `size` bytes, aligned to 16; data: aligned likewise, and readable up to a multiple of 16 bytes.
  __device__ Window(std::uint8_t* memory, const std::uint8_t* data) : memory_(memory), data_(data) {}

  /// Reads what lies from `at` on, as far as there is room. All lanes take part.
  __device__ __forceinline__ void move_to(std::uint64_t at, std::uint64_t end, unsigned lane) {
    begin_ = at / 16 * 16;
    __syncwarp();
#pragma unroll
    for (unsigned i = 16 * lane; i < size; i += 16 * warp_size)
      if (begin_ + i < end)
        *reinterpret_cast<uint4*>(memory_ + i) = load_once(reinterpret_cast<const uint4*>(data_ + begin_ + i));
    __syncwarp();
  }
  [[nodiscard]] __device__ __forceinline__ unsigned place(std::uint64_t at) const {
    return static_cast<unsigned>(at - begin_);
  }
  /// Tuples at places before this one lie inside as a whole, if the stream has them.
  [[nodiscard]] __device__ __forceinline__ unsigned limit(std::uint64_t end) const {
    return static_cast<unsigned>(min(end - begin_, std::uint64_t{size - longest_tuple + 1}));
  }
  [[nodiscard]] __device__ __forceinline__ unsigned byte(unsigned place) const { return memory_[place]; }
  /// The four bytes from a place on.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t word(unsigned place) const {
    const auto* words = reinterpret_cast<const std::uint32_t*>(memory_) + place / 4;
    return __funnelshift_r(words[0], words[1], 8 * (place % 4));
  }

 private:
  std::uint8_t* memory_;
  const std::uint8_t* data_;
  std::uint64_t begin_ = 0;  // of what is there
};

/// Walks the tuples of one chunk. Every tuple says how long it is, so all lanes go the same way together, and each
/// keeps the entries whose turn it is. How long the walk waits for each tuple is what the whole costs.
template <std::size_t width>
struct Walk {
  std::uint64_t at, end;  // in the stream
  std::uint64_t row;
  std::uint32_t column = 0;

  /// The next entries in the window, at most one for each lane. entries: how many were taken before. Returns how many
  /// were found.
  __device__ __forceinline__ unsigned next(const Window& window, std::uint64_t entries, unsigned lane,
                                           RowPointers row_ptr, Entry& mine) {
    const unsigned begin = window.place(at), limit = window.limit(end);
    unsigned found = 0, place = begin;
    while (place < limit && found < warp_size) {
      const std::uint32_t bytes = window.word(place);  // the key and what follows
      const unsigned step = bytes & step_mask;
      unsigned value = place + 1;
      if (step < step_follows) {
        column += step;
      } else if (step == end_of_row) {
        ++row, ++place;
        if (lane == 0) row_ptr.set(row, entries + found);
        continue;
      } else if (step == step_follows) {
        column += bytes >> 8 & 0xFFFF;
        value += 2;
      } else {
        column = window.word(place + 1);
        value += 4;
      }
      const bool in_table = (bytes & by_table) != 0;
      if (found == lane) mine = {column, value, in_table};
      place = value + (in_table ? 1 : width);
      ++found;
    }
    at += place - begin;
    return found;
  }
};

template <class Bits>
__device__ __forceinline__ Bits value_of(const Entry& entry, const Window& window, const Bits* lut) {
  if (entry.in_table) return lut[window.byte(entry.value)];
  const auto bits64 = [&](unsigned place) { return window.word(place) | std::uint64_t{window.word(place + 4)} << 32; };
  if constexpr (sizeof(Bits) == 4)
    return window.word(entry.value);
  else if constexpr (sizeof(Bits) == 8)
    return bits64(entry.value);
  else
    return {bits64(entry.value), bits64(entry.value + 8)};
}

/// A warp a chunk.
template <class Bits>
__global__ void expand_chunks(Tuples a, std::uint64_t first, std::uint64_t last, RowPointers row_ptr,
                              std::uint32_t* col_idx, Bits* values) {
  __shared__ alignas(16) std::uint8_t windows[block / warp_size][Window::size + 16];  // words behind may be read
  const unsigned lane = threadIdx.x % warp_size;
  [[maybe_unused]] const auto* lut = static_cast<const Bits*>(a.lut);
  Window window(windows[threadIdx.x / warp_size], a.data);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / warp_size);
  std::uint64_t h = first + (std::uint64_t{blockIdx.x} * block + threadIdx.x) / warp_size;
  for (; h < last; h += stride) {
    Walk<width_of_bits<Bits>> walk{a.offset[h], a.offset[h + 1], a.row[h]};
    std::uint64_t k = h * a.chunk;
    while (walk.at < walk.end) {
      window.move_to(walk.at, walk.end, lane);
      Entry mine;
      while (const unsigned found = walk.next(window, k, lane, row_ptr, mine)) {
        if (lane < found) {
          col_idx[k + lane] = mine.column;
          if constexpr (width_of_bits<Bits> != 0) values[k + lane] = value_of(mine, window, lut);
        }
        k += found;
      }
    }
  }
}

}  // namespace

template <>
Result<Expansion> expansion<Bccoo>(const ExpandTask<Bccoo>& task) {
  const auto& [host, device, target, size] = task;
  Cutter cutter(host.row.size(), size);
  cutter.whole(host.lut, device.lut);
  cutter.whole(host.row, device.row);
  cutter.whole(host.offset, device.offset);
  cutter.part(host.data, device.data, [offset = host.offset](std::uint64_t h) { return offset.position(h); });
  const Tuples tuples = {device.data.data(), DevicePositions(device.offset), device.row.data(), device.lut.raw(),
                         host.chunk};
  // Rows in front of the first entry have no end in any chunk.
  const std::uint64_t leading = host.row.empty() ? host.rows + 1 : host.row[0] + std::uint64_t{1};
  Expansion out;
  cutter.add_pieces(
      out, [target = target, leading](Stream stream) { return RowPointers(target.row_ptr).clear(leading, stream); },
      [=, target = target](std::uint64_t first, std::uint64_t last, Stream stream) {
        return with_bits_of(target.values.type, [&]<class Bits>(Bits) -> Status {
          return launch(expand_chunks<Bits>, blocks_for(last - first, block / warp_size), block, stream, tuples, first,
                        last, RowPointers(target.row_ptr), const_cast<std::uint32_t*>(target.col_idx.data()),
                        static_cast<Bits*>(const_cast<void*>(target.values.codes.raw())));
        });
      });
  finish(out, task);
  return out;
}

}  // namespace spress::cuda
