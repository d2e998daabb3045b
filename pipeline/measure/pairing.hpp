// Two products timed in turn, so that whatever else the machine does meets both.
#pragma once

#include <functional>
#include <vector>

namespace spress::pipeline {

struct Pairing {
  double seconds = 1;                ///< time to spend; at least 7 and at most 1000 pairs are measured whatever it is
  int repetitions = 0;               ///< pairs, whatever time they take; 0: as many as fit the time
  std::function<double()> now = {};  ///< seconds on a clock that never goes back; empty: the system's
  /// Seconds of so many runs in a row, for devices with a clock of their own; empty: by `now`.
  std::function<double(const std::function<void()>& run, int runs)> stopwatch = {};
  /// Makes of seconds, and of times on the clock, those that count: the same wherever a product runs in parts. Empty:
  /// what is seen here counts.
  std::function<double(double seconds)> agreed = {};
  double shortest = 20e-6;     ///< seconds of a product that is still timed alone
  double batch_time = 200e-6;  ///< of several in a row where one is shorter
};

/// What is timed.
struct Timed {
  std::function<void()> run;
  /// Makes one call of so many runs in a row, for devices that are told of all of them at once; empty: each is called.
  std::function<std::function<void()>(int runs)> in_a_row = {};
};

/// Seconds of one product, pair by pair.
struct PairedTimes {
  std::vector<double> baseline, candidate;
};

/// Runs baseline and candidate in turn, some first for nothing. A product too short for the clock is run several times
/// in a row, as often for one as for the other, and counts as their mean.
[[nodiscard]] PairedTimes time_pairs(const Timed& baseline, const Timed& candidate, const Pairing& how);

/// The middle one, or the mean of both middle ones; not a number for none.
[[nodiscard]] double median(std::vector<double> numbers);

/// How many times as fast the candidate is: the median of baseline / candidate over the pairs.
[[nodiscard]] double paired_speedup(const PairedTimes& times);

}  // namespace spress::pipeline
