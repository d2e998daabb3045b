#include "pipeline/pairing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace spress::pipeline {
namespace {

constexpr int least_pairs = 7, most_pairs = 1000;
constexpr double shortest = 20e-6;     // seconds of a product that is still timed alone
constexpr double batch_time = 200e-6;  // of several in a row where one is shorter
constexpr int most_in_batch = 10'000;
constexpr double warm_up_share = 0.05;  // of the time to spend

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Timer {
 public:
  explicit Timer(const std::function<double()>& now) : now_(now ? now : steady_seconds) {}
  [[nodiscard]] double now() const { return now_(); }
  /// Seconds of one of `batch` runs.
  [[nodiscard]] double time(const std::function<void()>& run, int batch) const {
    const double start = now_();
    for (int i = 0; i < batch; ++i) run();
    return (now_() - start) / batch;
  }

 private:
  std::function<double()> now_;
};

/// Runs both until caches, page tables and threads are settled; returns the shorter of their best times.
double warm_up(const Timer& timer, const std::function<void()>& baseline, const std::function<void()>& candidate,
               double seconds) {
  double best = std::numeric_limits<double>::infinity();
  const double start = timer.now();
  for (int round = 0; round < most_pairs && (round < 2 || timer.now() - start < seconds); ++round)
    best = std::min({best, timer.time(baseline, 1), timer.time(candidate, 1)});
  return best;
}

int batch_for(double seconds) {
  if (seconds >= shortest) return 1;
  return static_cast<int>(std::ceil(batch_time / std::max(seconds, batch_time / most_in_batch)));
}

}  // namespace

PairedTimes time_pairs(const std::function<void()>& baseline, const std::function<void()>& candidate,
                       const Pairing& how) {
  const Timer timer(how.now);
  const int batch = batch_for(warm_up(timer, baseline, candidate, warm_up_share * how.seconds));
  const auto wanted = [&](int done, double spent) {
    if (how.repetitions > 0) return done < how.repetitions;
    return done < least_pairs || (done < most_pairs && spent < how.seconds);
  };
  PairedTimes times;
  const double start = timer.now();
  for (int done = 0; wanted(done, timer.now() - start); ++done) {
    times.baseline.push_back(timer.time(baseline, batch));
    times.candidate.push_back(timer.time(candidate, batch));
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
