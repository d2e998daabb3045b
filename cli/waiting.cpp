// How many threads this program has by default, and how they wait for one another.
#include <sched.h>

#include <cstdio>
#include <cstdlib>

#include "formats/core/control_group.hpp"

namespace spress::cli {
namespace {

/// Threads of OpenMP that wait look so often whether the others are there before they sleep: some 0.2 ms. GNU's own
/// number is sixty times as large, ten milliseconds, and on a busy machine those that are waited for do not even run
/// while others look: small parallel loops then take most of the time. The library reads this when the program is
/// loaded, so it has to be there before; a shared library has read it already.
[[gnu::constructor(101)]] void wait_briefly() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "5000", 0);
}

/// OpenMP's runtime crashes when it starts a hundred thousand threads. --threads takes no more than these either.
[[gnu::constructor(101)]] void start_no_more_threads_than_can_start() {
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  if (asked != nullptr && std::strtol(asked, nullptr, 10) > 4096) setenv("OMP_NUM_THREADS", "4096", 1);
}

/// OpenMP starts a thread for each processor that this process may run on. Where a control group grants less of their
/// time, as containers are told to, most of these would wait for the others. As above, for the library to read.
[[gnu::constructor(101)]] void start_no_more_threads_than_granted() {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return;
  const auto granted = processors_of_group();
  cpu_set_t usable;
  if (!granted || (::sched_getaffinity(0, sizeof usable, &usable) == 0 && CPU_COUNT(&usable) <= *granted)) return;
  char number[16];
  std::snprintf(number, sizeof number, "%d", *granted);
  setenv("OMP_NUM_THREADS", number, 0);
}

}  // namespace
}  // namespace spress::cli
