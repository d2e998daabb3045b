// Synthetic records that look like a run over a collection: for tests of the writers, not facts about any matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reports/records.hpp"

namespace spress::reports {

/// `count` records, the same for the same seed: square and rectangular, banded and scattered, a few errors, and names
/// that try to break out of their quotes. Orderings: none and rcm.
std::vector<AnalyzeRecord> sample_records(std::size_t count, std::uint64_t seed = 1);

}  // namespace spress::reports
