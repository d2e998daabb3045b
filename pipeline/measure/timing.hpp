// What stages that measure share: a clock, and the number of threads of everything they call.
#pragma once

#include <omp.h>

#include "formats/core/clock.hpp"

namespace spress::pipeline {

/// OpenMP's default for the calling thread, so that encoders follow too; as it was before at the end.
/// threads: 0 leaves it as it is.
class DefaultThreads {
 public:
  explicit DefaultThreads(int threads) : before_(omp_get_max_threads()) {
    if (threads > 0) omp_set_num_threads(threads);
  }
  DefaultThreads(const DefaultThreads&) = delete;
  DefaultThreads& operator=(const DefaultThreads&) = delete;
  ~DefaultThreads() { omp_set_num_threads(before_); }

 private:
  int before_;
};

}  // namespace spress::pipeline
