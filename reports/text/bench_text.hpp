// The table that `spress bench` shows to a person.
#pragma once

#include <string>

#include "reports/records/records.hpp"

namespace spress::reports {

/// Lines that name the matrix and the machine, then one row per format and peer: bytes per entry, ratio to CSR,
/// milliseconds, GB/s, speedup against CSR (and the best peer, where there is one), encoding in products of CSR, the
/// kernel on a GPU, ok.
/// The fastest and the smallest of the formats are marked. What was not measured is "-".
[[nodiscard]] std::string bench_text(const BenchRecord& record);

}  // namespace spress::reports
