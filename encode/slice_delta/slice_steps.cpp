#include "encode/slice_delta/slice_steps.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "formats/core/avx2.hpp"

#ifdef SPRESS_AVX2
#include <immintrin.h>
#endif

namespace spress {
namespace {

/// Where the next entry of a lane is that has none.
template <class Number>
constexpr Number done = std::numeric_limits<Number>::max();

/// What the next step takes: no lanes where none has an entry.
template <class Number>
struct Taken {
  Number least = done<Number>;        // where the nearest entry is
  std::uint32_t mask = 0, count = 0;  // the lanes, and how many
  std::uint32_t width = 0;            // bits that tell their entries from `least` on
};

template <class Number>
Number furthest(Number least, Number reach) {
  return reach > done<Number> - 1 - std::max<Number>(least, 0) ? done<Number> - 1 : static_cast<Number>(least + reach);
}

/// The lanes whose next entry lies no more than `reach` columns behind the nearest. at: where the next entries are.
template <class Number>
Taken<Number> take_portably(const std::array<Number, slice_rows>& at, Number reach) {
  static_assert(std::endian::native == std::endian::little);
  using Unsigned = std::make_unsigned_t<Number>;
  Taken<Number> out;
  for (const Number each : at) out.least = std::min(out.least, each);
  const Number most = furthest(out.least, reach);
  std::array<std::uint8_t, slice_rows> takes;
  Unsigned spread = 0;
  for (std::uint32_t j = 0; j < slice_rows; ++j) {
    const bool take = at[j] <= most;
    takes[j] = take ? 1 : 0;
    spread |= take ? static_cast<Unsigned>(at[j]) - static_cast<Unsigned>(out.least) : 0;
  }
  for (std::uint32_t k = 0; k < slice_rows; k += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, takes.data() + k, sizeof eight);
    out.mask |= static_cast<std::uint32_t>(eight * 0x0102040810204080u >> 56) << k;
    out.count += static_cast<std::uint32_t>(eight * 0x0101010101010101u >> 56);
  }
  out.width = static_cast<std::uint32_t>(std::bit_width(spread));
  return out;
}

#ifdef SPRESS_AVX2

/// The same, eight lanes at a time. Requires: a processor with AVX2; `at` aligned to 32 bytes.
SPRESS_AVX2 Taken<std::int32_t> take_by_avx2(const std::array<std::int32_t, slice_rows>& at, std::int32_t reach) {
  const auto load = [&](std::size_t j)
                        SPRESS_AVX2 { return _mm256_load_si256(reinterpret_cast<const __m256i*>(at.data() + j)); };
  const __m256i eight[] = {load(0), load(8), load(16), load(24)};
  const __m256i nearest = _mm256_min_epi32(_mm256_min_epi32(eight[0], eight[1]), _mm256_min_epi32(eight[2], eight[3]));
  __m128i least = _mm_min_epi32(_mm256_castsi256_si128(nearest), _mm256_extracti128_si256(nearest, 1));
  least = _mm_min_epi32(least, _mm_shuffle_epi32(least, 0b01'00'11'10));
  least = _mm_min_epi32(least, _mm_shuffle_epi32(least, 0b10'11'00'01));
  Taken<std::int32_t> out;
  out.least = _mm_cvtsi128_si32(least);
  const __m256i most = _mm256_set1_epi32(furthest(out.least, reach)), from = _mm256_broadcastd_epi32(least);
  __m256i spread = _mm256_setzero_si256();
  for (std::uint32_t k = 0; k < 4; ++k) {
    const __m256i left = _mm256_cmpgt_epi32(eight[k], most);
    out.mask |= (~static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(left))) & 0xFF) << (8 * k);
    spread = _mm256_or_si256(spread, _mm256_andnot_si256(left, _mm256_sub_epi32(eight[k], from)));
  }
  __m128i bits = _mm_or_si128(_mm256_castsi256_si128(spread), _mm256_extracti128_si256(spread, 1));
  bits = _mm_or_si128(bits, _mm_shuffle_epi32(bits, 0b01'00'11'10));
  bits = _mm_or_si128(bits, _mm_shuffle_epi32(bits, 0b10'11'00'01));
  out.count = static_cast<std::uint32_t>(_mm_popcnt_u32(out.mask));
  out.width = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint32_t>(_mm_cvtsi128_si32(bits))));
  return out;
}

#endif

template <class Number>
Taken<Number> take_in_reach(const std::array<Number, slice_rows>& at, Number reach) {
#ifdef SPRESS_AVX2
  if constexpr (std::is_same_v<Number, std::int32_t>)
    if (has_avx2()) return take_by_avx2(at, reach);
#endif
  return take_portably(at, reach);
}

/// What layouts of a slice begin with, found once.
struct Shape {
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max(), longest = 0;  // entries of a lane
  std::uint32_t longest_lane = 0;
  bool is_narrow = false;  // no column that a lane meets or stands at reaches 2^30

  explicit Shape(const Lanes& lanes) {
    std::uint64_t column_bits = 0;
    for (std::uint32_t j = 0; j < slice_rows; ++j) {
      const auto length = static_cast<std::uint64_t>(lanes.end[j] - lanes.next[j]);
      shortest = std::min(shortest, length);
      if (length > longest) longest_lane = j;
      longest = std::max(longest, length);
      column_bits |= static_cast<std::uint64_t>(lanes.column[j]) | (length != 0 ? lanes.end[j][-1] : 0);
    }
    is_narrow = column_bits < std::uint64_t{1} << 30;
  }
};

/// Of so many steps, those that not all lanes take an entry in.
constexpr std::uint64_t least_masks(std::uint64_t steps, std::uint64_t shortest) {
  return steps - std::min(steps, shortest);
}

/// What steps without residuals cost at least; found in a small part of the time that laying them out takes. There is
/// a step for each distance that an entry has from where its lane stands at first: counted by their last bits. Of no
/// use where it is no less than `limit`.
std::uint64_t least_bare_cost(const Lanes& lanes, const Shape& shape, std::uint64_t limit) {
  constexpr std::uint32_t places = 2048;
  std::array<std::uint8_t, places> met = {};
  std::uint64_t steps = 0, cost = 0;
  for (std::uint32_t j = 0; j < slice_rows && cost < limit; ++j) {
    for (const std::uint32_t* at = lanes.next[j]; at != lanes.end[j]; ++at) {
      const std::uint32_t place = (*at - static_cast<std::uint32_t>(lanes.column[j])) % places;
      steps += met[place] ^ 1u;
      met[place] = 1;
    }
    cost = Steps::cost_of(steps) + 4 * least_masks(steps, shape.shortest);
  }
  return cost;
}

/// All lanes of a slice while steps are laid out. Where a lane's next entry is told from where the slice stood at
/// first: by its distance and all bases so far, so that a step changes no lanes but those that take an entry. Number:
/// int32 where no column and no row reaches 2^30, as then no sum of bases does.
template <class Number>
class Front {
 public:
  Front(const Lanes& lanes, const Shape& shape)
      : next_(lanes.next), end_(lanes.end), longest_(shape.longest_lane), shortest_(shape.shortest) {
    for (std::uint32_t j = 0; j < slice_rows; ++j)
      at_[j] = next_[j] == end_[j] ? done<Number> : static_cast<Number>(*next_[j] - lanes.column[j]);
  }

  /// What a step takes whose entries lie no more than `reach` columns behind the nearest.
  [[nodiscard]] Taken<Number> in_reach(Number reach) const { return take_in_reach(at_, reach); }
  /// These lanes take their next entries. travelled: the sum of the bases, this step's included.
  void take(std::uint32_t mask, Number travelled) {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto j = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint32_t* taken = next_[j]++;
      const bool more = next_[j] != end_[j];  // no branch: it would be guessed wrongly once a lane
      const auto gap = static_cast<Number>(taken[more ? 1 : 0] - *taken);
      at_[j] = more ? static_cast<Number>(gap + travelled) : done<Number>;
    }
  }
  /// What all steps cost at least, of which the first ones are laid out.
  [[nodiscard]] std::uint64_t least_cost(const Steps& first_ones) const {
    const auto left = static_cast<std::uint64_t>(end_[longest_] - next_[longest_]);
    const std::uint64_t masks = least_masks(first_ones.list.size() + left, shortest_);
    return Steps::cost_of(first_ones.list.size() + left) +
           4 * (std::max(masks, first_ones.masks) + first_ones.residual_words);
  }

 private:
  alignas(64) std::array<Number, slice_rows> at_;
  std::array<const std::uint32_t*, slice_rows> next_, end_;
  std::uint32_t longest_;   // the lane with the most entries
  std::uint64_t shortest_;  // the entries of the one with the fewest
};

/// Lays out the entries of all lanes. In each step those lanes take an entry whose next one lies no more than `reach`
/// columns behind the nearest. Gives up once it is sure that the cost is no less than `limit`; returns whether it did
/// not, or there are too many steps.
template <class Number>
bool lay_steps(const Front<Number>& start, Number reach, std::uint64_t limit, Steps& out) {
  Front<Number> front = start;
  out.clear();
  Number travelled = 0;
  while (true) {
    const Taken<Number> taken = front.in_reach(reach);
    if (taken.mask == 0) return true;
    out.add({.base = std::int64_t{taken.least} - travelled, .width = taken.width, .mask = taken.mask}, taken.count);
    front.take(taken.mask, taken.least);
    travelled = taken.least;
    if (front.least_cost(out) >= limit || out.list.size() > most_slice_steps) return false;
  }
}

/// For each step, if all lanes with an entry left take one: how far these are at least and at most, and the lanes.
template <class Number>
struct Gaps {
  std::array<Number, most_slice_steps> least, most;
  std::array<std::uint32_t, most_slice_steps> mask;
};

/// Lane by lane: the steps of one are independent of each other, so that eight are taken at a time.
template <class Number>
[[gnu::always_inline]] inline void find_gaps(const Lanes& lanes, std::size_t steps, Gaps<Number>& out) {
  std::fill_n(out.least.begin(), steps, std::numeric_limits<Number>::max());
  std::fill_n(out.most.begin(), steps, std::numeric_limits<Number>::min());
  std::fill_n(out.mask.begin(), steps, 0u);
  for (std::uint32_t j = 0; j < slice_rows; ++j) {
    const std::uint32_t* const columns = lanes.next[j];
    const std::ptrdiff_t count = lanes.end[j] - columns;
    if (count == 0) continue;
    const auto take = [&](std::ptrdiff_t k, Number gap) {
      out.least[static_cast<std::size_t>(k)] = std::min(out.least[static_cast<std::size_t>(k)], gap);
      out.most[static_cast<std::size_t>(k)] = std::max(out.most[static_cast<std::size_t>(k)], gap);
      out.mask[static_cast<std::size_t>(k)] |= 1u << j;
    };
    const auto take_next = [&](std::ptrdiff_t k) { take(k, static_cast<Number>(columns[k] - columns[k - 1])); };
    take(0, static_cast<Number>(columns[0] - lanes.column[j]));
    std::ptrdiff_t k = 1;
    for (; k + 8 <= count; k += 8)
#pragma omp simd
      for (std::ptrdiff_t i = 0; i < 8; ++i) take_next(k + i);
    switch (count - k) {  // no loop: most rows are short
      case 7: take_next(k + 6); [[fallthrough]];
      case 6: take_next(k + 5); [[fallthrough]];
      case 5: take_next(k + 4); [[fallthrough]];
      case 4: take_next(k + 3); [[fallthrough]];
      case 3: take_next(k + 2); [[fallthrough]];
      case 2: take_next(k + 1); [[fallthrough]];
      case 1: take_next(k); [[fallthrough]];
      default: break;
    }
  }
}

#ifdef SPRESS_AVX2
SPRESS_AVX2 void find_gaps_by_avx2(const Lanes& lanes, std::size_t steps, Gaps<std::int32_t>& out) {
  find_gaps(lanes, steps, out);
}
#endif

template <class Number>
void find_all_gaps(const Lanes& lanes, std::size_t steps, Gaps<Number>& out) {
#ifdef SPRESS_AVX2
  if constexpr (std::is_same_v<Number, std::int32_t>)
    if (has_avx2()) return find_gaps_by_avx2(lanes, steps, out);
#endif
  find_gaps(lanes, steps, out);
}

/// Steps in which all lanes with an entry left take one. steps: of the longest lane. Requires: no more than
/// most_slice_steps.
template <class Number>
void lay_all_lanes(const Lanes& lanes, std::size_t steps, Steps& out) {
  assert(steps <= most_slice_steps);
  Gaps<Number> gaps;
  find_all_gaps(lanes, steps, gaps);
  out.clear();
  for (std::size_t k = 0; k < steps; ++k) {
    const auto spread = static_cast<std::uint64_t>(gaps.most[k]) - static_cast<std::uint64_t>(gaps.least[k]);
    out.add({.base = gaps.least[k], .width = static_cast<std::uint32_t>(std::bit_width(spread)), .mask = gaps.mask[k]},
            static_cast<std::uint32_t>(std::popcount(gaps.mask[k])));
  }
}

template <class Number>
void lay_cheapest(const Lanes& lanes, const Shape& shape, Steps& best, Steps& other) {
  lay_all_lanes<Number>(lanes, shape.longest, best);
  if (best.is_uniform()) return;
  std::uint32_t widest = 0;
  for (const Step& step : best.list) widest = std::max(widest, step.width);
  std::optional<Front<Number>> front;
  const auto try_reach = [&](std::uint32_t width) {
    if (width >= widest) return;  // all lanes would be in reach all the time, as before
    if (!front) front.emplace(lanes, shape);
    if (lay_steps(*front, static_cast<Number>((1u << width) - 1), best.cost(), other)) std::swap(best, other);
  };
  if (widest != 0 && least_bare_cost(lanes, shape, best.cost()) < best.cost()) try_reach(0);
  try_reach(3);
  try_reach(8);
}

}  // namespace

void lay_slice(const Lanes& lanes, Steps& best, Steps& other) {
  const Shape shape(lanes);
  shape.is_narrow ? lay_cheapest<std::int32_t>(lanes, shape, best, other)
                  : lay_cheapest<std::int64_t>(lanes, shape, best, other);
}

bool lay_bare_slice(const Lanes& lanes, std::uint64_t limit, Steps& out) {
  const Shape shape(lanes);
  if (least_bare_cost(lanes, shape, limit) >= limit) return false;
  return shape.is_narrow ? lay_steps(Front<std::int32_t>(lanes, shape), 0, limit, out)
                         : lay_steps(Front<std::int64_t>(lanes, shape), std::int64_t{0}, limit, out);
}

void lay_piece(std::int64_t column, const std::uint32_t* first, const std::uint32_t* last, Steps& out) {
  out.clear();
  while (first != last) {
    const auto taken = static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(slice_rows, last - first));
    const std::uint32_t spread = first[taken - 1] - first[0] - (taken - 1);
    out.add({.base = *first - column,
             .width = static_cast<std::uint32_t>(std::bit_width(spread)),
             .mask = taken == slice_rows ? ~0u : (1u << taken) - 1},
            taken);
    column = *first;
    first += taken;
  }
}

}  // namespace spress
