#include "reports/records/paper_figures.hpp"

#include <algorithm>
#include <numeric>

#include "reports/records/summary.hpp"

namespace spress::reports {
namespace {

using Records = std::vector<const AnalyzeRecord*>;

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Bytes of a value, as CSR holds them.
std::uint64_t value_bytes(const AnalyzeRecord& record, const FootprintRecord& csr) {
  return record.matrix.nnz == 0 ? 0 : (csr.total_bytes - csr.index_bytes) / record.matrix.nnz;
}

RelativeSize relative_size(const Records& records, const std::string& format, const std::string& coordinates) {
  RelativeSize result;
  result.format = format;
  std::vector<double> ratios;
  for (const AnalyzeRecord* record : records) {
    const FootprintRecord* csr = footprint(*record, "none", baseline_format);
    const FootprintRecord* size = footprint(*record, "none", format);
    if (csr == nullptr || size == nullptr || value_bytes(*record, *csr) != 8) continue;
    ratios.push_back(ratio(size->total_bytes, csr->total_bytes));
    result.smaller += size->total_bytes < csr->total_bytes;
    const FootprintRecord* plain = footprint(*record, "none", coordinates);
    result.smaller_than_coo += plain != nullptr && size->total_bytes < plain->total_bytes;
  }
  result.matrices = ratios.size();
  if (ratios.empty()) return result;
  std::sort(ratios.begin(), ratios.end());
  const std::size_t n = ratios.size();
  result.least = ratios.front();
  result.median = (ratios[(n - 1) / 2] + ratios[n / 2]) / 2;
  result.mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(n);
  result.most = ratios.back();
  return result;
}

std::uint64_t detail(const FootprintRecord& f, std::string_view name) {
  const std::uint64_t* found = find(f.details, name);
  return found == nullptr ? 0 : *found;
}

NotSmaller explain(const AnalyzeRecord& record, const FootprintRecord& size, const FootprintRecord& csr) {
  const MatrixRecord& m = record.matrix;
  NotSmaller result;
  result.name = m.name;
  result.path = m.path;
  result.field = m.field;
  result.rows = m.rows;
  result.nnz = m.nnz;
  result.ratio = ratio(size.total_bytes, csr.total_bytes);
  result.columns_of_4_bytes = ratio(detail(size, "columns_of_4_bytes"), m.nnz);
  result.columns_of_2_bytes = ratio(detail(size, "columns_of_2_bytes"), m.nnz);
  result.values_in_full = ratio(detail(size, "values_in_full"), m.nnz);
  result.row_ends_per_entry = ratio(m.rows, m.nnz);
  result.bytes_per_entry = ratio(size.total_bytes, m.nnz);
  result.csr_bytes_per_entry = ratio(csr.total_bytes, m.nnz);
  return result;
}

std::optional<ZeroFill> zero_fill(const AnalyzeRecord& record, const std::string& format) {
  const MatrixRecord& m = record.matrix;
  const FootprintRecord* blocked = footprint(record, "none", format);
  const FootprintRecord* csr = footprint(record, "none", baseline_format);
  if (blocked == nullptr || csr == nullptr || m.nnz == 0 || value_bytes(record, *csr) > 8) return std::nullopt;
  const std::string prefix = find(blocked->details, "single_block") != nullptr ? "single_" : "";
  ZeroFill result;
  result.name = m.name;
  result.path = m.path;
  result.nnz = m.nnz;
  result.block = detail(*blocked, prefix + "block");
  result.segment = detail(*blocked, prefix + "segment");
  const std::uint64_t slots = detail(*blocked, prefix + "value_slots");
  if (result.block == 0 || slots < m.nnz) return std::nullopt;  // a record of before these were kept
  result.fill_percent = 100 * ratio(slots - m.nnz, m.nnz);
  const std::uint64_t without_blocks = detail(*blocked, prefix + "traffic_bytes_block_1");
  if (without_blocks != 0)
    result.traffic_percent = 100 * ratio(detail(*blocked, prefix + "traffic_bytes"), without_blocks);
  return result;
}

}  // namespace

CompressedCoo compare_compressed_coo(const Records& records, const PaperFormats& papers) {
  CompressedCoo result;
  for (const std::string* format : {&papers.coordinates, &papers.compressed_on_gpu, &papers.compressed}) {
    RelativeSize size = relative_size(records, *format, papers.coordinates);
    if (size.matrices != 0) result.formats.push_back(std::move(size));
  }
  for (const AnalyzeRecord* record : records) {
    const FootprintRecord* size = footprint(*record, "none", papers.compressed);
    const FootprintRecord* csr = footprint(*record, "none", baseline_format);
    if (size == nullptr || csr == nullptr) continue;
    if (record->matrix.rows != record->matrix.cols || record->matrix.nnz < large_entries) continue;
    ++result.large_square;
    if (size->total_bytes >= csr->total_bytes) result.not_smaller.push_back(explain(*record, *size, *csr));
  }
  std::sort(result.not_smaller.begin(), result.not_smaller.end(), [](const NotSmaller& a, const NotSmaller& b) {
    return a.ratio != b.ratio ? a.ratio > b.ratio : a.name < b.name;
  });
  return result;
}

std::vector<ZeroFill> zero_fills(const Records& records, const PaperFormats& papers) {
  std::vector<ZeroFill> result;
  for (const AnalyzeRecord* record : records)
    if (auto fill = zero_fill(*record, papers.blocked)) result.push_back(std::move(*fill));
  std::sort(result.begin(), result.end(),
            [](const ZeroFill& a, const ZeroFill& b) { return a.name != b.name ? a.name < b.name : a.path < b.path; });
  return result;
}

}  // namespace spress::reports
