// The product of slice-delta where slices are alike: a warp adds up two that share their description, so that what it
// says is read, and what follows from it worked out, once for both.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "kernels/cuda/shared/tables.cuh"
#include "kernels/cuda/slice_delta/slice_arrays.cuh"
#include "kernels/cuda/slice_delta/slice_pairs.hpp"

namespace spress::cuda {

/// Two blocks of so many threads for a multiprocessor leave each thread registers for two turns on their way.
inline constexpr unsigned pair_threads = 512;

/// What stands at a place if it is wanted, else 0, without a look there. So that the address is worked out in any case:
/// the compiler would do that under the condition, and fetch anew, for each, where x begins.
template <class T>
__device__ __forceinline__ T load_if(bool wanted, const T* at) {
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>);
  T value = 0;
  if constexpr (std::is_same_v<T, double>)
    asm("{ .reg .pred wanted;  setp.ne.u32 wanted, %2, 0;  @wanted ld.global.nc.f64 %0, [%1]; }"
        : "+d"(value)
        : "l"(at), "r"(static_cast<std::uint32_t>(wanted)));
  else
    asm("{ .reg .pred wanted;  setp.ne.u32 wanted, %2, 0;  @wanted ld.global.nc.f32 %0, [%1]; }"
        : "+f"(value)
        : "l"(at), "r"(static_cast<std::uint32_t>(wanted)));
  return value;
}

/// Values by codes of one byte, a table of all of them in shared memory.
template <class T>
class NearCodes {
 public:
  static constexpr unsigned shared_bytes = BankedTable<T>::bytes;
  using Codes = std::uint32_t;  // of the four steps of a turn
  using Place = const std::uint8_t*;

  /// What the kernel is given. codes: at a multiple of 4. table: null where codes are the values, as signed numbers.
  struct Source {
    const std::uint8_t* codes;
    const T* table;
    std::uint32_t table_size;
  };

  /// All threads of the block take part.
  __device__ __forceinline__ NearCodes(const Source& from, void* shared) : codes_(from.codes), table_(shared) {
    BankedTable<T>::fill(from.table ? from.table_size : 256, shared, [&](unsigned code) {
      return from.table ? load_shared(from.table + code) : static_cast<T>(static_cast<std::int8_t>(code));
    });
  }

  /// The codes of a lane in four whole steps, which begin with number `at`. As read_bytes, but from a number on, which
  /// takes fewer instructions than an address of 64 bits.
  __device__ __forceinline__ Codes load_turn(std::uint32_t at) const {
    const std::uint32_t* const word =
        reinterpret_cast<const std::uint32_t*>(codes_) + (at / 4 + threadIdx.x % warp_size);
    const std::uint32_t behind = at % 4 != 0 ? __ldg(word + 1) : 0;  // it may not be there otherwise
    return __funnelshift_r(__ldg(word), behind, 8 * at);             // of the shift the lower five bits count
  }
  /// Where number `at` stands, and the code some numbers behind it.
  __device__ __forceinline__ Place place(std::uint32_t at) const { return codes_ + at; }
  __device__ __forceinline__ std::uint32_t load(Place place, std::uint32_t behind) const {
    return load_once(place + behind);
  }
  __device__ __forceinline__ T of_turn(Codes codes, unsigned u) const { return table_.of_byte(codes, u); }
  __device__ __forceinline__ T of(std::uint32_t code) const { return table_[code]; }

 private:
  const std::uint8_t* codes_;
  BankedTable<T> table_;
};

/// One value for all entries.
template <class T>
class OneForAll {
 public:
  static constexpr unsigned shared_bytes = 0;
  using Codes = NoCode;
  using Place = NoCode;

  using Source = OnDevice<IsoAddress<T>>;  // what the kernel is given

  __device__ __forceinline__ OneForAll(const Source& from, void*) : value_(from[0]) {}

  __device__ __forceinline__ Codes load_turn(std::uint32_t) const { return {}; }
  __device__ __forceinline__ Place place(std::uint32_t) const { return {}; }
  __device__ __forceinline__ std::uint32_t load(Place, std::uint32_t) const { return 0; }
  __device__ __forceinline__ T of_turn(Codes, unsigned) const { return value_; }
  __device__ __forceinline__ T of(std::uint32_t) const { return value_; }

 private:
  T value_;
};

/// A lane on its way through two slices.
template <class T>
struct PairState {
  std::uint32_t column[2];  // two, though they go together: an address is then one instruction, not three
  std::uint32_t code[2];    // number of the next turn's first
  T sum[2];
};

/// Four steps in which all lanes take an entry.
template <class T, class Values>
__device__ __forceinline__ void add_whole_turn(const Values& values, const std::uint32_t (&word)[4], const T* x,
                                               PairState<T>& state) {
  typename Values::Codes codes[2];
#pragma unroll
  for (unsigned s = 0; s < 2; ++s) codes[s] = values.load_turn(state.code[s]);
  T factors[4][2];
#pragma unroll
  for (unsigned u = 0; u < 4; ++u) {
#pragma unroll
    for (unsigned s = 0; s < 2; ++s) {
      state.column[s] += slice_words::base(word[u]);
      factors[u][s] = load_shared(x + state.column[s]);
    }
  }
#pragma unroll
  for (unsigned u = 0; u < 4; ++u)
#pragma unroll
    for (unsigned s = 0; s < 2; ++s) state.sum[s] += values.of_turn(codes[s], u) * factors[u][s];
#pragma unroll
  for (unsigned s = 0; s < 2; ++s) state.code[s] += 4 * warp_size;
}

/// The last one to three steps, in which all lanes take an entry.
template <class T, class Values>
__device__ __forceinline__ void add_last_steps(const Values& values, const std::uint32_t (&word)[4],
                                               std::uint32_t count, const T* x, PairState<T>& state) {
  const unsigned lane = threadIdx.x % warp_size;
  typename Values::Place first[2];
#pragma unroll
  for (unsigned s = 0; s < 2; ++s) first[s] = values.place(state.code[s] + lane);
  std::uint32_t codes[3][2];
  T factors[3][2];
#pragma unroll
  for (unsigned u = 0; u < 3; ++u) {  // in place of steps behind the last, others are loaded again
#pragma unroll
    for (unsigned s = 0; s < 2; ++s) {
      if (u < count) state.column[s] += slice_words::base(word[u]);
      codes[u][s] = values.load(first[s], u < count ? u * warp_size : 0);
      factors[u][s] = load_shared(x + state.column[s]);
    }
  }
#pragma unroll
  for (unsigned u = 0; u < 3; ++u)
#pragma unroll
    for (unsigned s = 0; s < 2; ++s)
      if (u < count) state.sum[s] += values.of(codes[u][s]) * factors[u][s];
}

/// Up to four steps, of which some lanes take no entry: they multiply the value of another by 0.
template <class T, class Values>
__device__ __forceinline__ void add_masked_turn(const Values& values, const std::uint32_t (&word)[4],
                                                const std::uint32_t (&mask)[4], const T* x, PairState<T>& state) {
  const std::uint32_t before = lanes_before(), own_bit = 1u << threadIdx.x % warp_size;
  const std::uint32_t entries = __popc(mask[0]) + __popc(mask[1]) + __popc(mask[2]) + __popc(mask[3]);
  typename Values::Place first[2];
#pragma unroll
  for (unsigned s = 0; s < 2; ++s) first[s] = values.place(state.code[s]);
  std::uint32_t codes[4][2], taken = 0;
  T factors[4][2];
#pragma unroll
  for (unsigned u = 0; u < 4; ++u) {
    const std::uint32_t entry = min(taken + __popc(mask[u] & before), entries - 1);
    const bool takes = (mask[u] & own_bit) != 0;
    taken += __popc(mask[u]);
#pragma unroll
    for (unsigned s = 0; s < 2; ++s) {
      codes[u][s] = values.load(first[s], entry);
      state.column[s] += slice_words::base(word[u]);
      factors[u][s] = load_if(takes, x + state.column[s]);
    }
  }
#pragma unroll
  for (unsigned u = 0; u < 4; ++u)
#pragma unroll
    for (unsigned s = 0; s < 2; ++s) state.sum[s] += values.of(codes[u][s]) * factors[u][s];
#pragma unroll
  for (unsigned s = 0; s < 2; ++s) state.code[s] += entries;
}

/// Adds up the steps of a description. steps: its first step's word.
template <class T, class Values>
__device__ __forceinline__ void add_steps(const Values& values, const std::uint32_t* steps, const T* x,
                                          PairState<T>& state) {
  const std::uint32_t head = __ldg(steps - 1);
  const auto* turn = reinterpret_cast<const uint4*>(steps);
  const auto* masks = reinterpret_cast<const uint4*>(steps + slice_words::words_to_masks(head));
  std::uint32_t left = slice_words::steps(head);
#pragma unroll 1
  while (left != 0) {
    const uint4 words = __ldg(turn++);
    const std::uint32_t word[4] = {words.x, words.y, words.z, words.w};
    if (left >= 4 && !slice_words::is_masked(words.x | words.y | words.z | words.w)) {
      add_whole_turn(values, word, x, state);
      left -= 4;
      continue;
    }
    const std::uint32_t any = words.x | (left > 1 ? words.y : 0) | (left > 2 ? words.z : 0) | (left > 3 ? words.w : 0);
    if (slice_words::is_masked(any)) {
      const uint4 bits = __ldg(masks++);
      const std::uint32_t mask[4] = {bits.x, bits.y, bits.z, bits.w};
      add_masked_turn(values, word, mask, x, state);
    } else {
      add_last_steps(values, word, left, x, state);
    }
    left -= min(left, 4u);
  }
}

/// A warp a pair. mapped: rows are sorted, or begin alike by blocks.
template <bool mapped, class T, class Values>
__global__ void __launch_bounds__(pair_threads, 2)
    multiply_pairs(const SliceArrays a, const SlicePair* pairs, std::uint32_t count,
                   const typename Values::Source source, const T* x, T* y) {
  extern __shared__ __align__(16) unsigned char pair_table[];
  const Values values(source, pair_table);
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint32_t stride = gridDim.x * (pair_threads / warp_size);
  std::uint32_t i = blockIdx.x * (pair_threads / warp_size) + threadIdx.x / warp_size;
  if (i >= count) return;
  SlicePair next = pairs[i];
  while (true) {
    const SlicePair pair = next;
    i += stride;
    const bool is_last = i >= count;
    if (!is_last) next = pairs[i];  // comes while this one is summed
    PairState<T> state;
#pragma unroll
    for (unsigned s = 0; s < 2; ++s) {
      const std::uint32_t stored = pair.slice[s] * slice_rows + lane;
      state.column[s] = mapped ? a.column(a.row(stored)) : stored;
      state.code[s] = pair.value[s];
      state.sum[s] = 0;
      asm volatile("" : "+r"(state.column[s]));  // else the second's is made of the first's
    }
    add_steps(values, a.words + pair.first_word, x, state);
#pragma unroll
    for (unsigned s = 0; s < 2; ++s) {
      const std::uint32_t stored = pair.slice[s] * slice_rows + lane;
      if (stored < a.rows) y[mapped ? a.row(stored) : stored] = state.sum[s];
    }
    if (is_last) return;
  }
}

/// How pairs take the values of a store: has a `type` where they do.
template <class Store>
struct PairValues {};
template <class T>
struct PairValues<OnDevice<TableAccessor<T, std::uint8_t>>> {
  using type = NearCodes<T>;
  static typename type::Source source(const OnDevice<TableAccessor<T, std::uint8_t>>& store, std::uint32_t table_size) {
    return {store.codes, store.table, table_size};
  }
};
template <class T>
struct PairValues<OnDevice<CastAccessor<T, std::int8_t>>> {
  using type = NearCodes<T>;
  static typename type::Source source(const OnDevice<CastAccessor<T, std::int8_t>>& store, std::uint32_t) {
    return {reinterpret_cast<const std::uint8_t*>(store.codes), nullptr, 0};
  }
};
template <class T>
struct PairValues<OnDevice<IsoAddress<T>>> {
  using type = OneForAll<T>;
  static typename type::Source source(const OnDevice<IsoAddress<T>>& store, std::uint32_t) { return store; }
};

/// The product of a matrix by pairs. pairs: as pair_slices has them for it. Errors: as allocate and copy_to_device.
template <class T>
[[nodiscard]] Result<Product<T>> make_pairs(const std::vector<SlicePair>& pairs, const SliceDelta<Viewed>& device) {
  SPRESS_TRY(DeviceMemory memory, upload(std::span<const SlicePair>(pairs), "the list of pairs of slices"));
  const auto list = std::make_shared<DeviceMemory>(std::move(memory));
  const auto count = static_cast<std::uint32_t>(pairs.size());
  const SliceArrays arrays(device);
  const auto table_size = static_cast<std::uint32_t>(device.values.table.size());
  const bool mapped = arrays.row_perm != nullptr || arrays.block != 1;
  return with_device_accessor<T, Result<Product<T>>>(
      device.values, [&]<class Store>(const Store& store) -> Result<Product<T>> {
        if constexpr (!requires { typename PairValues<Store>::type; }) {
          return Error{ErrorCode::unsupported, "values of this store are not taken by pairs of slices"};
        } else {
          using Values = typename PairValues<Store>::type;
          const auto source = PairValues<Store>::source(store, table_size);
          const auto kernel = mapped ? multiply_pairs<true, T, Values> : multiply_pairs<false, T, Values>;
          SPRESS_TRY(const unsigned resident, resident_blocks(kernel, pair_threads, Values::shared_bytes));
          const unsigned blocks = std::min(blocks_for(count, pair_threads / warp_size), resident);
          Product<T> out;
          out.kernel = "row per lane, two slices a warp";
          out.multiply = [=](const T* x, T* y, Stream stream) {
            return launch_with_shared(kernel, blocks, pair_threads, Values::shared_bytes, stream, arrays,
                                      list->template as<SlicePair>(), count, source, x, y);
          };
          return Result<Product<T>>(std::move(out));
        }
      });
}

}  // namespace spress::cuda
