#include "pipeline/measure/bench_row.hpp"

namespace spress::pipeline {

void take_size(reports::BenchMeasure& row, std::uint64_t total_bytes, const reports::BenchRecord& record) {
  row.total_bytes = total_bytes;
  const auto bytes = static_cast<double>(total_bytes);
  if (record.nnz != 0) row.bytes_per_nnz = bytes / static_cast<double>(record.nnz);
  if (record.csr_bytes != 0) row.ratio_to_csr = bytes / static_cast<double>(record.csr_bytes);
}

void fill_times(reports::BenchMeasure& row, const PairedTimes& times, const reports::BenchRecord& record,
                std::size_t element_bytes) {
  fill_spread(row, times.candidate);
  const auto moved = static_cast<double>(row.total_bytes + (record.rows + record.cols) * element_bytes);
  row.gb_per_s = 1e-9 * moved / row.seconds_median;
  row.gflops = 2e-9 * static_cast<double>(record.nnz) / row.seconds_median;
}

std::uint64_t cached_bytes(const BenchOptions& options, int caches) {
  const std::uint64_t cache = static_cast<std::uint64_t>(caches) * options.machine.last_level_cache_bytes;
  return options.device.kind == DeviceKind::cuda ? 2 * cache : cache;
}

}  // namespace spress::pipeline
