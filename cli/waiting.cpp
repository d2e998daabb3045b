// How the threads of this program wait for one another.
#include <cstdlib>

namespace spress::cli {
namespace {

/// Threads of OpenMP that wait look so often whether the others are there before they sleep: some 0.2 ms. GNU's own
/// number is sixty times as large, ten milliseconds, and on a busy machine those that are waited for do not even run
/// while others look: small parallel loops then take most of the time. The library reads this when the program is
/// loaded, so it has to be there before; a shared library has read it already.
[[gnu::constructor(101)]] void wait_briefly() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "5000", 0);
}

}  // namespace
}  // namespace spress::cli
