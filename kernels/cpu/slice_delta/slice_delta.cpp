#include "formats/slice_delta/slice_delta.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/simd/simd_steps.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/slice_delta/slice_lanes.hpp"
#include "kernels/cpu/slice_delta/slice_sums.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

/// Sums the lanes of an item that residuals part. Until then they are neighbours in x; from then on, each has a column
/// of its own.
template <class T, class Values>
class StepSums {
  using S = Simd<T>;
  static constexpr int width = S::lanes, vectors = step_lanes / width;

 public:
  /// v: the item's first value, before `end`; column: of lane 0, those of the others following, before the first
  /// step.
  StepSums(const Values& values, std::uint64_t v, std::uint64_t end, const std::uint32_t* residuals, Edge<T>& edge,
           std::uint32_t column)
      : values_(values), end_(end), alike_(Neighbours<T>(edge, column), v), residuals_(residuals), edge_(edge) {}

  /// Gives each lane a column of its own from the beginning.
  void part(const std::uint32_t* columns) {
    parted_ = true;
    std::copy_n(columns, step_lanes, columns_);
  }

  /// Adds all turns. piece: the steps are consecutive entries of one row, whose residuals move no column but their own.
  template <bool piece>
  void add_all(SliceReader& reader) {
    SliceTurn turn;
    for (bool more = reader.next(turn); more;) {
#if SPRESS_ISA_LEVEL == 2
      if (parted_ && !turn.packed)
        if (const std::uint32_t least = set_lanes(near_, columns_); near_.fit()) {
          more = add_near(reader, turn, least);
          continue;
        }
#endif
      add<piece>(turn);
      more = reader.next(turn);
    }
  }

  void store(T* lanes) const { alike_.store(lanes); }

 private:
  template <bool piece>
  void add(const SliceTurn& turn) {
    prefetch_turn(values_, alike_.v, turn);
    if (!parted_ && !turn.packed) return add_turn(alike_, values_, end_, turn);
    for (std::uint32_t u = 0; u < turn.count; ++u) add_one<piece>(turn, u);
    if (turn.lane_by_lane) alike_.v += std::uint64_t{4} * step_lanes;
    residuals_ += turn.residual_words();
  }

#if SPRESS_ISA_LEVEL == 2
  /// Adds the turns up to the next one with residuals: until then the lanes stay as far apart as they are in near_,
  /// which counts from column `least`. False behind the last turn.
  SPRESS_ALL_IN_PLACE bool add_near(SliceReader& reader, SliceTurn& turn, std::uint32_t least) {
    using Place = Windowed<T, 1, false>;
    AlikeSums<T, Place> sums(Place(edge_, least, near_), alike_.v);
    std::copy_n(alike_.sums, vectors, sums.sums);
    bool more = true;
    for (; more && !turn.packed; more = reader.next(turn)) {
      prefetch_turn(values_, sums.v, turn);
      add_turn(sums, values_, end_, turn);
    }
    std::copy_n(sums.sums, vectors, alike_.sums);
    alike_.v = sums.v;
    for (std::uint32_t& column : columns_) column += sums.place.column() - least;
    return more;
  }
#endif

  template <bool piece>
  [[gnu::always_inline]] void add_one(const SliceTurn& turn, std::uint32_t u) {
    if constexpr (has_fourths<T, Values>)
      if (turn.lane_by_lane) return add_step<piece>(turn, u, [&](int b) { return fourths(b).at(u); });
    if (turn.mask[u] == ~0u)
      add_step<piece>(turn, u, [&](int b) { return load_values(values_, alike_.v + lanes_before<T>(b)); });
    else
      add_masked_step<piece>(turn, u);
    alike_.v += turn.entries(u);
  }

  /// The values of vector b of lanes in a turn that stands lane by lane.
  [[nodiscard]] auto fourths(int b) const { return Fourths<T, Values>{values_, alike_.v + 4 * lanes_before<T>(b)}; }

  template <bool piece, class Load>
  [[gnu::always_inline]] void add_step(const SliceTurn& turn, std::uint32_t u, Load&& load) {
    move<piece>(turn, u);
    auto& sums = alike_.sums;
    if (!parted_) {
      const auto x = alike_.place.whole();
      for (int b = 0; b < vectors; ++b) sums[b] = S::fma(load(b), x.load(b), sums[b]);
    } else {
      const std::uint32_t* ids = piece ? own_ : columns_;
      for (int b = 0; b < vectors; ++b)
        sums[b] = S::fma(load(b), gather_codes<S>(edge_.x(), ids + b * width, false), sums[b]);
    }
    if (piece) parted_ = false;
  }

  template <bool piece>
  void add_masked_step(const SliceTurn& turn, std::uint32_t u) {
    move<piece>(turn, u);
    std::uint64_t v = alike_.v;
    const std::uint32_t* ids = piece ? own_ : columns_;
    typename Neighbours<T>::Step x = {};
    if (!parted_) x = alike_.place.some(turn.mask[u]);
    for (int b = 0; b < vectors; ++b) {
      const std::uint32_t lanes = lanes_of<T>(turn.mask[u], b);
      const auto chosen = choose<T>(lanes);
      const auto factors = parted_ ? gather_chosen(edge_.x(), S::ids(ids + b * width), chosen) : x.load(b);
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
  Edge<T>& edge_;
  bool parted_ = false;
  alignas(64) std::uint32_t columns_[step_lanes] = {};  // where they are
  alignas(64) std::uint32_t own_[step_lanes] = {};      // of a piece
  alignas(64) std::uint32_t packed_[2 * step_lanes] = {};
  alignas(64) std::uint32_t spread_[step_lanes] = {};
#if SPRESS_ISA_LEVEL == 2
  LaneWindows<T, 1> near_;
#endif
};

/// The sums of the lanes of item i. column: of lane 0, or of each where columns are given.
template <bool piece, class T, class Values>
[[gnu::noinline]] void sum_packed(const SliceDelta<Viewed>& a, std::uint64_t i, Values values, Edge<T>& edge,
                                  std::uint32_t column, const std::uint32_t* columns, T* lanes) {
  StepSums<T, Values> sums(values, a.value_start.position(i), a.nnz, a.residuals.data() + a.residual_start.position(i),
                           edge, column);
  if (columns != nullptr) sums.part(columns);
  SliceReader reader(a.words.data() + a.first_word[i], a.lane_steps);
  sums.template add_all<piece>(reader);
  sums.store(lanes);
}

/// Residuals may part the lanes of item i.
inline bool is_packed(const SliceDelta<Viewed>& a, std::uint64_t i) {
  return (a.words[a.first_word[i] - 1] & slice_words::any_width) != 0;
}

/// The values stand as the sums without residuals take them: all but bytes that do not stand lane by lane.
template <class T, class Values>
bool values_stand(const SliceDelta<Viewed>& a) {
  return !has_fourths<T, Values> || a.lane_steps == 4;
}

/// The sums of the lanes of item i, which no residual parts.
template <class T, class Place, class Values>
[[gnu::noinline]] SPRESS_ALL_IN_PLACE void sum_alike(const SliceDelta<Viewed>& a, std::uint64_t i, Values values,
                                                     Edge<T>& edge, std::uint32_t column,
                                                     const typename Place::Offsets& offsets, T* lanes) {
  const std::uint32_t* words = a.words.data() + a.first_word[i];
  AlikeSums<T, Place> sums(Place(edge, column, offsets), a.value_start.position(i));
  constexpr bool by_turns = SPRESS_ISA_LEVEL == 1;  // which takes less time there
  if (!by_turns && values_stand<T, Values>(a) && !slice_words::is_wide(words[-1])) {
    add_masked<has_fourths<T, Values>>(sums, values, a.nnz, words);
  } else {
    SliceReader reader(words, a.lane_steps);
    for (SliceTurn turn; reader.next(turn);) add_turn(sums, values, a.nnz, turn);
  }
  sums.store(lanes);
}

/// y of slice s. column: of lane 0.
template <class Place, class T, class Values>
[[gnu::noinline]] void multiply_slice(const SliceDelta<Viewed>& a, std::uint64_t s, Values values, Edge<T>& edge,
                                      std::uint32_t column, const typename Place::Offsets& offsets, T* y) {
  const std::uint64_t first = s * slice_rows;
  T sums[slice_rows];
  if (!is_packed(a, s)) {
    sum_alike<T, Place>(a, s, values, edge, column, offsets, sums);
  } else if constexpr (std::is_same_v<Place, Neighbours<T>>) {
    sum_packed<false>(a, s, values, edge, column, nullptr, sums);
  } else {
    std::uint32_t columns[slice_rows];
    offsets.columns(column, columns);
    sum_packed<false>(a, s, values, edge, column, columns, sums);
  }
  std::copy_n(sums, std::min<std::uint64_t>(slice_rows, a.rows - first), y + first);
}

/// No step has residuals, a mask or a base of its own.
inline bool is_plain(std::uint32_t head) {
  return (head & (slice_words::any_width | slice_words::any_mask | slice_words::wide_bases)) == 0;
}

/// y of slices first to last - 1, rows in order.
template <class Place, class T, class Values>
SPRESS_ALL_IN_PLACE void multiply_slices(const SliceDelta<Viewed>& a, std::uint64_t first, std::uint64_t last,
                                         Values values, const T* x, T* y) {
  constexpr bool lane_by_lane = has_fourths<T, Values>;
  const bool stand = values_stand<T, Values>(a);
  Edge<T> edge(x, a.cols);
  BlockLanes<typename Place::Offsets> lanes(a.block);
  for (std::uint64_t s = first; s < last; ++s) {
    const std::uint32_t* words = a.words.data() + a.first_word[s];
    const auto row = static_cast<std::uint32_t>(s * slice_rows);
    const std::uint32_t column = lanes.column(row);
    const auto& offsets = lanes.at(row - column);
    T* out = y + s * slice_rows;
    if (a.rows - s * slice_rows < slice_rows || is_packed(a, s)) [[unlikely]] {
      multiply_slice<Place>(a, s, values, edge, column, offsets, y);
    } else if (stand && is_plain(words[-1])) {
      AlikeSums<T, Place> sums(Place(edge, column, offsets), a.value_start.position(s));
      add_plain<lane_by_lane>(sums, values, words, slice_words::steps(words[-1]));
      sums.store(out);
    } else {
      sum_alike<T, Place>(a, s, values, edge, column, offsets, out);
    }
  }
}

/// Multiplies slices of rows that begin alike by blocks, with the place that suits the blocks.
template <class T, class Values>
void multiply_blocks(const SliceDelta<Viewed>& a, std::uint64_t first, std::uint64_t last, Values values, const T* x,
                     T* y) {
#if SPRESS_ISA_LEVEL == 2
  if constexpr (std::is_same_v<T, double>)  // sixteen lanes are two nodes at least, and a window has all of them
    if (a.block <= 8) return multiply_slices<Windowed<T, 2, true>>(a, first, last, values, x, y);
  multiply_slices<Windowed<T, 1, false>>(a, first, last, values, x, y);
#else
  multiply_slices<Apart<T>>(a, first, last, values, x, y);
#endif
}

/// The sums of the lanes of slice s, which begin at columns[] and which no residual parts.
template <class T, class Values>
void sum_sorted(const SliceDelta<Viewed>& a, std::uint64_t s, Values values, Edge<T>& edge,
                const std::uint32_t* columns, T* sums) {
#if SPRESS_ISA_LEVEL == 2
  LaneWindows<T, 1> lanes;
  const std::uint32_t least = set_lanes(lanes, columns);
  if (lanes.fit()) return sum_alike<T, Windowed<T, 1, false>>(a, s, values, edge, least, lanes, sums);
#else
  LaneOffsets<T> lanes;
  const std::uint32_t least = set_lanes(lanes, columns);
#endif
  sum_alike<T, Apart<T>>(a, s, values, edge, least, lanes, sums);
}

/// Rows by sorting windows, each where row_perm has it.
template <class T, class Values>
void multiply_sorted(const SliceDelta<Viewed>& a, std::uint64_t s, Values values, Edge<T>& edge, T* y) {
  const std::uint64_t first = s * slice_rows, rows = std::min<std::uint64_t>(slice_rows, a.rows - first);
  std::uint32_t row[slice_rows], column[slice_rows];
  for (std::uint64_t j = 0; j < rows; ++j) column[j] = first_column(a, row[j] = row_at(a, first + j));
  std::fill(column + rows, column + slice_rows, column[0]);
  T sums[slice_rows];
  if (is_packed(a, s))
    sum_packed<false>(a, s, values, edge, 0, column, sums);
  else
    sum_sorted(a, s, values, edge, column, sums);
  for (std::uint64_t j = 0; j < rows; ++j) y[row[j]] = sums[j];
}

template <class T, class Values>
T sum_piece(const SliceDelta<Viewed>& a, std::uint64_t p, Values values, const T* x) {
  Edge<T> edge(x, a.cols);
  T lanes[slice_rows];
  const std::uint64_t i = slices_of(a) + p;
  const std::uint32_t column = first_column(a, a.long_row[p]);
  if (is_packed(a, i))
    sum_packed<true>(a, i, values, edge, column, nullptr, lanes);
  else
    sum_alike<T, Neighbours<T>>(a, i, values, edge, column, {}, lanes);
  T sum = 0;
  for (const T lane : lanes) sum += lane;
  return sum;
}

/// y of the rows that are cut into pieces. Scratch: a number per piece, kept by the calling thread.
template <class T, class Values>
void multiply_long_rows(const SliceDelta<Viewed>& a, Values values, const T* x, T* y, int threads) {
  const std::uint64_t pieces = a.long_row.size();
  if (pieces == 0) return;
  thread_local std::vector<T> kept;
  std::vector<T>& sums = kept;
  if (sums.size() < pieces) sums.resize(pieces);
#pragma omp parallel for num_threads(thread_count(threads)) schedule(static)
  for (std::uint64_t p = 0; p < pieces; ++p) sums[p] = sum_piece(a, p, values, x);
  for (std::uint64_t p = 0; p < pieces; ++p) {
    T& out = y[a.long_row[p]];
    out = p > 0 && a.long_row[p] == a.long_row[p - 1] ? out + sums[p] : sums[p];
  }
}

template <class T, class Values>
void multiply_items(const SliceDelta<Viewed>& a, Values values, const T* x, T* y, int threads) {
  for_balanced_pieces(a.value_start, slices_of(a), threads, [&](std::uint64_t first, std::uint64_t last) {
    if (!a.row_perm.empty()) {
      Edge<T> edge(x, a.cols);
      for (std::uint64_t s = first; s < last; ++s) multiply_sorted(a, s, values, edge, y);
    } else if (a.block == 1) {
      multiply_slices<Neighbours<T>>(a, first, last, values, x, y);
    } else {
      multiply_blocks(a, first, last, values, x, y);
    }
  });
  multiply_long_rows(a, values, x, y, threads);
}

template <class T>
void multiply(const SliceDelta<Viewed>& a, const T* x, T* y, int threads) {
  with_accessor<T>(a.values, [&](auto stored) {
    with_near_table<T>(stored, a.values.table.size(),
                       [&](const auto& values) { multiply_items(a, values, x, y, threads); });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(SliceDelta)
