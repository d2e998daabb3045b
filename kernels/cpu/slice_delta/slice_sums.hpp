// The sums of slices whose lanes all move alike.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "formats/slice_delta/slice_delta.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/simd_steps.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/slice_delta/slice_lanes.hpp"

SPRESS_KERNELS_BEGIN

/// Values asked for in advance; codes of one byte stand lane by lane.
constexpr std::uint64_t ahead(bool lane_by_lane) { return lane_by_lane ? 2048 : 512; }

/// Asks for the values that come soon after a turn whose own begin at v.
template <class Values>
[[gnu::always_inline]] inline void prefetch_turn(const Values& values, std::uint64_t v, const SliceTurn& turn) {
  prefetch_values(values, v + ahead(turn.lane_by_lane), std::uint64_t{step_lanes} * turn.count);
}

/// A slice on its way through its steps, whose lanes all move alike. Place: Neighbours, Windowed or Apart.
template <class T, class Place>
struct AlikeSums {
  using Number = T;
  using S = Simd<T>;
  static constexpr int width = S::lanes, vectors = step_vectors<T>, together = Place::together;

  Place place;
  std::uint64_t v;  // the value that comes next
  typename S::Vector sums[vectors];

  SPRESS_IN_PLACE AlikeSums(const Place& begin, std::uint64_t first) : place(begin), v(first) {
    SPRESS_UNROLLED
    for (auto& sum : sums) sum = S::zero();
  }

  SPRESS_IN_PLACE void store(T* lanes) const {
    SPRESS_UNROLLED
    for (int b = 0; b < vectors; ++b) S::store(lanes + b * width, sums[b]);
  }

  /// Four steps in which all lanes take an entry. lane_by_lane: so do their values stand.
  template <bool lane_by_lane, class Values>
  SPRESS_IN_PLACE void add_whole(const Values& values, const std::uint32_t* base) {
    if constexpr (lane_by_lane)
      add_fourths(values, base, std::make_integer_sequence<int, vectors>());
    else
      add_four(base,
               [&](std::uint32_t u, int b) { return load_values(values, v + u * step_lanes + lanes_before<T>(b)); });
    v += std::uint64_t{4} * step_lanes;
  }

  /// A step in which all lanes take an entry.
  template <class Values>
  SPRESS_IN_PLACE void add_step(const Values& values) {
    const auto x = place.whole();
    for_each_vector(x, [&](int b, const auto& window) {
      sums[b] = S::fma(load_values(values, v + lanes_before<T>(b)), window.load(b), sums[b]);
    });
    v += step_lanes;
  }

  /// A step in which the lanes of a mask do. end: of the store's values.
  template <class Values>
  SPRESS_IN_PLACE void add_some(const Values& values, std::uint64_t end, std::uint32_t mask) {
    const auto x = place.some(mask);
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    if (SPRESS_ISA_LEVEL == 2 && is_run(mask >> first) && v >= first && end - v >= step_lanes - first)
      add_run(values, mask, v - first, x);
    else
      add_spread(values, mask, end, x);
    v += static_cast<std::uint64_t>(std::popcount(mask));
  }

 private:
  /// Ones in the lowest bits, and nothing else.
  static bool is_run(std::uint32_t bits) { return (bits & (bits + 1)) == 0; }

  /// A step of lanes side by side, as at the ends of a grid's lines: their values stand as those of all would, from
  /// value `from` on.
  template <class Values, class X>
  SPRESS_IN_PLACE void add_run(const Values& values, std::uint32_t mask, std::uint64_t from, const X& x) {
    for_each_vector(x, [&](int b, const auto& window) {
      const std::uint32_t lanes = lanes_of<T>(mask, b);
      const auto value = load_values(values, from + lanes_before<T>(b)), factor = window.load(b);
      sums[b] = fma_chosen<T>(value, factor, sums[b], choose<T>(lanes));
    });
  }

  /// A step of any lanes.
  template <class Values, class X>
  SPRESS_IN_PLACE void add_spread(const Values& values, std::uint32_t mask, std::uint64_t end, const X& x) {
    std::uint64_t next = v;
    for_each_vector(x, [&](int b, const auto& window) {
      const std::uint32_t lanes = lanes_of<T>(mask, b);
      if (lanes == every_lane<T>)
        sums[b] = S::fma(load_values(values, next), window.load(b), sums[b]);
      else
        sums[b] = fma_chosen<T>(load_spread<T>(values, next, lanes, end), window.load(b), sums[b], choose<T>(lanes));
      next += static_cast<std::uint64_t>(std::popcount(lanes));
    });
  }

  /// Calls use(b, window) for each vector b. x: a step of the place.
  template <class X, class Use>
  SPRESS_IN_PLACE static void for_each_vector(const X& x, Use&& use) {
    SPRESS_UNROLLED
    for (int g = 0; g < vectors; g += together) {
      const auto window = x.window(g / together);
      SPRESS_UNROLLED
      for (int b = g; b < g + together; ++b) use(b, window);
    }
  }

  /// add_whole where values stand lane by lane: those of all vectors are loaded before x, which nothing delays then.
  template <class Values, int... b>
  SPRESS_IN_PLACE void add_fourths(const Values& values, const std::uint32_t* base, std::integer_sequence<int, b...>) {
    const Fourths<T, Values> fourths[] = {Fourths<T, Values>{values, v + 4 * lanes_before<T>(b)}...};
    add_four(base, [&](std::uint32_t u, int vector) { return fourths[vector].at(u); });
  }

  /// add_whole. load(u, b): the values of vector b in step u. Step by step, so that the addresses of one step are all
  /// that has to be kept.
  template <class Load>
  SPRESS_IN_PLACE void add_four(const std::uint32_t* base, Load&& load) {
    SPRESS_UNROLLED
    for (std::uint32_t u = 0; u < 4; ++u) {
      place.move(base[u]);
      const auto x = place.whole();
      for_each_vector(x, [&](int b, const auto& window) { sums[b] = S::fma(load(u, b), window.load(b), sums[b]); });
    }
  }
};

/// Adds the entries of four steps without masks. words: theirs.
template <bool lane_by_lane, class Sums, class Values>
SPRESS_IN_PLACE inline void add_four_words(Sums& sums, const Values& values, const std::uint32_t* words) {
  const std::uint32_t bases[4] = {slice_words::base(words[0]), slice_words::base(words[1]), slice_words::base(words[2]),
                                  slice_words::base(words[3])};
  sums.template add_whole<lane_by_lane>(values, bases);
}

/// Adds the entries of `count` steps whose words say all, with neither masks nor bases of their own: as in most slices,
/// so that nothing else shall be in the way.
template <bool lane_by_lane, class Sums, class Values>
SPRESS_IN_PLACE inline void add_plain(Sums& sums, const Values& values, const std::uint32_t* words,
                                      std::uint32_t count) {
  for (; count >= 4; count -= 4, words += 4) {
    prefetch_values(values, sums.v + ahead(lane_by_lane), std::uint64_t{4} * step_lanes);
    add_four_words<lane_by_lane>(sums, values, words);
  }
  prefetch_values(values, sums.v + ahead(lane_by_lane), std::uint64_t{count} * step_lanes);
  for (; count != 0; --count) {
    sums.place.move(slice_words::base(*words++));
    sums.add_step(values);
  }
}

/// Adds the entries of all steps, some of which have masks, but none a base of its own. end: of the store's values.
template <bool lane_by_lane, class Sums, class Values>
SPRESS_IN_PLACE inline void add_masked(Sums& sums, const Values& values, std::uint64_t end,
                                       const std::uint32_t* words) {
  const std::uint32_t* masks = words + slice_words::words_to_masks(words[-1]);
  const std::uint32_t* last = words + slice_words::steps(words[-1]);
  while (words != last) {
    prefetch_values(values, sums.v + ahead(lane_by_lane), std::uint64_t{4} * step_lanes);
    if (last - words >= 4 && !slice_words::is_masked(words[0] | words[1] | words[2] | words[3])) {
      add_four_words<lane_by_lane>(sums, values, words);
      words += 4;
      continue;
    }
    std::uint32_t any = 0;
    const std::uint32_t* turn_end = last - words >= 4 ? words + 4 : last;
    for (const std::uint32_t* mask = masks; words != turn_end; ++words, ++mask) {
      any |= *words;
      sums.place.move(slice_words::base(*words));
      if (slice_words::is_masked(*words))
        sums.add_some(values, end, *mask);
      else
        sums.add_step(values);
    }
    if (slice_words::is_masked(any)) masks += 4;
  }
}

/// Adds the entries of one turn. end: of the store's values.
template <class Sums, class Values>
SPRESS_IN_PLACE inline void add_turn(Sums& sums, const Values& values, std::uint64_t end, const SliceTurn& turn) {
  if constexpr (has_fourths<typename Sums::Number, Values>)
    if (turn.lane_by_lane) return sums.template add_whole<true>(values, turn.base);
  if (turn.full) return sums.template add_whole<false>(values, turn.base);
  for (std::uint32_t u = 0; u < turn.count; ++u) {
    sums.place.move(turn.base[u]);
    if (turn.mask[u] == ~0u)
      sums.add_step(values);
    else
      sums.add_some(values, end, turn.mask[u]);
  }
}

SPRESS_KERNELS_END
