// Synthetic records that look like a run over a collection: for tests of the writers, not facts about any matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reports/records/paper_figures.hpp"
#include "reports/records/record_file.hpp"
#include "reports/records/records.hpp"

namespace spress::reports {

/// `count` records, the same for the same seed: square and rectangular, banded and scattered, a few errors, and names
/// that try to break out of their quotes. Orderings: none and rcm.
std::vector<AnalyzeRecord> sample_records(std::size_t count, std::uint64_t seed = 1);

/// The formats of these records that the papers' tables are about.
PaperFormats sample_papers();

/// `count` matrices timed on each of two machines, one of which fails, and on a GPU, sent to it, and two systems
/// solved. Of the rows of the first matrix one is wrong and one could not be measured; of its transfers one is wrong.
Measurements sample_measurements(std::size_t count, std::uint64_t seed = 1);

/// Measurements for the papers' figures: solvers and transfers by size on a CPU and a GPU, products by size, by threads
/// and with counted traffic. Their figures follow formulas.
Measurements sample_figures();

}  // namespace spress::reports
