#include "pipeline/solve/side_by_side.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>

#include "formats/core/threads.hpp"

namespace spress::pipeline {
namespace {

struct Part {
  const std::function<void(int)>& work;
  int threads;
  std::exception_ptr failure = nullptr;

  /// No exception may leave a parallel region.
  void run() noexcept {
    try {
      omp_set_num_threads(threads);  // of this thread's regions alone
      work(threads);
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

/// By members 0 and `second` of a team of all threads, so that with bound threads each has the places from its own on
/// for its regions. The other members sleep meanwhile: a team of two would end the threads of the pool, and GCC's
/// OpenMP would then bind two of the new ones to one place.
void run_both(std::array<Part, 2>& parts, int threads, int second) {
  std::atomic<int> running = 2;
  const auto run = [&](Part& part) {
    part.run();
    --running;
    running.notify_all();
  };
#pragma omp parallel num_threads(threads) proc_bind(close)
  {
    const int member = omp_get_thread_num(), other = std::min(second, omp_get_num_threads() - 1);
    if (member == 0) run(parts[0]);
    if (member == other) run(parts[1]);
    for (int now = running; now != 0; now = running) running.wait(now);
  }
}

}  // namespace

void side_by_side(int threads, int aside_threads, const std::function<void(int)>& aside,
                  const std::function<void(int)>& meanwhile) {
  const int all = thread_count(threads);
  const int beside = std::clamp(aside_threads, 1, std::max(1, all - 1));
  const NestedRegions nested(omp_get_active_level() + 2);
  std::array<Part, 2> parts = {Part{aside, beside}, Part{meanwhile, std::max(1, all - beside)}};
  run_both(parts, all, beside);
  for (const Part& part : parts)
    if (part.failure) std::rethrow_exception(part.failure);
}

}  // namespace spress::pipeline
