// What measurements were taken on.
#pragma once

#include <cstdint>

#include "reports/records.hpp"

namespace spress::pipeline {

/// The processor, the build and the threads that products will use (0: OpenMP's default). The copy bandwidth is not
/// measured, the command not known here.
[[nodiscard]] reports::MachineRecord machine_record(int threads = 0);

/// Bytes of the last-level caches of the processors that so many threads may use; 0 where the system does not tell.
[[nodiscard]] std::uint64_t last_level_cache_bytes(int threads = 0);

/// Gigabytes (10^9 bytes) per second of a copy in memory by so many threads, bytes read plus bytes written: the best of
/// a few runs over arrays of several times the last-level cache, but at most 1 GB and a quarter of the free memory.
[[nodiscard]] double copy_bandwidth(int threads = 0);

}  // namespace spress::pipeline
