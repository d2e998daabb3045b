#include "formats/slice_delta.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/simd_steps.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cpu/target.hpp"
#include "kernels/cpu/turn_values.hpp"

SPRESS_KERNELS_BEGIN

/// Sums the lanes of an item. As long as all lanes have moved alike they are neighbours in x; once residuals have
/// parted them, each has a column of its own.
template <class T, class Values>
class StepSums {
  using S = Simd<T>;
  static constexpr int width = S::lanes, vectors = step_lanes / width;
  static constexpr std::uint64_t ahead = 512;  // values asked for in advance

 public:
  /// values: v is the item's first; column: of lane 0, those of the others following, before the first step.
  StepSums(Values values, std::uint64_t v, const std::uint32_t* residuals, const T* x, std::int64_t column)
      : values_(values), v_(v), residuals_(residuals), x_(x), column_(column) {
    for (auto& sum : sums_) sum = S::zero();
  }

  /// Gives each lane a column of its own from the beginning.
  void part(const std::uint32_t* columns) {
    parted_ = true;
    std::copy_n(columns, step_lanes, columns_);
  }

  /// Where the values of the next turn begin.
  [[nodiscard]] std::uint64_t position() const { return v_; }
  void move_to(std::uint64_t v) { v_ = v; }

  /// piece: the steps are consecutive entries of one row, whose residuals move no column but their own.
  template <bool piece>
  void add(const SliceTurn& turn) {
    prefetch_values(values_, v_ + ahead, std::uint64_t{step_lanes} * turn.count);
    if (!parted_ && !turn.packed) return turn.full ? add_neighbours(turn) : add_some_neighbours(turn);
    for (std::uint32_t u = 0; u < turn.count; ++u) add_one<piece>(turn, u);
    if (turn.lane_by_lane) v_ += std::uint64_t{4} * step_lanes;
    residuals_ += turn.residual_words();
  }

  void store(T* lanes) const {
    for (int b = 0; b < vectors; ++b) S::store(lanes + b * width, sums_[b]);
  }

 private:
  /// A full turn in which the lanes stay neighbours.
  void add_neighbours(const SliceTurn& turn) {
    const T* x[4];
    for (std::uint32_t u = 0; u < 4; ++u) x[u] = x_ + move_all(turn.base[u]);
    for (int b = 0; b < vectors; ++b) {
      const std::uint64_t at = lanes_before(b);
      auto sum = sums_[b];
      for_each_value(turn, b, [&](std::uint32_t u, auto value) { sum = S::fma(value, S::load(x[u] + at), sum); });
      sums_[b] = sum;
    }
    v_ += std::uint64_t{4} * step_lanes;
  }

  /// Any other turn in which the lanes stay neighbours.
  void add_some_neighbours(const SliceTurn& turn) {
    const T* x[4];
    std::uint64_t v[5] = {v_};
    for (std::uint32_t u = 0; u < turn.count; ++u) {
      x[u] = x_ + move_all(turn.base[u]);
      v[u + 1] = v[u] + ones(turn.mask[u]);
    }
    for (int b = 0; b < vectors; ++b) {
      const std::uint64_t at = lanes_before(b);
      auto sum = sums_[b];
      for (std::uint32_t u = 0; u < turn.count; ++u) {
        const std::uint32_t lanes = lanes_of(turn.mask[u], b);
        const std::uint64_t first =
            v[u] + ones(turn.mask[u] & static_cast<std::uint32_t>((std::uint64_t{1} << at) - 1));
        if (lanes == all_lanes)  // often so: masks leave out the lanes at a border
          sum = S::fma(load_values(values_, first), S::load(x[u] + at), sum);
        else
          sum = fma_chosen<T>(load_spread<T>(values_, first, lanes), load_chosen(x[u] + at, lanes), sum,
                              choose<T>(lanes));
      }
      sums_[b] = sum;
    }
    v_ = v[turn.count];
  }

  template <bool piece>
  [[gnu::always_inline]] void add_one(const SliceTurn& turn, std::uint32_t u) {
    if constexpr (has_fourths<T, Values>)
      if (turn.lane_by_lane) return add_step<piece>(turn, u, [&](int b) { return fourths(b).at(u); });
    if (turn.mask[u] == ~0u)
      add_step<piece>(turn, u, [&](int b) { return load_values(values_, v_ + lanes_before(b)); });
    else
      add_masked_step<piece>(turn, u);
    v_ += turn.entries(u);
  }

  static constexpr auto all_lanes = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
  /// Those of a mask that are in vector b.
  static std::uint32_t lanes_of(std::uint32_t mask, int b) {
    return static_cast<std::uint32_t>(std::uint64_t{mask} >> lanes_before(b)) & all_lanes;
  }
  static std::uint64_t ones(std::uint32_t mask) { return static_cast<std::uint64_t>(std::popcount(mask)); }

  /// Lanes of the vectors before number b.
  static std::uint64_t lanes_before(int b) { return static_cast<std::uint64_t>(b) * width; }

  /// The values of vector b of lanes in a turn that stands lane by lane.
  [[nodiscard]] auto fourths(int b) const { return Fourths<T, Values>{values_, v_ + 4 * lanes_before(b)}; }

  /// Calls use(u, values) with the values of vector b of lanes in each step of a full turn.
  template <class Use>
  [[gnu::always_inline]] void for_each_value(const SliceTurn& turn, int b, Use&& use) const {
    if constexpr (has_fourths<T, Values>)
      if (turn.lane_by_lane) {
        const auto values = fourths(b);
        for (std::uint32_t u = 0; u < 4; ++u) use(u, values.at(u));
        return;
      }
    for (std::uint32_t u = 0; u < 4; ++u) use(u, load_values(values_, v_ + u * step_lanes + lanes_before(b)));
  }

  template <bool piece, class Load>
  [[gnu::always_inline]] void add_step(const SliceTurn& turn, std::uint32_t u, Load&& load) {
    move<piece>(turn, u);
    if (!parted_) {
      for (int b = 0; b < vectors; ++b) sums_[b] = S::fma(load(b), S::load(x_ + column_ + b * width), sums_[b]);
    } else {
      const std::uint32_t* ids = piece ? own_ : columns_;
      for (int b = 0; b < vectors; ++b) sums_[b] = S::fma(load(b), S::gather(x_, S::ids(ids + b * width)), sums_[b]);
    }
    if (piece) parted_ = false;
  }

  template <bool piece>
  void add_masked_step(const SliceTurn& turn, std::uint32_t u) {
    move<piece>(turn, u);
    std::uint64_t v = v_;
    const std::uint32_t* ids = piece ? own_ : columns_;
    for (int b = 0; b < vectors; ++b) {
      const std::uint32_t lanes = lanes_of(turn.mask[u], b);
      const auto chosen = choose<T>(lanes);
      const auto factors =
          parted_ ? gather_chosen(x_, S::ids(ids + b * width), chosen) : load_chosen(x_ + column_ + b * width, lanes);
      sums_[b] = fma_chosen<T>(load_spread<T>(values_, v, lanes), factors, sums_[b], chosen);
      v += ones(lanes);
    }
    if (piece) parted_ = false;
  }

  /// Moves all lanes, modulo 2^32 as the format has it; where lane 0 comes to stand, which may be before x.
  std::int64_t move_all(std::uint32_t base) {
    return column_ = static_cast<std::int32_t>(static_cast<std::uint32_t>(column_) + base);
  }

  /// Moves the columns as step u does.
  template <bool piece>
  void move(const SliceTurn& turn, std::uint32_t u) {
    const std::uint32_t base = turn.base[u], mask = turn.mask[u];
    if (turn.width[u] == 0) {
      if (parted_)
        for (std::uint32_t& column : columns_) column += base;
      else
        move_all(base);
      return;
    }
    const std::uint32_t* residuals = residuals_of(turn, u);
    if constexpr (piece) {
      move_all(base);
      for (std::uint32_t j = 0; j < step_lanes; ++j)
        own_[j] = static_cast<std::uint32_t>(column_) + j + ((mask >> j & 1) != 0 ? residuals[j] : 0);
    } else {
      if (!parted_)
        for (std::uint32_t j = 0; j < step_lanes; ++j) columns_[j] = static_cast<std::uint32_t>(column_) + j;
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

  Values values_;
  std::uint64_t v_;
  const std::uint32_t* residuals_;
  const T* x_;
  std::int64_t column_;  // of lane 0, where the lanes are not parted
  bool parted_ = false;
  typename S::Vector sums_[vectors];
  alignas(64) std::uint32_t columns_[step_lanes] = {};  // where they are
  alignas(64) std::uint32_t own_[step_lanes] = {};      // of a piece
  alignas(64) std::uint32_t packed_[2 * step_lanes] = {};
  alignas(64) std::uint32_t spread_[step_lanes] = {};
};

/// The sums of the lanes of item i. column: of lane 0, or of each where columns are given.
template <bool piece, class T, class Turns>
void sum_item(const SliceDelta<Viewed>& a, std::uint64_t i, Turns& turns, const T* x, std::uint32_t column,
              const std::uint32_t* columns, T* lanes) {
  StepSums<T, typename Turns::Values> sums(turns.values(), turns.begin(i),
                                           a.residuals.data() + a.residual_start.position(i), x, column);
  if (columns != nullptr) sums.part(columns);
  SliceReader reader(a.words.data() + a.first_word[i], turns.lane_steps());
  for (SliceTurn turn; reader.next(turn);) {
    sums.move_to(turns.next(turn, sums.position()));
    sums.template add<piece>(turn);
  }
  sums.store(lanes);
}

/// The rows of the lanes of slice s, `rows` of them, and where they begin; only the latter where rows are not sorted.
inline void lanes_of_slice(const SliceDelta<Viewed>& a, std::uint64_t s, std::uint64_t rows, std::uint32_t* row,
                           std::uint32_t* column) {
  const std::uint64_t first = s * slice_rows;
  if (!a.row_perm.empty()) {
    for (std::uint64_t j = 0; j < rows; ++j) column[j] = first_column(a, row[j] = row_at(a, first + j));
    return;
  }
  const auto block = static_cast<std::uint32_t>(a.block);
  std::uint32_t begin = first_column(a, static_cast<std::uint32_t>(first));
  for (std::uint32_t j = 0, in_block = static_cast<std::uint32_t>(first) - begin; j < rows; ++j) {
    column[j] = begin;
    if (++in_block == block) {
      begin += block;
      in_block = 0;
    }
  }
}

template <class T, class Turns>
void multiply_slice(const SliceDelta<Viewed>& a, std::uint64_t s, Turns& turns, const T* x, T* y) {
  const std::uint64_t first = s * slice_rows, rows = std::min<std::uint64_t>(slice_rows, a.rows - first);
  const bool sorted = !a.row_perm.empty(), neighbours = !sorted && a.block == 1;
  std::uint32_t row[slice_rows], column[slice_rows] = {};
  if (!neighbours) lanes_of_slice(a, s, rows, row, column);
  T lanes[slice_rows];
  sum_item<false>(a, s, turns, x, static_cast<std::uint32_t>(first), neighbours ? nullptr : column, lanes);
  if (!sorted)
    std::copy_n(lanes, rows, y + first);
  else
    for (std::uint64_t j = 0; j < rows; ++j) y[row[j]] = lanes[j];
}

template <class T, class Turns>
T sum_piece(const SliceDelta<Viewed>& a, std::uint64_t p, Turns& turns, const T* x) {
  T lanes[slice_rows];
  sum_item<true>(a, slices_of(a) + p, turns, x, first_column(a, a.long_row[p]), nullptr, lanes);
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
      for (std::uint64_t s = first; s < last; ++s) multiply_slice(a, s, turns, x, y);
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
