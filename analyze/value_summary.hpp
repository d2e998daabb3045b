// Statistics on values from how often each distinct one occurs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include "analyze/value_statistics.hpp"

namespace spress::analyze {

// Everything asked of a value is the same for all its equals: values are first counted by their bits, and each distinct
// one is looked at once.

namespace detail {

template <class T>
bool float_exact(const T& value) {
  return fits_exactly<float>(value);
}
inline bool float_exact(const std::complex<double>& value) {
  return float_exact(value.real()) && float_exact(value.imag());
}

}  // namespace detail

/// Adds up the distinct values of type T, which come in any order.
template <class T>
class Summary {
 public:
  template <class Bits>
  void add(const Bits& bits, std::uint64_t count) {
    const T value = std::bit_cast<T>(bits);
    ++distinct_;
    if (value == T(0)) zeros_ += count;
    if (detail::float_exact(value)) exact_ += count;
    if (narrow_ != 0) narrow_ = narrow_types_holding(&value, 1, narrow_);
    if (count < rare_.size())
      ++rare_[count];
    else
      frequent_.push_back(count);
  }
  template <class Bits>
  [[nodiscard]] static bool wants(const Bits&, std::uint64_t) {
    return true;
  }
  void add(const Summary& other) {
    distinct_ += other.distinct_;
    zeros_ += other.zeros_;
    exact_ += other.exact_;
    narrow_ &= other.narrow_;
    std::transform(rare_.begin(), rare_.end(), other.rare_.begin(), rare_.begin(), std::plus<>());
    frequent_.insert(frequent_.end(), other.frequent_.begin(), other.frequent_.end());
  }
  /// The statistics of `count` values. Requires: their distinct ones were added.
  [[nodiscard]] ValueStatistics of(std::uint64_t count) && {
    std::sort(frequent_.begin(), frequent_.end(), std::greater<>());
    const auto share = [&](std::uint64_t part) { return static_cast<double>(part) / static_cast<double>(count); };
    const std::uint64_t in_256 = held_by(256);
    return {count, distinct_, share(in_256), share(held_by(65536)), share(exact_), zeros_, narrowest(narrow_), in_256};
  }

 private:
  /// Entries that the `top` most frequent values hold. Requires: frequent_ is sorted.
  [[nodiscard]] std::uint64_t held_by(std::uint64_t top) const {
    const std::uint64_t n = std::min<std::uint64_t>(top, frequent_.size());
    std::uint64_t held =
        std::accumulate(frequent_.begin(), frequent_.begin() + static_cast<std::ptrdiff_t>(n), std::uint64_t{0});
    top -= n;
    for (std::size_t count = rare_.size(); top != 0 && --count > 0;) {
      const std::uint64_t taken = std::min(top, rare_[count]);
      held += taken * count;
      top -= taken;
    }
    return held;
  }

  std::uint64_t distinct_ = 0, zeros_ = 0, exact_ = 0;
  unsigned narrow_ = all_narrow_types;
  std::array<std::uint64_t, 256> rare_ = {};  // rare_[c]: values that occur c times
  std::vector<std::uint64_t> frequent_;       // how often each other value occurs: few, since each occurs often
};

/// The summary of values with these bits.
template <class Bits>
using SummaryOf = Summary<
    std::conditional_t<sizeof(Bits) == 4, float, std::conditional_t<sizeof(Bits) == 8, double, std::complex<double>>>>;

}  // namespace spress::analyze
