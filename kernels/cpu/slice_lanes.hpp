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

/// Where lanes stand that do not all stand side by side, counted from some column.
template <class T>
class LaneOffsets {
  using S = Simd<T>;
  static constexpr int width = S::lanes, vectors = step_vectors<T>;

 public:
  /// offsets: of all lanes, modulo 2^32.
  void set(const std::uint32_t* offsets) {
    std::copy_n(offsets, step_lanes, offsets_);
#if SPRESS_ISA_LEVEL == 2
    near_ = true;
    for (int b = 0; b < vectors; ++b) near_ = near_ && set_window(b);
#endif
  }

  [[nodiscard]] auto ids(int b, std::uint32_t column) const { return moved<T>(S::ids(offsets_ + b * width), column); }

#if SPRESS_ISA_LEVEL == 2
  /// The lanes of each vector lie so close together that two loads have all they need. No load reads what is not
  /// between two of the lanes.
  [[nodiscard]] bool near() const { return near_; }
  [[nodiscard]] auto load_near(int b, const T* x, std::uint32_t column) const {
    const T* first = x + static_cast<std::uint32_t>(column + offsets_[b * width]);
    const auto low = S::load(first, present_[b]), high = S::load(first + second_[b], present_[b]);
    const auto index = _mm512_load_si512(&index_[b * width]);
    if constexpr (std::is_same_v<T, double>)
      return _mm512_permutex2var_pd(low, index, high);
    else
      return _mm512_permutex2var_ps(low, index, high);
  }

 private:
  using Index = std::conditional_t<std::is_same_v<T, double>, std::uint64_t, std::uint32_t>;

  bool set_window(int b) {
    const std::uint32_t* offsets = offsets_ + b * width;
    std::uint32_t last = 0;
    for (int j = 0; j < width; ++j) last = std::max(last, offsets[j] - offsets[0]);
    if (last >= 2 * width) return false;
    present_[b] = S::first(last + 1);
    second_[b] = last < width ? 0 : last - (width - 1);
    for (int j = 0; j < width; ++j) {
      const std::uint32_t at = offsets[j] - offsets[0];
      index_[b * width + j] = at < width ? at : at - second_[b] + width;
    }
    return true;
  }

  bool near_ = false;
  typename S::Mask present_[vectors] = {};
  std::uint32_t second_[vectors] = {};
  alignas(64) Index index_[step_lanes] = {};
#else
  static bool near() { return false; }

 private:
#endif
  alignas(64) std::uint32_t offsets_[step_lanes] = {};
};

/// Lanes anywhere.
template <class T>
class Apart {
 public:
  struct Step {
    const LaneOffsets<T>* offsets;
    const T* x;
    std::uint32_t column;
    [[nodiscard]] auto load(int b) const {
#if SPRESS_ISA_LEVEL == 2
      if (offsets->near()) return offsets->load_near(b, x, column);
#endif
      return Simd<T>::gather(x, offsets->ids(b, column));
    }
    [[nodiscard]] auto load(int b, std::uint32_t some) const {
      return gather_chosen(x, offsets->ids(b, column), choose<T>(some));
    }
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
