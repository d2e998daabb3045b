#include "formats/coo/bccoo_gpu.hpp"
#include "kernels/cuda/expand/expand.cuh"
#include "kernels/cuda/shared/bytes.cuh"

namespace spress::cuda {
namespace {

using namespace bccoo_gpu;

constexpr unsigned block = 128;

/// The arrays on the device.
struct Chunks {
  const std::uint8_t* data;
  DevicePositions offset;
  const std::uint32_t *row, *column;
  const std::uint8_t* format;
  const void* lut;
  std::uint64_t count, rows;
};

/// What all tuples of a chunk are like: the row's byte, the column, the value. width: bytes of a value in full.
struct Layout {
  unsigned column_bytes, bytes;
  bool table;
  __device__ __forceinline__ Layout(unsigned format, unsigned width)
      : column_bytes(1u << (format & column_bits)), table((format & by_table) != 0) {
    bytes = 1 + column_bytes + (table ? 1 : width);
  }
  __device__ __forceinline__ std::uint32_t column(const std::uint8_t* tuple) const {
    if (column_bytes == 1) return tuple[1];
    return column_bytes == 2 ? read_bytes<2>(tuple + 1) : read_bytes<4>(tuple + 1);
  }
};

/// How many entries each chunk has; behind the last one anything, which a scan overwrites.
__global__ void count_entries(Chunks a, unsigned width, unsigned long long* counts) {
  const std::uint64_t h = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (h < a.count) counts[h] = (a.offset[h + 1] - a.offset[h]) / Layout(a.format[h], width).bytes;
  if (h == a.count) counts[h] = 0;
}

/// A warp a chunk.
template <class Bits>
__global__ void expand_chunks(Chunks a, std::uint64_t first, std::uint64_t last, const unsigned long long* starts,
                              RowPointers row_ptr, std::uint32_t* col_idx, Bits* values) {
  const unsigned lane = threadIdx.x % warp_size;
  [[maybe_unused]] const auto* lut = static_cast<const Bits*>(a.lut);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (block / warp_size);
  std::uint64_t h = first + (std::uint64_t{blockIdx.x} * block + threadIdx.x) / warp_size;
  for (; h < last; h += stride) {
    const Layout layout(a.format[h], width_of_bits<Bits>);
    const std::uint64_t begin = starts[h], count = starts[h + 1] - begin, row = a.row[h];
    const std::uint8_t* const data = a.data + a.offset[h];
    for (std::uint64_t e = lane; e < count; e += warp_size) {
      const std::uint8_t* const tuple = data + e * layout.bytes;
      const unsigned here = tuple[0], before = e == 0 ? 0 : tuple[-static_cast<int>(layout.bytes)];
      for (unsigned r = before; r < here; ++r) row_ptr.set(row + r + 1, begin + e);
      col_idx[begin + e] = a.column[h] + layout.column(tuple);
      if constexpr (width_of_bits<Bits> != 0) {
        const std::uint8_t* const value = tuple + 1 + layout.column_bytes;
        values[begin + e] = layout.table ? lut[*value] : read_value<Bits>(value);
      }
    }
    const std::uint64_t reached = row + data[(count - 1) * layout.bytes],
                        next = h + 1 < a.count ? a.row[h + 1] : a.rows;
    for (std::uint64_t r = reached + lane; r < next; r += warp_size) row_ptr.set(r + 1, begin + count);
  }
}

}  // namespace

template <>
Result<Expansion> expansion<BccooGpu>(const ExpandTask<BccooGpu>& task) {
  const auto& [host, device, target, size] = task;
  const std::uint64_t count = host.row.size();
  Cutter cutter(count, size);
  cutter.whole(host.lut, device.lut);
  cutter.whole(host.row, device.row);
  cutter.whole(host.column, device.column);
  cutter.whole(host.format, device.format);
  cutter.whole(host.offset, device.offset);
  cutter.part(host.data, device.data, [offset = host.offset](std::uint64_t h) { return offset.position(h); });
  const Chunks chunks = {device.data.data(),
                         DevicePositions(device.offset),
                         device.row.data(),
                         device.column.data(),
                         device.format.data(),
                         device.lut.raw(),
                         count,
                         host.rows};
  const std::uint64_t leading = count == 0 ? host.rows + 1 : host.row[0] + std::uint64_t{1};
  Expansion out;
  SPRESS_TRY(auto* starts, scratch_of<unsigned long long>(out, count + 1));
  SPRESS_TRY(const Scan scan, Scan::make(out, starts, true, count + 1));
  const auto width = static_cast<unsigned>(size_of(host.value_type));
  cutter.add_pieces(
      out,
      [=, target = target](Stream stream) -> Status {
        SPRESS_CHECK(RowPointers(target.row_ptr).clear(leading, stream));
        SPRESS_CHECK(launch(count_entries, blocks_for(count + 1, 256), 256, stream, chunks, width, starts));
        return scan.run(stream);
      },
      [=, target = target](std::uint64_t first, std::uint64_t last, Stream stream) {
        return with_bits_of(target.values.type, [&]<class Bits>(Bits) -> Status {
          return launch(expand_chunks<Bits>, blocks_for(last - first, block / warp_size), block, stream, chunks, first,
                        last, starts, RowPointers(target.row_ptr), const_cast<std::uint32_t*>(target.col_idx.data()),
                        static_cast<Bits*>(const_cast<void*>(target.values.codes.raw())));
        });
      });
  finish(out, task);
  return out;
}

}  // namespace spress::cuda
