#include "pipeline/side_by_side.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <exception>

namespace spress::pipeline {
namespace {

/// Lets so many parallel regions nest, and restores the limit.
class ActiveLevels {
 public:
  explicit ActiveLevels(int levels) : before_(omp_get_max_active_levels()) {
    omp_set_max_active_levels(std::max(levels, before_));
  }
  ~ActiveLevels() { omp_set_max_active_levels(before_); }
  ActiveLevels(const ActiveLevels&) = delete;
  ActiveLevels& operator=(const ActiveLevels&) = delete;

 private:
  int before_;
};

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

void run_both(std::array<Part, 2>& parts, int threads) {
#pragma omp parallel num_threads(threads) proc_bind(spread)
  for (int i = omp_get_thread_num(); i < 2; i += omp_get_num_threads()) parts[static_cast<std::size_t>(i)].run();
}

}  // namespace

void side_by_side(int threads, int aside_threads, const std::function<void(int)>& aside,
                  const std::function<void(int)>& meanwhile) {
  const int all = threads > 0 ? threads : omp_get_max_threads();
  const int beside = std::clamp(aside_threads, 1, std::max(1, all - 1));
  const ActiveLevels levels(omp_get_active_level() + 2);
  std::array<Part, 2> parts = {Part{aside, beside}, Part{meanwhile, std::max(1, all - beside)}};
  run_both(parts, std::min(all, 2));
  for (const Part& part : parts)
    if (part.failure) std::rethrow_exception(part.failure);
}

}  // namespace spress::pipeline
