#include "encode/slice_steps.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace spress {
namespace {

/// A mask of lanes, from a byte of 0 or 1 for each, and how many are 1.
struct Taken {
  std::uint32_t mask = 0, count = 0;

  explicit Taken(const std::array<std::uint8_t, slice_rows>& takes) {
    static_assert(std::endian::native == std::endian::little);
    for (std::uint32_t k = 0; k < slice_rows; k += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, takes.data() + k, sizeof eight);
      mask |= static_cast<std::uint32_t>(eight * 0x0102040810204080u >> 56) << k;
      count += static_cast<std::uint32_t>(eight * 0x0101010101010101u >> 56);
    }
  }
};

/// All lanes of a slice while steps are laid out. Where a lane's next entry is told from where the slice stood at
/// first: by its distance and all bases so far, so that a step changes no lanes but those that take an entry. Number:
/// int32 where no column and no row reaches 2^30, as then no sum of bases does.
template <class Number>
class Front {
 public:
  static constexpr Number done = std::numeric_limits<Number>::max();  // of a lane without entries

  explicit Front(const Lanes& lanes) : next_(lanes.next), end_(lanes.end) {
    for (std::uint32_t j = 0; j < slice_rows; ++j) {
      at_[j] = next_[j] == end_[j] ? done : static_cast<Number>(*next_[j] - lanes.column[j]);
      if (end_[j] - next_[j] > end_[longest_] - next_[longest_]) longest_ = j;
    }
  }

  /// Where the nearest entry is; done where there is none.
  [[nodiscard]] Number nearest() const {
    Number least = done;
    for (const Number at : at_) least = std::min(least, at);
    return least;
  }
  /// The lanes whose next entry is no further than `most`, and the bits that tell those of all of them from `least` on.
  [[nodiscard]] Taken reached(Number least, Number most, std::uint32_t& width) const {
    using Unsigned = std::make_unsigned_t<Number>;
    std::array<std::uint8_t, slice_rows> takes;
    Unsigned spread = 0;
    for (std::uint32_t j = 0; j < slice_rows; ++j) {
      const bool take = at_[j] <= most;
      takes[j] = take ? 1 : 0;
      spread |= take ? static_cast<Unsigned>(at_[j]) - static_cast<Unsigned>(least) : 0;
    }
    width = static_cast<std::uint32_t>(std::bit_width(spread));
    return Taken(takes);
  }
  /// These lanes take their next entries. travelled: the sum of the bases, this step's included.
  void take(std::uint32_t mask, Number travelled) {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto j = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint32_t* taken = next_[j]++;
      const bool more = next_[j] != end_[j];  // no branch: it would be guessed wrongly once a lane
      const auto gap = static_cast<Number>(taken[more ? 1 : 0] - *taken);
      at_[j] = more ? static_cast<Number>(gap + travelled) : done;
    }
  }
  /// How many more steps there are at least.
  [[nodiscard]] std::uint64_t steps_left() const {
    return static_cast<std::uint64_t>(end_[longest_] - next_[longest_]);
  }

 private:
  alignas(64) std::array<Number, slice_rows> at_;
  std::array<const std::uint32_t*, slice_rows> next_, end_;
  std::uint32_t longest_ = 0;  // the lane with the most entries
};

/// Lays out the entries of all lanes. In each step those lanes take an entry whose next one lies no more than `reach`
/// columns behind the nearest. Gives up once it is sure that the cost is no less than `limit`; returns whether it did
/// not, or there are too many steps.
template <class Number>
bool lay_steps(const Front<Number>& start, Number reach, std::uint64_t limit, Steps& out) {
  constexpr Number done = Front<Number>::done;
  Front<Number> front = start;
  out.clear();
  Number travelled = 0;
  while (true) {
    const Number least = front.nearest();
    if (least == done) return true;
    const Number most = reach > done - 1 - std::max<Number>(least, 0) ? done - 1 : static_cast<Number>(least + reach);
    Step step{.base = std::int64_t{least} - travelled};
    const Taken taken = front.reached(least, most, step.width);
    step.mask = taken.mask;
    out.add(step, taken.count);
    front.take(taken.mask, least);
    travelled = least;
    if (out.cost() + Steps::cost_of(front.steps_left()) >= limit || out.list.size() > most_slice_steps) return false;
  }
}

template <class Number>
void lay_cheapest(const Lanes& lanes, Steps& best, Steps& other) {
  const Front<Number> front(lanes);
  lay_steps<Number>(front, Front<Number>::done - 1, std::numeric_limits<std::uint64_t>::max(), best);
  if (best.is_uniform()) return;
  std::uint32_t widest = 0;
  for (const Step& step : best.list) widest = std::max(widest, step.width);
  for (const std::uint32_t width : {0u, 3u, 8u}) {
    if (width >= widest) return;  // all lanes would be in reach all the time, as before
    const auto reach = static_cast<Number>((1u << width) - 1);
    if (lay_steps(front, reach, best.cost(), other)) std::swap(best, other);
  }
}

/// No column that a lane meets or stands at reaches 2^30.
bool is_narrow(const Lanes& lanes) {
  constexpr std::int64_t limit = 1 << 30;
  bool narrow = true;
  for (std::uint32_t j = 0; j < slice_rows; ++j)
    narrow = narrow && lanes.column[j] < limit && (lanes.next[j] == lanes.end[j] || lanes.end[j][-1] < limit);
  return narrow;
}

}  // namespace

void lay_slice(const Lanes& lanes, Steps& best, Steps& other) {
  is_narrow(lanes) ? lay_cheapest<std::int32_t>(lanes, best, other) : lay_cheapest<std::int64_t>(lanes, best, other);
}

bool lay_bare_slice(const Lanes& lanes, std::uint64_t limit, Steps& out) {
  return is_narrow(lanes) ? lay_steps<std::int32_t>(Front<std::int32_t>(lanes), 0, limit, out)
                          : lay_steps<std::int64_t>(Front<std::int64_t>(lanes), 0, limit, out);
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
