// The figures of a row of bench, and of its record.
#pragma once

#include <cstdint>

#include "pipeline/measure/bench.hpp"

namespace spress::pipeline {

/// record: with its matrix and csr_bytes.
void take_size(reports::BenchMeasure& row, std::uint64_t total_bytes, const reports::BenchRecord& record);

/// Requires: take_size was called; at least one pair. element_bytes: of the vectors.
void fill_times(reports::BenchMeasure& row, const PairedTimes& times, const reports::BenchRecord& record,
                std::size_t element_bytes);

/// The working set up to which caches flatter: of a matrix somewhat larger than a GPU's, a good part still comes from
/// there. caches: how many machines or GPUs share the matrix.
[[nodiscard]] std::uint64_t cached_bytes(const BenchOptions& options, int caches = 1);

}  // namespace spress::pipeline
