#include "formats/slice_delta.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/simd_steps.hpp"
#include "kernels/cpu/slice_lanes.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cpu/target.hpp"
#include "kernels/cpu/turn_values.hpp"

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

/// A slice on its way through its steps, whose lanes all move alike. Place: Neighbours or Apart.
template <class T, class Place>
struct AlikeSums {
  using S = Simd<T>;
  static constexpr int width = S::lanes, vectors = step_vectors<T>;
  static constexpr std::uint32_t every = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);

  Place place;
  std::uint64_t v;  // the value that comes next
  typename S::Vector sums[vectors];

  AlikeSums(const Place& begin, std::uint64_t first) : place(begin), v(first) {
    for (auto& sum : sums) sum = S::zero();
  }

  void store(T* lanes) const {
    for (int b = 0; b < vectors; ++b) S::store(lanes + b * width, sums[b]);
  }

  /// end: of the store's values.
  template <class Values>
  SPRESS_IN_PLACE void add(const Values& values, std::uint64_t end, const SliceTurn& turn) {
    if (turn.full) return add_whole(values, turn);
    SPRESS_UNROLLED
    for (std::uint32_t u = 0; u < 4; ++u) {
      if (turn.mask[u] == 0) break;
      place.move(turn.base[u]);
      if (turn.mask[u] == ~0u)
        add_step(values);
      else
        add_some(values, end, turn.mask[u]);
    }
  }

 private:
  /// Lanes of the vectors before number b.
  static std::uint64_t lanes_before(int b) { return static_cast<std::uint64_t>(b) * width; }

  /// Four steps in which all lanes take an entry.
  template <class Values>
  SPRESS_IN_PLACE void add_whole(const Values& values, const SliceTurn& turn) {
    typename Place::Step x[4];
    SPRESS_UNROLLED
    for (std::uint32_t u = 0; u < 4; ++u) {
      place.move(turn.base[u]);
      x[u] = place.step(0);
    }
    SPRESS_UNROLLED
    for (int b = 0; b < vectors; ++b) {
      auto sum = sums[b];
      for_each_value(values, turn, b, [&](std::uint32_t u, auto value) { sum = S::fma(value, x[u].load(b), sum); });
      sums[b] = sum;
    }
    v += std::uint64_t{4} * step_lanes;
  }

  /// Calls use(u, values) with the values of vector b of lanes in each step of a full turn.
  template <class Values, class Use>
  [[gnu::always_inline]] void for_each_value(const Values& values, const SliceTurn& turn, int b, Use&& use) const {
    if constexpr (has_fourths<T, Values>)
      if (turn.lane_by_lane) {
        const Fourths<T, Values> fourths = {values, v + 4 * lanes_before(b)};
        SPRESS_UNROLLED
        for (std::uint32_t u = 0; u < 4; ++u) use(u, fourths.at(u));
        return;
      }
    SPRESS_UNROLLED
    for (std::uint32_t u = 0; u < 4; ++u) use(u, load_values(values, v + u * step_lanes + lanes_before(b)));
  }

  /// A step in which all lanes take an entry.
  template <class Values>
  SPRESS_IN_PLACE void add_step(const Values& values) {
    const auto x = place.step(0);
    SPRESS_UNROLLED
    for (int b = 0; b < vectors; ++b) sums[b] = S::fma(load_values(values, v + lanes_before(b)), x.load(b), sums[b]);
    v += step_lanes;
  }

  /// A step in which the lanes of a mask do.
  template <class Values>
  SPRESS_IN_PLACE void add_some(const Values& values, std::uint64_t end, std::uint32_t mask) {
    const auto x = place.step(static_cast<std::uint32_t>(std::countr_zero(mask)));
    SPRESS_UNROLLED
    for (int b = 0; b < vectors; ++b) {
      const std::uint32_t lanes = static_cast<std::uint32_t>(std::uint64_t{mask} >> lanes_before(b)) & every;
      if (lanes == every)
        sums[b] = S::fma(load_values(values, v), x.load(b), sums[b]);
      else
        sums[b] = fma_chosen<T>(load_spread<T>(values, v, lanes, end), x.load(b, lanes), sums[b], choose<T>(lanes));
      v += static_cast<std::uint64_t>(std::popcount(lanes));
    }
  }
};

/// Sums the lanes of an item that residuals part. Until then they are neighbours in x; from then on, each has a column
/// of its own.
template <class T, class Values>
class StepSums {
  using S = Simd<T>;
  static constexpr int width = S::lanes, vectors = step_lanes / width;

 public:
  /// values: v is the item's first, before `end`; column: of lane 0, those of the others following, before the first
  /// step.
  StepSums(const Values& values, std::uint64_t v, std::uint64_t end, const std::uint32_t* residuals, const T* x,
           std::uint32_t column)
      : values_(values), end_(end), alike_(Neighbours<T>(x, column), v), residuals_(residuals), x_(x) {}

  /// Gives each lane a column of its own from the beginning.
  void part(const std::uint32_t* columns) {
    parted_ = true;
    std::copy_n(columns, step_lanes, columns_);
  }

  /// Where the values of the next turn begin.
  [[nodiscard]] std::uint64_t position() const { return alike_.v; }
  void move_to(std::uint64_t v) { alike_.v = v; }

  /// piece: the steps are consecutive entries of one row, whose residuals move no column but their own.
  template <bool piece>
  void add(const SliceTurn& turn) {
    if (!parted_ && !turn.packed) return alike_.add(values_, end_, turn);
    for (std::uint32_t u = 0; u < turn.count; ++u) add_one<piece>(turn, u);
    if (turn.lane_by_lane) alike_.v += std::uint64_t{4} * step_lanes;
    residuals_ += turn.residual_words();
  }

  void store(T* lanes) const { alike_.store(lanes); }

 private:
  template <bool piece>
  [[gnu::always_inline]] void add_one(const SliceTurn& turn, std::uint32_t u) {
    if constexpr (has_fourths<T, Values>)
      if (turn.lane_by_lane) return add_step<piece>(turn, u, [&](int b) { return fourths(b).at(u); });
    if (turn.mask[u] == ~0u)
      add_step<piece>(turn, u, [&](int b) { return load_values(values_, alike_.v + lanes_before(b)); });
    else
      add_masked_step<piece>(turn, u);
    alike_.v += turn.entries(u);
  }

  /// Those of a mask that are in vector b.
  static std::uint32_t lanes_of(std::uint32_t mask, int b) {
    return static_cast<std::uint32_t>(std::uint64_t{mask} >> lanes_before(b)) & AlikeSums<T, Neighbours<T>>::every;
  }

  /// Lanes of the vectors before number b.
  static std::uint64_t lanes_before(int b) { return static_cast<std::uint64_t>(b) * width; }

  /// The values of vector b of lanes in a turn that stands lane by lane.
  [[nodiscard]] auto fourths(int b) const { return Fourths<T, Values>{values_, alike_.v + 4 * lanes_before(b)}; }

  template <bool piece, class Load>
  [[gnu::always_inline]] void add_step(const SliceTurn& turn, std::uint32_t u, Load&& load) {
    move<piece>(turn, u);
    auto& sums = alike_.sums;
    if (!parted_) {
      const auto x = alike_.place.step(0);
      for (int b = 0; b < vectors; ++b) sums[b] = S::fma(load(b), x.load(b), sums[b]);
    } else {
      const std::uint32_t* ids = piece ? own_ : columns_;
      for (int b = 0; b < vectors; ++b) sums[b] = S::fma(load(b), S::gather(x_, S::ids(ids + b * width)), sums[b]);
    }
    if (piece) parted_ = false;
  }

  template <bool piece>
  void add_masked_step(const SliceTurn& turn, std::uint32_t u) {
    move<piece>(turn, u);
    std::uint64_t v = alike_.v;
    const auto x = alike_.place.step(static_cast<std::uint32_t>(std::countr_zero(turn.mask[u])));
    const std::uint32_t* ids = piece ? own_ : columns_;
    for (int b = 0; b < vectors; ++b) {
      const std::uint32_t lanes = lanes_of(turn.mask[u], b);
      const auto chosen = choose<T>(lanes);
      const auto factors = parted_ ? gather_chosen(x_, S::ids(ids + b * width), chosen) : x.load(b, lanes);
      auto& sum = alike_.sums[b];
      sum = fma_chosen<T>(load_spread<T>(values_, v, lanes, end_), factors, sum, chosen);
      v += static_cast<std::uint64_t>(std::popcount(lanes));
    }
    if (piece) parted_ = false;
  }

  /// Moves the columns as step u does.
  template <bool piece>
  void move(const SliceTurn& turn, std::uint32_t u) {
    const std::uint32_t base = turn.base[u], mask = turn.mask[u];
    if (turn.width[u] == 0) {
      if (parted_)
        for (std::uint32_t& column : columns_) column += base;
      else
        alike_.place.move(base);
      return;
    }
    const std::uint32_t* residuals = residuals_of(turn, u);
    if constexpr (piece) {
      alike_.place.move(base);
      for (std::uint32_t j = 0; j < step_lanes; ++j)
        own_[j] = alike_.place.column() + j + ((mask >> j & 1) != 0 ? residuals[j] : 0);
    } else {
      if (!parted_)
        for (std::uint32_t j = 0; j < step_lanes; ++j) columns_[j] = alike_.place.column() + j;
      for (std::uint32_t j = 0; j < step_lanes; ++j) columns_[j] += base + residuals[j];
    }
    parted_ = true;
  }

  /// The residuals of step u, by lane; those of lanes without an entry are 0.
  const std::uint32_t* residuals_of(const SliceTurn& turn, std::uint32_t u) {
    const std::uint32_t stride = turn.full ? turn.bits_before(4) : turn.width[u];
    unpack({residuals_, turn.residual_words(), turn.bits_before(u), stride, turn.width[u]}, turn.entries(u), packed_);
    if (turn.mask[u] == ~0u) return packed_;
    spread_step(packed_, turn.mask[u], spread_);
    return spread_;
  }

  const Values values_;
  const std::uint64_t end_;            // of the values
  AlikeSums<T, Neighbours<T>> alike_;  // its columns go on only while the lanes are not parted
  const std::uint32_t* residuals_;
  const T* x_;
  bool parted_ = false;
  alignas(64) std::uint32_t columns_[step_lanes] = {};  // where they are
  alignas(64) std::uint32_t own_[step_lanes] = {};      // of a piece
  alignas(64) std::uint32_t packed_[2 * step_lanes] = {};
  alignas(64) std::uint32_t spread_[step_lanes] = {};
};

constexpr std::uint64_t ahead = 512;  // values asked for in advance

/// The sums of the lanes of item i, which no residual parts.
template <class T, class Place, class Turns>
SPRESS_ALL_IN_PLACE void sum_alike(const SliceDelta<Viewed>& a, std::uint64_t i, Turns& turns, const Place& place,
                                   T* lanes) {
  const auto& values = turns.values();
  AlikeSums<T, Place> sums(place, turns.begin(i));
  SliceReader reader(a.words.data() + a.first_word[i], turns.lane_steps());
  for (SliceTurn turn; reader.next(turn);) {
    sums.v = turns.next(turn, sums.v);
    prefetch_values(values, sums.v + ahead, std::uint64_t{step_lanes} * turn.count);
    sums.add(values, turns.end(), turn);
  }
  sums.store(lanes);
}

/// The sums of the lanes of item i. column: of lane 0, or of each where columns are given.
template <bool piece, class T, class Turns>
void sum_packed(const SliceDelta<Viewed>& a, std::uint64_t i, Turns& turns, const T* x, std::uint32_t column,
                const std::uint32_t* columns, T* lanes) {
  StepSums<T, typename Turns::Values> sums(turns.values(), turns.begin(i), turns.end(),
                                           a.residuals.data() + a.residual_start.position(i), x, column);
  if (columns != nullptr) sums.part(columns);
  SliceReader reader(a.words.data() + a.first_word[i], turns.lane_steps());
  for (SliceTurn turn; reader.next(turn);) {
    sums.move_to(turns.next(turn, sums.position()));
    prefetch_values(turns.values(), sums.position() + ahead, std::uint64_t{step_lanes} * turn.count);
    sums.template add<piece>(turn);
  }
  sums.store(lanes);
}

/// Residuals may part the lanes of item i.
inline bool is_packed(const SliceDelta<Viewed>& a, std::uint64_t i) {
  return (a.words[a.first_word[i] - 1] & slice_words::any_width) != 0;
}

/// The sums of the lanes of slice s. column: of lane 0; lanes: where all are from there, or null for neighbours.
template <class T, class Turns>
void sum_slice(const SliceDelta<Viewed>& a, std::uint64_t s, Turns& turns, const T* x, std::uint32_t column,
               const LaneOffsets<T>* lanes, T* sums) {
  if (is_packed(a, s)) {
    std::uint32_t columns[slice_rows];
    if (lanes != nullptr) lanes->columns(column, columns);
    sum_packed<false>(a, s, turns, x, column, lanes != nullptr ? columns : nullptr, sums);
  } else if (lanes != nullptr) {
    sum_alike(a, s, turns, Apart<T>(x, column, *lanes), sums);
  } else {
    sum_alike(a, s, turns, Neighbours<T>(x, column), sums);
  }
}

/// Rows by sorting windows, each where row_perm has it.
template <class T, class Turns>
void multiply_sorted(const SliceDelta<Viewed>& a, std::uint64_t s, Turns& turns, const T* x, T* y) {
  const std::uint64_t first = s * slice_rows, rows = std::min<std::uint64_t>(slice_rows, a.rows - first);
  std::uint32_t row[slice_rows], column[slice_rows] = {};
  for (std::uint64_t j = 0; j < rows; ++j) column[j] = first_column(a, row[j] = row_at(a, first + j));
  LaneOffsets<T> lanes;
  lanes.set(column, a.cols);
  T sums[slice_rows];
  sum_slice(a, s, turns, x, 0, &lanes, sums);
  for (std::uint64_t j = 0; j < rows; ++j) y[row[j]] = sums[j];
}

/// Rows in order.
template <class T, class Turns>
void multiply_slice(const SliceDelta<Viewed>& a, std::uint64_t s, Turns& turns, BlockLanes<T>& blocks, const T* x,
                    T* y) {
  const std::uint64_t first = s * slice_rows, rows = std::min<std::uint64_t>(slice_rows, a.rows - first);
  const auto row = static_cast<std::uint32_t>(first), column = a.block == 1 ? row : first_column(a, row);
  T sums[slice_rows];
  sum_slice(a, s, turns, x, column, a.block == 1 ? nullptr : &blocks.at(row - column), sums);
  std::copy_n(sums, rows, y + first);
}

template <class T, class Turns>
T sum_piece(const SliceDelta<Viewed>& a, std::uint64_t p, Turns& turns, const T* x) {
  T lanes[slice_rows];
  const std::uint64_t i = slices_of(a) + p;
  const std::uint32_t column = first_column(a, a.long_row[p]);
  if (is_packed(a, i))
    sum_packed<true>(a, i, turns, x, column, nullptr, lanes);
  else
    sum_alike(a, i, turns, Neighbours<T>(x, column), lanes);
  T sum = 0;
  for (const T lane : lanes) sum += lane;
  return sum;
}

/// y of the rows that are cut into pieces. Scratch: a number per piece, kept by the calling thread.
template <class T, class MakeTurns>
void multiply_long_rows(const SliceDelta<Viewed>& a, const MakeTurns& make_turns, const T* x, T* y, int threads) {
  const std::uint64_t pieces = a.long_row.size();
  if (pieces == 0) return;
  thread_local std::vector<T> kept;
  std::vector<T>& sums = kept;
  if (sums.size() < pieces) sums.resize(pieces);
#pragma omp parallel for num_threads(thread_count(threads)) schedule(static)
  for (std::uint64_t p = 0; p < pieces; ++p) {
    auto turns = make_turns();
    sums[p] = sum_piece(a, p, turns, x);
  }
  for (std::uint64_t p = 0; p < pieces; ++p) {
    T& out = y[a.long_row[p]];
    out = p > 0 && a.long_row[p] == a.long_row[p - 1] ? out + sums[p] : sums[p];
  }
}

template <class T, class MakeTurns>
void multiply_items(const SliceDelta<Viewed>& a, const MakeTurns& make_turns, const T* x, T* y, int threads) {
  with_positions(a.value_start, [&](const auto* starts) {
    for_balanced_pieces(starts, slices_of(a), threads, [&](std::uint64_t first, std::uint64_t last) {
      auto turns = make_turns();
      if (!a.row_perm.empty()) {
        for (std::uint64_t s = first; s < last; ++s) multiply_sorted(a, s, turns, x, y);
        return;
      }
      BlockLanes<T> blocks(a.block, a.cols);
      for (std::uint64_t s = first; s < last; ++s) multiply_slice(a, s, turns, blocks, x, y);
    });
  });
  multiply_long_rows(a, make_turns, x, y, threads);
}

template <class T>
void multiply(const SliceDelta<Viewed>& a, const T* x, T* y, int threads) {
  if constexpr (std::is_same_v<T, double>)
    if (is_framed(a))
      return multiply_items(
          a, [&] { return FramedTurns(a); }, x, y, threads);
  with_accessor<T>(a.values, [&](auto stored) {
    with_near_table<T>(stored, a.values.table.size(), [&](auto values) {
      multiply_items(
          a, [&] { return StoredTurns<decltype(values)>(a, values); }, x, y, threads);
    });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(SliceDelta)
