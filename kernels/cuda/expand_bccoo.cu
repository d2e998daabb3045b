#include "formats/bccoo.hpp"
#include "kernels/cuda/expand.cuh"

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

/// One entry, as the walk over the tuples finds it.
struct Entry {
  std::uint32_t column = 0;
  bool in_table = false;
  const std::uint8_t* value = nullptr;
};

/// Walks the tuples of one chunk. Every tuple says how long it is, so all lanes go the same way together, and each
/// keeps the entries whose turn it is.
template <std::size_t width>
struct Walk {
  const std::uint8_t *at, *end;
  std::uint64_t row;
  std::uint32_t column = 0;

  /// The next entries, at most one for each lane. entries: how many were taken before. Returns how many were found.
  __device__ __forceinline__ unsigned next(std::uint64_t entries, unsigned lane, RowPointers row_ptr, Entry& mine) {
    unsigned found = 0;
    while (at < end && found < warp_size) {
      const unsigned key = __ldg(at++), step = key & step_mask;
      if (step < step_follows) {
        column += step;
      } else if (step == end_of_row) {
        ++row;
        if (lane == 0) row_ptr.set(row, entries + found);
        continue;
      } else if (step == step_follows) {
        column += read_bytes<2>(at);
        at += 2;
      } else {
        column = read_bytes<4>(at);
        at += 4;
      }
      const bool in_table = (key & by_table) != 0;
      if (found == lane) mine = {column, in_table, at};
      at += in_table ? 1 : width;
      ++found;
    }
    return found;
  }
};

/// A warp a chunk.
template <class Bits>
__global__ void expand_chunks(Tuples a, std::uint64_t first, std::uint64_t last, RowPointers row_ptr,
                              std::uint32_t* col_idx, Bits* values) {
  const unsigned lane = threadIdx.x % warp_size;
  const auto* lut = static_cast<const Bits*>(a.lut);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / warp_size);
  std::uint64_t h = first + (std::uint64_t{blockIdx.x} * block + threadIdx.x) / warp_size;
  for (; h < last; h += stride) {
    Walk<width_of_bits<Bits>> walk{a.data + a.offset[h], a.data + a.offset[h + 1], a.row[h]};
    std::uint64_t k = h * a.chunk;
    Entry mine;
    while (const unsigned found = walk.next(k, lane, row_ptr, mine)) {
      if (lane < found) {
        col_idx[k + lane] = mine.column;
        if constexpr (width_of_bits<Bits> != 0)
          values[k + lane] = mine.in_table ? lut[*mine.value] : read_value<Bits>(mine.value);
      }
      k += found;
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
