#include "formats/io/threads.hpp"

#include <omp.h>

#include <algorithm>

namespace spress::io {

int thread_count(int asked) { return std::max(1, asked > 0 ? asked : omp_get_max_threads()); }

}  // namespace spress::io
