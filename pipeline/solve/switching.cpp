#include "pipeline/solve/switching.hpp"

#include <atomic>
#include <chrono>

#include "formats/core/clock.hpp"
#include "pipeline/solve/side_by_side.hpp"

namespace spress::pipeline {

template <class T>
Result<SwitchRecord> run_switching(Solver<T>& solver, const PlacedMatrix& first,
                                   const std::function<const PlacedMatrix*()>& prepare, SharedThreads threads) {
  const auto start = Clock::now();
  SwitchRecord record;
  const PlacedMatrix* second = nullptr;
  Status iterated = Ok{};
  std::atomic<bool> ready = false;
  const auto prepare_second = [&](int) {
    second = prepare();
    record.prepare_seconds = seconds_since(start);
    ready = second != nullptr;  // without one, the iterations are not to pause
  };
  const auto iterate = [&](int own_threads) {
    iterated = solver.run(first, own_threads, [&] { return ready.load(); });
  };
  side_by_side(threads.all, threads.beside, prepare_second, iterate);
  SPRESS_CHECK(std::move(iterated));
  if (solver.stop() == CgStop::running) {
    record.at = solver.iterations();
    SPRESS_CHECK(solver.run(*second, threads.all, {}));
  }
  record.seconds = std::chrono::duration<double>(solver.ended_at() - start).count();
  return record;
}

template Result<SwitchRecord> run_switching(Solver<float>&, const PlacedMatrix&,
                                            const std::function<const PlacedMatrix*()>&, SharedThreads);
template Result<SwitchRecord> run_switching(Solver<double>&, const PlacedMatrix&,
                                            const std::function<const PlacedMatrix*()>&, SharedThreads);

}  // namespace spress::pipeline
