#include "pipeline/switching.hpp"

#include <atomic>

#include "pipeline/side_by_side.hpp"
#include "pipeline/timing.hpp"

namespace spress::pipeline {
namespace {

template <class T>
Product<T> on_threads(const ThreadedProduct<T>& product, int threads) {
  return [&product, threads](const T* x, T* y) { product(x, y, threads); };
}

}  // namespace

template <class T>
SwitchRecord run_switching(ConjugateGradient<T>& solver, const ThreadedProduct<T>& first,
                           const std::function<ThreadedProduct<T>()>& prepare, int threads) {
  const auto start = Clock::now();
  SwitchRecord record;
  ThreadedProduct<T> second;
  std::atomic<bool> ready = false;
  const auto prepare_second = [&](int) {
    second = prepare();
    record.prepare_seconds = seconds_since(start);
    ready = static_cast<bool>(second);  // without one, the iterations are not to pause
  };
  const auto iterate = [&](int own_threads) {
    solver.run(on_threads(first, own_threads), own_threads, [&] { return ready.load(); });
    record.seconds = seconds_since(start);
  };
  side_by_side(threads, prepare_second, iterate);
  if (solver.stop() != CgStop::running) return record;
  record.at = solver.iterations();
  solver.run(on_threads(second, threads), threads);
  record.seconds = seconds_since(start);
  return record;
}

template SwitchRecord run_switching<float>(ConjugateGradient<float>&, const ThreadedProduct<float>&,
                                           const std::function<ThreadedProduct<float>()>&, int);
template SwitchRecord run_switching<double>(ConjugateGradient<double>&, const ThreadedProduct<double>&,
                                            const std::function<ThreadedProduct<double>()>&, int);

}  // namespace spress::pipeline
