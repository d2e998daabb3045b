#include "pipeline/measure/pairing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "formats/core/clock.hpp"

namespace spress::pipeline {
namespace {

constexpr int least_pairs = 7, most_pairs = 1000;
constexpr int most_in_batch = 10'000;
constexpr double warm_up_share = 0.05;  // of the time to spend

double steady_seconds() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

class Timer {
 public:
  explicit Timer(const Pairing& how)
      : now_(how.now ? how.now : steady_seconds),
        stopwatch_(how.stopwatch ? how.stopwatch : by_clock()),
        agreed_(how.agreed) {}
  [[nodiscard]] double now() const { return agreed(now_()); }
  /// Seconds of so many calls.
  [[nodiscard]] double time(const std::function<void()>& run, int calls) const {
    return agreed(stopwatch_(run, calls));
  }

 private:
  [[nodiscard]] double agreed(double seconds) const { return agreed_ ? agreed_(seconds) : seconds; }
  [[nodiscard]] std::function<double(const std::function<void()>&, int)> by_clock() const {
    return [now = now_](const std::function<void()>& run, int runs) {
      const double start = now();
      for (int i = 0; i < runs; ++i) run();
      return now() - start;
    };
  }

  std::function<double()> now_;
  std::function<double(const std::function<void()>&, int)> stopwatch_;
  std::function<double(double)> agreed_;
};

/// Runs that are timed together.
class Batch {
 public:
  Batch(const Timed& timed, int runs) : run_(timed.run), runs_(runs), calls_(runs) {
    if (runs == 1 || !timed.in_a_row) return;
    run_ = timed.in_a_row(runs);
    calls_ = 1;
    run_();  // the first call of what was just made may have to be made ready
  }
  /// Seconds of one of the runs.
  [[nodiscard]] double time(const Timer& timer) const { return timer.time(run_, calls_) / runs_; }

 private:
  std::function<void()> run_;
  int runs_, calls_;
};

/// Runs both until caches, page tables and threads are settled; returns the shorter of their best times.
double warm_up(const Timer& timer, const Timed& baseline, const Timed& candidate, double seconds) {
  double best = std::numeric_limits<double>::infinity();
  const double start = timer.now();
  for (int round = 0; round < most_pairs && (round < 2 || timer.now() - start < seconds); ++round)
    best = std::min({best, timer.time(baseline.run, 1), timer.time(candidate.run, 1)});
  return best;
}

int batch_for(double seconds, const Pairing& how) {
  if (seconds >= how.shortest) return 1;
  return static_cast<int>(std::ceil(how.batch_time / std::max(seconds, how.batch_time / most_in_batch)));
}

}  // namespace

PairedTimes time_pairs(const Timed& baseline, const Timed& candidate, const Pairing& how) {
  const Timer timer(how);
  const int batch = batch_for(warm_up(timer, baseline, candidate, warm_up_share * how.seconds), how);
  const Batch first(baseline, batch), second(candidate, batch);
  const auto wanted = [&](int done, double spent) {
    if (how.repetitions > 0) return done < how.repetitions;
    return done < least_pairs || (done < most_pairs && spent < how.seconds);
  };
  PairedTimes times;
  const double start = timer.now();
  for (int done = 0; wanted(done, timer.now() - start); ++done) {
    times.baseline.push_back(first.time(timer));
    times.candidate.push_back(second.time(timer));
  }
  return times;
}

double median(std::vector<double> numbers) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

double paired_speedup(const PairedTimes& times) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.candidate.size(); ++i) ratios.push_back(times.baseline[i] / times.candidate[i]);
  return median(std::move(ratios));
}

}  // namespace spress::pipeline
