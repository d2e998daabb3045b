// Tiles of a matrix that a warp brings into shared memory while it works on others: copies without registers in
// between, the order of the work, and values read from there. A copy begins anywhere: it is made from the 16-byte
// boundary below, in steps of 16 bytes a lane.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/tables.cuh"

namespace spress::cuda {

inline constexpr unsigned copy_step = 16;  // bytes

/// Bytes of shared memory that a copy of `bytes` takes at most, wherever it begins.
[[nodiscard]] constexpr unsigned staged_bytes(unsigned bytes) {
  return (bytes + 2 * copy_step - 2) / copy_step * copy_step;
}

/// What is read once: it leaves x the L2 cache.
[[nodiscard]] __device__ __forceinline__ std::uint64_t read_once_policy() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// Copies of one tile into its stage, one behind the other. All lanes of the warp take part, with the same arguments.
class StageCopies {
 public:
  /// stage: aligned to 16 bytes, with room for staged_bytes of each copy.
  __device__ __forceinline__ StageCopies(char* stage, std::uint64_t policy) : at_(stage), policy_(policy) {}

  /// Starts copying `bytes` from `from`; returns where they will be. Nothing outside of them is read but what shares
  /// the first 16 bytes: arrays begin at such a boundary, or within another.
  template <class E>
  [[nodiscard]] __device__ __forceinline__ const E* copy(const E* from, unsigned count) {
    const unsigned skipped = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % copy_step);
    const char* const aligned = reinterpret_cast<const char*>(from) - skipped;
    const auto target = static_cast<unsigned>(__cvta_generic_to_shared(at_));
    const unsigned all = skipped + count * static_cast<unsigned>(sizeof(E));
    for (unsigned i = threadIdx.x % warp_size * copy_step; i < all; i += warp_size * copy_step)
      asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(target + i),
                   "l"(aligned + i), "r"(min(copy_step, all - i)), "l"(policy_)
                   : "memory");
    const char* const there = at_ + skipped;
    at_ += staged_bytes(count * static_cast<unsigned>(sizeof(E)));
    return reinterpret_cast<const E*>(there);
  }

  /// Ends the group of copies of this tile, maybe of none.
  static __device__ __forceinline__ void end() { asm volatile("cp.async.commit_group;" ::: "memory"); }

 private:
  char* at_;
  std::uint64_t policy_;
};

/// Waits for all groups of this warp's copies but the last `later`.
template <int later>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(later) : "memory");
  __syncwarp();
}

/// One warp's way through tiles first, first + stride, ...: while it multiplies one, the next stages - 1 are on their
/// way. work.tile_at(t): the t-th as it stands in memory, a tile of nothing behind the last. work.start(tile, stage):
/// starts its copies, ends their group, and returns what multiply needs to know. work.multiply(that).
/// tile_at and start must not compute with what they have just loaded, or the warp waits for that there and then.
template <unsigned stages, class Work>
__device__ __forceinline__ void walk_tiles(Work& work, std::uint64_t first, std::uint64_t stride, std::uint64_t count) {
  typename Work::Staged on_way[stages - 1];
#pragma unroll
  for (unsigned s = 0; s < stages - 1; ++s) on_way[s] = work.start(work.tile_at(first + s * stride), s);
  auto later = work.tile_at(first + (stages - 1) * stride);
  unsigned stage = stages - 1;
  for (std::uint64_t t = first; t < count; t += stride) {
    const typename Work::Staged next = work.start(later, stage);
    later = work.tile_at(t + stages * stride);  // known before it is wanted
    wait_for_copies<stages - 1>();
    work.multiply(on_way[0]);
    __syncwarp();  // its stage is free again
#pragma unroll
    for (unsigned s = 0; s + 2 < stages; ++s) on_way[s] = on_way[s + 1];
    on_way[stages - 2] = next;
    stage = stage + 1 == stages ? 0 : stage + 1;
  }
}

/// The lower half of a position, as one load: enough for differences.
[[nodiscard]] __device__ __forceinline__ std::uint32_t low_word(const DevicePositions& positions, std::uint64_t i) {
  return load_shared(static_cast<const std::uint32_t*>(positions.data) + (positions.wide ? 2 * i : i));
}

// --- Values in shared memory ---

/// How a store's codes are brought there and read. table_bytes: of a table that goes along.
template <class Values>
struct StagedValues;

template <class T>
struct StagedValues<OnDevice<IsoAddress<T>>> {
  static constexpr unsigned table_bytes = 0;
  OnDevice<IsoAddress<T>> values;
  __device__ StagedValues(OnDevice<IsoAddress<T>> v, const char*) : values(v) {}
  [[nodiscard]] __device__ __forceinline__ const char* copy(StageCopies&, std::uint64_t, unsigned) const {
    return nullptr;
  }
  [[nodiscard]] __device__ __forceinline__ auto read(const char*, unsigned) const { return values[0]; }
};

template <class T, template <class, class> class Accessor, class Code>
struct StagedValues<OnDevice<Accessor<T, Code>>> {
  static constexpr unsigned table_bytes = 0;
  OnDevice<Accessor<T, Code>> values;
  __device__ StagedValues(OnDevice<Accessor<T, Code>> v, const char*) : values(v) {}
  /// Codes [first, first + count), on their way to where read finds them.
  [[nodiscard]] __device__ __forceinline__ const char* copy(StageCopies& to, std::uint64_t first,
                                                            unsigned count) const {
    return reinterpret_cast<const char*>(to.copy(values.codes + first, count));
  }
  /// The value of the k-th code that copy brought.
  [[nodiscard]] __device__ __forceinline__ T read(const char* codes, unsigned k) const {
    return values.decode(reinterpret_cast<const Code*>(codes)[k]);
  }
};
/// 256 values fit beside the codes.
template <class T>
struct StagedValues<OnDevice<TableAccessor<T, std::uint8_t>>> {
  static constexpr unsigned table_bytes = BankedTable<T>::bytes;
  const std::uint8_t* codes;
  BankedTable<T> table;
  __device__ StagedValues(OnDevice<TableAccessor<T, std::uint8_t>> v, const char* shared)
      : codes(v.codes), table(shared) {}
  [[nodiscard]] __device__ __forceinline__ const char* copy(StageCopies& to, std::uint64_t first,
                                                            unsigned count) const {
    return reinterpret_cast<const char*>(to.copy(codes + first, count));
  }
  [[nodiscard]] __device__ __forceinline__ T read(const char* staged, unsigned k) const {
    return table[static_cast<std::uint8_t>(staged[k])];
  }
};

/// Brings the table of values to the front of shared memory where it goes there. All threads of the block take part.
template <class T, class Values>
__device__ __forceinline__ void stage_table(const Values& values, unsigned table_size, char* shared) {
  if constexpr (StagedValues<Values>::table_bytes != 0) BankedTable<T>::fill(values.table, table_size, shared);
}

/// Threads of a block, and blocks for which there are registers at least: a table is shared among more warps.
template <class Values>
inline constexpr unsigned staged_block_size = StagedValues<Values>::table_bytes != 0 ? 256 : 128;
template <class Values>
inline constexpr unsigned staged_blocks = 768 / staged_block_size<Values>;

/// Bytes of a tile on average: few enough that many warps find room, whose latencies hide behind each other; and at
/// most.
struct TileBytes {
  std::uint32_t wanted, most;
};
[[nodiscard]] inline TileBytes staged_tile_bytes(StoreKind values) {
  return values == StoreKind::lut8 ? TileBytes{2720, 2880} : TileBytes{4480, 8960};
}

// --- Launches ---

/// How many blocks a kernel gets, and how much shared memory each.
struct BlocksAndMemory {
  unsigned blocks = 0;
  std::size_t shared_bytes = 0;
};

/// As many blocks as run at a time, or as have work if `tiles` are dealt to all warps. Lets the kernel have the memory.
template <class Kernel>
[[nodiscard]] Result<BlocksAndMemory> fill_device(Kernel kernel, unsigned block_size, std::size_t shared_bytes,
                                                  std::uint64_t tiles) {
  SPRESS_TRY(const unsigned most, resident_blocks(kernel, block_size, shared_bytes));
  return BlocksAndMemory{std::min(most, blocks_for(tiles, block_size / warp_size)), shared_bytes};
}

}  // namespace spress::cuda
