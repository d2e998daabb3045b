// Estimates of small matrices on one thread.
#pragma once

#include <omp.h>

#include "formats/core/parallel.hpp"

namespace spress {

/// One thread, or all that are asked for, as `items` are worth (threads_worth), as long as it lives.
class FewThreads {
 public:
  FewThreads(int threads, std::uint64_t items) : before_(omp_get_max_threads()) {
    omp_set_num_threads(threads_worth(threads, items));
  }
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;
  ~FewThreads() { omp_set_num_threads(before_); }

 private:
  int before_;
};

}  // namespace spress
