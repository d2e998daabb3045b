// Two pieces of work at once, each with threads of its own: preparing something while something else goes on.
#pragma once

#include <functional>

namespace spress::pipeline {

/// Runs aside(count) and meanwhile(count) at the same time, the first on `aside_threads` of the `threads` (0: OpenMP's
/// default), the second on the others, each on one at least and told how many, with OpenMP's default set to that;
/// returns when both have ended. Where OpenMP binds threads, each gets places of its own. Where there is no second
/// thread, `aside` runs first, so neither may wait for the other. Exceptions reach the caller, those of `aside` first.
/// The two are members of one parallel region, the parallel regions inside them nested in it. GCC's OpenMP starts the
/// threads of a nested region anew each time (some 10 us a thread), so regions inside should last milliseconds.
void side_by_side(int threads, int aside_threads, const std::function<void(int threads)>& aside,
                  const std::function<void(int threads)>& meanwhile);

}  // namespace spress::pipeline
