// x under the lanes of a slice whose columns all grow by the same numbers, as they do as long as no residual parts
// them. A place has
//   together            vectors whose lanes share a window of x
//   move(base)          the next step begins
//   whole()             x in this step, in which all lanes have an entry
//   some(mask)          x in this step, in which these lanes do
// and what they return
//   window(g)           x under vectors g * together, ..., read at once
//   window(g).load(b)   under those lanes of vector b that have an entry; the others may have any number
// Columns are reckoned modulo 2^32, so that only those of lanes with an entry say where in x they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "formats/slice_delta/slice_delta.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/simd_steps.hpp"
#include "kernels/cpu/simd/target.hpp"

// Sums stay in registers where all loops over vectors are unrolled. AVX-512 has so many of them, and so few vectors.
#if SPRESS_ISA_LEVEL == 2
#define SPRESS_UNROLLED SPRESS_PRAGMA(GCC unroll 8)
#define SPRESS_IN_PLACE [[gnu::always_inline]]
#define SPRESS_ALL_IN_PLACE [[gnu::flatten]]
#else
#define SPRESS_UNROLLED
#define SPRESS_IN_PLACE
#define SPRESS_ALL_IN_PLACE
#endif

SPRESS_KERNELS_BEGIN

template <class T>
inline constexpr int step_vectors = step_lanes / Simd<T>::lanes;

/// All lanes of a vector.
template <class T>
inline constexpr auto every_lane = static_cast<std::uint32_t>((std::uint64_t{1} << Simd<T>::lanes) - 1);

/// Lanes of the vectors before number b.
template <class T>
constexpr std::uint64_t lanes_before(int b) {
  return static_cast<std::uint64_t>(b) * Simd<T>::lanes;
}

/// The lanes of a step's mask that are in vector b.
template <class T>
constexpr std::uint32_t lanes_of(std::uint32_t mask, int b) {
  return static_cast<std::uint32_t>(std::uint64_t{mask} >> lanes_before<T>(b)) & every_lane<T>;
}

/// Copies of x at its ends, where lanes without an entry would lie outside.
template <class T>
class Edge {
 public:
  static constexpr std::uint32_t longest = 512;
  Edge(const T* x, std::uint64_t cols) : x_(x), cols_(cols) {}
  /// Elements [column, column + n), modulo 2^32, as far as there are such; 0 for others. n: at most longest.
  [[gnu::noinline, gnu::cold]] const T* copy(std::uint32_t column, std::uint32_t n) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t c = column + k;
      copy_[k] = c < cols_ ? x_[c] : T(0);
    }
    return copy_;
  }
  [[nodiscard]] const T* x() const { return x_; }
  [[nodiscard]] std::uint64_t cols() const { return cols_; }

 private:
  const T* x_;
  std::uint64_t cols_;
  T copy_[longest];
};

struct SideBySide {};

/// Lanes side by side: their elements of x are loads.
template <class T>
class Neighbours {
 public:
  static constexpr int together = 1;
  struct Step {
    const T* x;
    [[nodiscard]] Step window(int) const { return *this; }
    [[nodiscard]] auto load(int b) const { return Simd<T>::load(x + b * Simd<T>::lanes); }
  };

  using Offsets = SideBySide;
  /// column: of lane 0, before the first step.
  Neighbours(Edge<T>& edge, std::uint32_t column, SideBySide = {})
      : edge_(&edge), x_(edge.x()), cols_(edge.cols()), column_(column) {}
  void move(std::uint32_t base) { column_ += base; }
  [[nodiscard]] Step whole() const { return {x_ + column_}; }
  [[nodiscard]] Step some(std::uint32_t) const {
    return {std::uint64_t{column_} + step_lanes <= cols_ ? x_ + column_ : edge_->copy(column_, step_lanes)};
  }
  [[nodiscard]] std::uint32_t column() const { return column_; }

 private:
  Edge<T>* edge_;
  const T* x_;
  std::uint64_t cols_;
  std::uint32_t column_;
};

/// The columns of lanes that are not all side by side, counted from some column.
template <class T>
class LaneOffsets {
  using S = Simd<T>;

 public:
  /// offsets: of all lanes, modulo 2^32.
  void set(const std::uint32_t* offsets) { std::copy_n(offsets, step_lanes, offsets_); }

  /// The columns of all lanes.
  void columns(std::uint32_t column, std::uint32_t* out) const {
    for (int j = 0; j < step_lanes; ++j) out[j] = column + offsets_[j];
  }
  /// x under the lanes of vector b.
  [[nodiscard]] auto load(int b, const T* x, std::uint32_t column) const {
#if SPRESS_ISA_LEVEL == 0
    typename S::Vector v;
    for (int j = 0; j < S::lanes; ++j) v.lane[j] = x[static_cast<std::uint32_t>(column + offsets_[b * S::lanes + j])];
    return v;
#else
    return S::gather(x, ids(b, column));
#endif
  }
  /// Under those that the lowest bits of `some` choose.
  [[nodiscard]] auto load(int b, const T* x, std::uint32_t column, std::uint32_t some) const {
    return gather_chosen(x, ids(b, column), choose<T>(some));
  }

 private:
  [[nodiscard]] auto ids(int b, std::uint32_t column) const {
    return moved<T>(S::ids(offsets_ + b * S::lanes), column);
  }

  alignas(64) std::uint32_t offsets_[step_lanes] = {};
};

/// Sets the lanes to these columns, counted from the least of them. Returns that.
template <class Offsets>
std::uint32_t set_lanes(Offsets& lanes, const std::uint32_t* columns) {
  std::uint32_t least = columns[0], offsets[step_lanes];
  for (int j = 1; j < step_lanes; ++j) least = std::min(least, columns[j]);
  for (int j = 0; j < step_lanes; ++j) offsets[j] = columns[j] - least;
  lanes.set(offsets);
  return least;
}

/// Lanes anywhere: their elements of x are gathered.
template <class T>
class Apart {
 public:
  static constexpr int together = 1;
  using Offsets = LaneOffsets<T>;
  struct Step {
    const Apart* place;
    std::uint32_t mask;
    [[nodiscard]] Step window(int) const { return *this; }
    [[nodiscard]] auto load(int b) const {
      const std::uint32_t lanes = lanes_of<T>(mask, b);
      const Apart& p = *place;
      return lanes == every_lane<T> ? p.offsets_->load(b, p.x_, p.column_)
                                    : p.offsets_->load(b, p.x_, p.column_, lanes);
    }
  };

  /// offsets: lives as long as this; column: what they are counted from, before the first step.
  Apart(Edge<T>& edge, std::uint32_t column, const Offsets& offsets)
      : x_(edge.x()), column_(column), offsets_(&offsets) {}
  void move(std::uint32_t base) { column_ += base; }
  [[nodiscard]] Step whole() const { return {this, ~0u}; }
  [[nodiscard]] Step some(std::uint32_t mask) const { return {this, mask}; }

 private:
  const T* x_;
  std::uint32_t column_;
  const Offsets* offsets_;
};

#if SPRESS_ISA_LEVEL == 2

/// LaneOffsets such that two loads and a permutation take the place of a gather: the lanes of `together` vectors lie
/// close together.
template <class T, int together>
struct LaneWindows : LaneOffsets<T> {
  static constexpr int width = Simd<T>::lanes, windows = step_vectors<T> / together;
  using Index = std::conditional_t<std::is_same_v<T, double>, std::uint64_t, std::uint32_t>;

  void set(const std::uint32_t* offsets) {
    LaneOffsets<T>::set(offsets);
    std::uint32_t last = 0;
    for (int j = 0; j < step_lanes; ++j) last = std::max(last, offsets[j]);
    fits_ = last <= Edge<T>::longest - width;
    end = 0;
    for (int g = 0; g < windows && fits_; ++g) set_window(g, offsets + g * together * width);
  }
  [[nodiscard]] bool fit() const { return fits_; }

  std::uint32_t end = 0;                     // of the last window
  std::uint32_t low[step_vectors<T>] = {};   // where the first load of a window begins
  std::uint32_t high[step_vectors<T>] = {};  // and the second
  alignas(64) Index index[step_lanes] = {};  // which element of the two a lane takes

 private:
  void set_window(int g, const std::uint32_t* offsets) {
    constexpr int lanes = together * width;
    const auto [least, most] = std::minmax_element(offsets, offsets + lanes);
    low[g] = *least;
    high[g] = *most - *least < width ? *least : *most - (width - 1);
    for (int j = 0; j < lanes; ++j) {
      const bool is_low = offsets[j] - low[g] < width;
      index[g * lanes + j] = is_low ? offsets[j] - low[g] : offsets[j] - high[g] + width;
      fits_ = fits_ && (is_low || offsets[j] >= high[g]);
    }
    end = std::max(end, high[g] + width);
  }
  bool fits_ = false;
};

/// Lanes in windows. exact: no window reaches beyond its first and last lane.
template <class T, int vectors_together, bool exact>
class Windowed {
  using S = Simd<T>;

 public:
  static constexpr int together = vectors_together, vectors = step_vectors<T>;
  using Offsets = LaneWindows<T, together>;
  struct Window {
    typename S::Vector low, high;
    const Windowed* place;
    [[nodiscard]] auto load(int b) const {
      if constexpr (std::is_same_v<T, double>)
        return _mm512_permutex2var_pd(low, place->index_[b], high);
      else
        return _mm512_permutex2var_ps(low, place->index_[b], high);
    }
  };
  struct Step {
    const Windowed* place;
    const T* x;
    [[nodiscard]] Window window(int g) const {
      return {S::load(x + place->low_[g]), S::load(x + place->high_[g]), place};
    }
  };

  Windowed(Edge<T>& edge, std::uint32_t column, const Offsets& offsets)
      : edge_(&edge), x_(edge.x()), cols_(edge.cols()), column_(column), end_(offsets.end) {
    SPRESS_UNROLLED
    for (int g = 0; g < vectors / together; ++g) {
      low_[g] = offsets.low[g];
      high_[g] = offsets.high[g];
    }
    SPRESS_UNROLLED
    for (int b = 0; b < vectors; ++b) index_[b] = _mm512_load_si512(offsets.index + b * S::lanes);
  }
  void move(std::uint32_t base) { column_ += base; }
  [[nodiscard]] Step whole() const {
    if constexpr (exact) return {this, x_ + column_};
    return some(~0u);
  }
  [[nodiscard]] std::uint32_t column() const { return column_; }
  [[nodiscard]] Step some(std::uint32_t) const {
    return {this, std::uint64_t{column_} + end_ <= cols_ ? x_ + column_ : edge_->copy(column_, end_)};
  }

 private:
  Edge<T>* edge_;
  const T* x_;
  std::uint64_t cols_;
  std::uint32_t column_, end_;
  std::uint64_t low_[vectors / together], high_[vectors / together];
  __m512i index_[vectors];
};

#endif

/// The lanes of slices whose rows begin alike by blocks. Slices that begin at the same row of a block have the same
/// ones, so few are kept.
template <class Offsets>
class BlockLanes {
 public:
  explicit BlockLanes(std::uint64_t block)
      : block_(static_cast<std::uint32_t>(block)), step_(std::gcd(slice_rows, block_)) {}

  /// The column before the first step of the row.
  [[nodiscard]] std::uint32_t column(std::uint32_t row) const { return first_column(row, block_); }
  /// The lanes, counted from the column of lane 0. in_block: number of lane 0's row in its block.
  const Offsets& at(std::uint32_t in_block) {
    const std::uint32_t slot = in_block / step_ % slots;
    if (in_block_[slot] != in_block + 1) {
      std::uint32_t offsets[step_lanes];
      for (std::uint32_t j = 0; j < step_lanes; ++j) offsets[j] = first_column(in_block + j, block_);
      lanes_[slot].set(offsets);
      in_block_[slot] = in_block + 1;
    }
    return lanes_[slot];
  }

 private:
  static constexpr std::uint32_t slots = 16;
  std::uint32_t block_, step_;          // slices begin at multiples of step_ in a block
  std::uint32_t in_block_[slots] = {};  // + 1; 0 for none yet
  Offsets lanes_[slots];
};

/// The lanes of rows that begin side by side.
template <>
class BlockLanes<SideBySide> {
 public:
  explicit BlockLanes(std::uint64_t) {}
  [[nodiscard]] static std::uint32_t column(std::uint32_t row) { return row; }
  [[nodiscard]] SideBySide at(std::uint32_t) const { return {}; }
};

SPRESS_KERNELS_END
