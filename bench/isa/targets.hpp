// The targets that `./dev bench isa` compares measured times with.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace spress::bench {

/// The least seconds of one product, or why there are none.
struct Timed {
  std::string name;
  double seconds = std::numeric_limits<double>::quiet_NaN();
  std::string wrong = {};  ///< set: the result was not that of the matrix, and was not timed
};

/// A ceiling may take this many times the time of the best lower one.
inline double most_of_lower(int threads) { return threads == 1 ? 1.03 : 1.08; }
/// The fastest peer must take at least this many times the time of csr.
inline constexpr double least_of_peer = 0.97;
/// csr must take at least this many times the time of slice-delta, where `auto` chooses slice-delta.
inline constexpr double least_of_csr = 1.0;

/// Seconds of element i over the least of the elements before it. Not a number for the first one.
inline double to_best_lower(const std::vector<Timed>& ceilings, std::size_t i) {
  double lower = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < i; ++k) lower = std::fmin(lower, ceilings[k].seconds);
  return ceilings[i].seconds / lower;
}

/// The ceilings that miss their target, by place. Ceilings: narrowest first.
inline std::vector<std::size_t> slow_ceilings(const std::vector<Timed>& ceilings, int threads) {
  std::vector<std::size_t> slow;
  for (std::size_t i = 1; i < ceilings.size(); ++i)
    if (to_best_lower(ceilings, i) > most_of_lower(threads)) slow.push_back(i);
  return slow;
}

/// The elements that take less than `least` times the time of the first one, by place.
inline std::vector<std::size_t> faster_than_first(const std::vector<Timed>& timed, double least) {
  std::vector<std::size_t> faster;
  for (std::size_t i = 1; i < timed.size(); ++i)
    if (timed[i].seconds < least * timed[0].seconds) faster.push_back(i);
  return faster;
}

}  // namespace spress::bench
