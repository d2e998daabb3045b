// x under the lanes of a slice whose columns all grow by the same numbers, as they do as long as no residual parts
// them.
//   move(base)          the next step begins
//   step(first)         x under the lanes in this step; `first` is the first lane that has an entry
//   step.load(b)        under the lanes of vector b, all of which have one
//   step.load(b, some)  under those lanes of vector b that the lowest bits of `some` choose; the others are not read
// Columns are reckoned modulo 2^32, so that only those of lanes with an entry say where in x they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "formats/slice_delta.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/simd_steps.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

template <class T>
inline constexpr int step_vectors = step_lanes / Simd<T>::lanes;

/// Lanes side by side: their elements of x are loads.
template <class T>
class Neighbours {
 public:
  struct Step {
    const T* x;
    [[nodiscard]] auto load(int b) const { return Simd<T>::load(x + b * Simd<T>::lanes); }
    [[nodiscard]] auto load(int b, std::uint32_t some) const { return load_chosen(x + b * Simd<T>::lanes, some); }
  };

  /// column: of lane 0, before the first step.
  Neighbours(const T* x, std::uint32_t column) : x_(x), column_(column) {}
  void move(std::uint32_t base) { column_ += base; }
  [[nodiscard]] Step step(std::uint32_t first) const { return {x_ + std::uint64_t{column_ + first} - first}; }
  [[nodiscard]] std::uint32_t column() const { return column_; }

 private:
  const T* x_;
  std::uint32_t column_;
};

/// Where lanes stand that do not all stand side by side, counted from some column. In AVX-512 two loads and a
/// permutation take the place of a gather where the lanes of a vector lie close together.
template <class T>
class LaneOffsets {
  using S = Simd<T>;
  static constexpr int width = S::lanes;

 public:
  /// offsets: of all lanes, modulo 2^32; cols: elements of x.
  void set(const std::uint32_t* offsets, std::uint64_t cols) {
    std::copy_n(offsets, step_lanes, offsets_);
    for (int b = 0; b < step_vectors<T>; ++b) set_window(b, static_cast<std::int64_t>(cols));
  }

  /// The columns of all lanes.
  void columns(std::uint32_t column, std::uint32_t* out) const {
    for (int j = 0; j < step_lanes; ++j) out[j] = column + offsets_[j];
  }

  /// x under the lanes of vector b.
  [[nodiscard]] auto load(int b, const T* x, std::uint32_t column) const {
#if SPRESS_ISA_LEVEL == 0
    typename S::Vector v;
    for (int j = 0; j < width; ++j) v.lane[j] = x[static_cast<std::uint32_t>(column + offsets_[b * width + j])];
    return v;
#else
#if SPRESS_ISA_LEVEL == 2
    const std::int64_t first = static_cast<std::uint32_t>(column + offsets_[b * width]);
    if (first <= last_first_[b]) [[likely]] {
      const auto low = S::load(x + first), high = S::load(x + first + second_[b]);
      const auto index = _mm512_load_si512(&index_[b * width]);
      if constexpr (std::is_same_v<T, double>)
        return _mm512_permutex2var_pd(low, index, high);
      else
        return _mm512_permutex2var_ps(low, index, high);
    }
#endif
    return S::gather(x, ids(b, column));
#endif
  }
  [[nodiscard]] auto load(int b, const T* x, std::uint32_t column, std::uint32_t some) const {
    return gather_chosen(x, ids(b, column), choose<T>(some));
  }

 private:
  [[nodiscard]] auto ids(int b, std::uint32_t column) const { return moved<T>(S::ids(offsets_ + b * width), column); }

#if SPRESS_ISA_LEVEL == 2
  using Index = std::conditional_t<std::is_same_v<T, double>, std::uint64_t, std::uint32_t>;

  void set_window(int b, std::int64_t cols) {
    const std::uint32_t* offsets = offsets_ + b * width;
    std::uint32_t span = 0;
    for (int j = 0; j < width; ++j) span = std::max(span, offsets[j] - offsets[0]);
    second_[b] = span < width ? 0 : span - (width - 1);
    last_first_[b] = span < 2 * width ? cols - width - second_[b] : -1;
    for (int j = 0; j < width; ++j) {
      const std::uint32_t at = offsets[j] - offsets[0];
      index_[b * width + j] = at < width ? at : at - second_[b] + width;
    }
  }

  std::int64_t last_first_[step_vectors<T>] = {};  // columns of the first lane from which loads stay in x; -1 for none
  std::uint32_t second_[step_vectors<T>] = {};     // where the second load begins
  alignas(64) Index index_[step_lanes] = {};
#else
  static void set_window(int, std::int64_t) {}
#endif
  alignas(64) std::uint32_t offsets_[step_lanes] = {};
};

/// Where the lanes of slices stand whose rows begin alike by blocks: the same for all slices that begin alike
/// in a block, of which few kinds follow one another.
template <class T>
class BlockLanes {
 public:
  BlockLanes(std::uint64_t block, std::uint64_t cols)
      : block_(static_cast<std::uint32_t>(block)), step_(std::gcd(slice_rows, block_)), cols_(cols) {}

  /// From the column of lane 0, whose row is number in_block of its block.
  const LaneOffsets<T>& at(std::uint32_t in_block) {
    const std::uint32_t slot = in_block / step_ % slots;
    if (in_block_[slot] != in_block + 1) {
      std::uint32_t offsets[step_lanes];
      for (std::uint32_t j = 0; j < step_lanes; ++j) offsets[j] = first_column(in_block + j, block_);
      lanes_[slot].set(offsets, cols_);
      in_block_[slot] = in_block + 1;
    }
    return lanes_[slot];
  }

 private:
  static constexpr std::uint32_t slots = 16;
  std::uint32_t block_, step_;  // slices begin at multiples of step_ in a block
  std::uint64_t cols_;
  std::uint32_t in_block_[slots] = {};  // + 1; 0 for none yet
  LaneOffsets<T> lanes_[slots];
};

/// Lanes anywhere.
template <class T>
class Apart {
 public:
  struct Step {
    const LaneOffsets<T>* offsets;
    const T* x;
    std::uint32_t column;
    [[nodiscard]] auto load(int b) const { return offsets->load(b, x, column); }
    [[nodiscard]] auto load(int b, std::uint32_t some) const { return offsets->load(b, x, column, some); }
  };

  /// offsets: lives as long as this; column: what they are counted from, before the first step.
  Apart(const T* x, std::uint32_t column, const LaneOffsets<T>& offsets) : x_(x), column_(column), offsets_(&offsets) {}
  void move(std::uint32_t base) { column_ += base; }
  [[nodiscard]] Step step(std::uint32_t) const { return {offsets_, x_, column_}; }

 private:
  const T* x_;
  std::uint32_t column_;
  const LaneOffsets<T>* offsets_;
};

SPRESS_KERNELS_END
