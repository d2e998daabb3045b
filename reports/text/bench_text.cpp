#include "reports/text/bench_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reports/text/text_table.hpp"
#include "reports/text/wording.hpp"

namespace spress::reports {
namespace {

/// Three digits and more where they come before the point.
std::string three_digits(double value) {
  const double size = std::fabs(value);
  return fixed(value, size < 0.0995 ? 4 : size < 0.995 ? 3 : size < 9.95 ? 2 : size < 99.5 ? 1 : 0);
}

std::string verdict(const BenchMeasure& row) { return !row.ok ? "-" : *row.ok ? "ok" : "WRONG"; }

/// The row with the least figure among the formats or among the peers, those alone that were found right.
template <class Figure>
const BenchMeasure* best_of(const BenchRecord& record, bool peers, Figure figure) {
  const BenchMeasure* best = nullptr;
  for (const BenchMeasure& row : record.formats) {
    if (row.peer != peers || !row.ok.value_or(false) || !std::isfinite(figure(row))) continue;
    if (best == nullptr || figure(row) < figure(*best)) best = &row;
  }
  return best;
}

struct Marks {
  const BenchMeasure *fastest, *smallest, *fastest_peer;
  explicit Marks(const BenchRecord& record) {
    const auto slowness = [](const BenchMeasure& row) { return -row.speedup_vs_csr; };
    fastest = best_of(record, false, slowness);
    smallest = best_of(record, false, [](const BenchMeasure& row) { return static_cast<double>(row.total_bytes); });
    fastest_peer = best_of(record, true, slowness);
  }
  [[nodiscard]] std::string note(const BenchMeasure& row) const {
    if (!row.reason.empty()) return row.reason;
    if (&row == fastest) return &row == smallest ? "<- fastest, smallest" : "<- fastest";
    return &row == smallest ? "<- smallest" : &row == fastest_peer ? "<- fastest peer" : "";
  }
};

std::string gigabytes(double value) { return std::isfinite(value) ? three_digits(value) + " GB/s" : "not measured"; }

std::string head(const BenchRecord& record) {
  const MachineRecord& m = record.machine;
  std::string text = fmt::format("{}: {} x {}, {} entries, CSR {}", shown(record.path, 100), grouped(record.rows),
                                 grouped(record.cols), grouped(record.nnz), bytes_text(record.csr_bytes));
  if (std::isfinite(record.csr_seconds))
    text += fmt::format(", {} ms a product", three_digits(1e3 * record.csr_seconds));
  const std::string processes = record.parts.empty() ? "" : fmt::format("{} processes of ", record.parts.size());
  const std::string threads =
      fmt::format("{}{} thread{} of {}", processes, m.threads, m.threads == 1 ? "" : "s", m.machine);
  const std::string bandwidth = "copy bandwidth " + gigabytes(m.copy_gb_per_s);
  if (m.driver)
    return text + fmt::format("\n{} ({}, driver {}), {}; encoded by {}\n", m.device, m.instruction_set, *m.driver,
                              bandwidth, threads);
  return text + fmt::format("\n{} ({}, {}), {}\n", threads, m.device, m.instruction_set, bandwidth);
}

/// Which columns a record has beside those of all.
struct Extras {
  bool peers = false, gpu = false, streamed = false;
  explicit Extras(const BenchRecord& record) : gpu(record.machine.driver.has_value()) {
    for (const BenchMeasure& row : record.formats)
      peers = peers || row.peer, streamed = streamed || row.streamed_bytes.has_value();
  }
};

std::vector<TextTable::Column> columns(const Extras& extras) {
  std::vector<TextTable::Column> out = {
      {"format", Align::left}, {"values", Align::left}, {"bytes/nnz"}, {"of CSR"}, {"ms"}, {"GB/s"}, {"speedup"}};
  if (extras.peers) out.push_back({extras.gpu ? "vs cuSPARSE" : "vs peer"});
  if (extras.streamed) out.insert(out.end(), {{"streamed"}, {"link GB/s"}});
  out.push_back({"encode"});
  if (extras.gpu) out.push_back({"kernel", Align::left});
  out.insert(out.end(), {{"ok", Align::left}, {"", Align::left}});
  return out;
}

std::vector<std::string> cells(const BenchMeasure& row, const Marks& marks, const Extras& extras) {
  std::vector<std::string> out = {spec_of(row),
                                  row.values,
                                  fixed(row.bytes_per_nnz, 2),
                                  fixed(row.ratio_to_csr, 3),
                                  three_digits(1e3 * row.seconds_median),
                                  three_digits(row.gb_per_s),
                                  fixed(row.speedup_vs_csr, 2)};
  if (extras.peers) out.push_back(fixed(row.speedup_vs_best_peer, 2));
  if (extras.streamed) {
    out.push_back(row.streamed_bytes ? bytes_text(*row.streamed_bytes) : "-");
    out.push_back(three_digits(row.link_gb_per_s));
  }
  out.push_back(three_digits(row.encode_in_csr_spmv));
  if (extras.gpu) out.push_back(row.kernel.empty() ? "-" : row.kernel);
  out.insert(out.end(), {verdict(row), marks.note(row)});
  return out;
}

/// What `auto` chose, and how good that was.
std::string choice_text(const ChoiceRecord& choice) {
  const CandidateRecord& c = choice.candidates.front();
  std::string text =
      fmt::format("auto: {} {}, predicted {} ms", spec_of(c), c.values, three_digits(1e3 * c.predicted_seconds));
  if (choice.behind_best) text += fmt::format(", {:.1f}% behind the fastest", 100 * *choice.behind_best);
  return text + fmt::format("; chosen in {} ms, {} products of CSR on the CPU\n", three_digits(1e3 * choice.seconds),
                            three_digits(choice.csr_products));
}

}  // namespace

std::string bench_text(const BenchRecord& record) {
  if (record.error) return *record.error + "\n";
  const Extras extras(record);
  const Marks marks(record);
  TextTable table(columns(extras));
  for (const BenchMeasure& row : record.formats) table.row(cells(row, marks, extras));
  return head(record) + table.str() + (record.choice ? choice_text(*record.choice) : "");
}

}  // namespace spress::reports
