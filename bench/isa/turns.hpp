// Products timed in turn.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "bench/isa/targets.hpp"
#include "formats/core/clock.hpp"

namespace spress::bench {

struct Contender {
  Timed result;
  std::function<void()> product;
};

struct Turns {
  int runs = 5;           ///< of each contender
  double seconds = 0.02;  ///< of one run
};

/// The least seconds of a product in one run. A product below `alone` is timed several times in a row, since reading
/// the clock takes up to a microsecond.
inline double time_run(const std::function<void()>& product, double run_seconds) {
  constexpr double alone = 50e-6, batch_seconds = 200e-6;
  const auto first = Clock::now();
  product();  // brings the matrix back into the caches
  const double guess = seconds_since(first);
  const int batch = guess < alone ? 1 + static_cast<int>(batch_seconds / std::max(guess, 1e-8)) : 1;
  double least = std::numeric_limits<double>::infinity();
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    for (int k = 0; k < batch; ++k) product();
    least = std::min(least, seconds_since(start) / batch);
  } while (seconds_since(begin) < run_seconds);
  return least;
}

/// Runs A B C A B C ... and lowers the seconds of each to the least of its runs. Wrong contenders are left out.
inline void time_in_turns(std::vector<Contender>& contenders, const Turns& turns) {
  for (int run = 0; run < turns.runs; ++run)
    for (Contender& each : contenders)
      if (each.result.wrong.empty())
        each.result.seconds = std::fmin(each.result.seconds, time_run(each.product, turns.seconds));
}

}  // namespace spress::bench
