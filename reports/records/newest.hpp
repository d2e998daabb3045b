// Which of several records of one matrix count: the newest.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "reports/records/record_file.hpp"

namespace spress::reports {

/// The key of a row: two rows with the same one, of the same experiment, measure the same thing.
inline auto row_key(const BenchMeasure& row) {
  return std::tuple(row.format, row.parameters, row.values, row.type, row.streamed_bytes.has_value());
}
inline auto row_key(const TransferMeasure& row) {
  return std::tuple(row.format, row.parameters, row.values, row.type, row.route, row.memory);
}
inline auto row_key(const SolveMeasure& row) {
  return std::tuple(row.format, row.parameters, row.values, row.type, row.preconditioner,
                    row.streamed_bytes.has_value());
}

/// The key of an experiment: two records with the same one measure the same matrix in the same way.
inline auto experiment_key(const AnalyzeRecord& r) {
  return std::tuple(r.matrix.path, r.matrix.rows, r.matrix.cols, r.matrix.nnz);
}
template <class Record>
auto machine_key(const Record& r) {
  return std::tuple(r.path, r.rows, r.cols, r.nnz, r.machine.machine, r.machine.device, r.machine.threads,
                    r.machine.instruction_set);
}
inline auto experiment_key(const BenchRecord& r) { return std::tuple(machine_key(r), r.parts.size()); }
inline auto experiment_key(const TransferRecord& r) { return std::tuple(machine_key(r), r.file && r.file->cold); }
inline auto experiment_key(const SolveRecord& r) {
  return std::tuple(machine_key(r), r.parts.size(), r.right_hand_side, r.tolerance, r.max_iterations);
}

/// Keeps the last record for each value of key_of(record). Returns how many are dropped.
template <class Record, class KeyOf>
std::size_t keep_last(std::vector<Record>& records, const KeyOf& key_of) {
  std::map<decltype(key_of(records[0])), std::size_t> last;
  for (std::size_t i = 0; i < records.size(); ++i) last[key_of(records[i])] = i;
  std::size_t i = 0;
  return std::erase_if(records, [&](const Record& record) { return last[key_of(record)] != i++; });
}

/// Keeps the last analysis of each matrix. Returns how many are dropped.
inline std::size_t keep_newest(std::vector<AnalyzeRecord>& records) {
  return keep_last(records, [](const AnalyzeRecord& record) { return experiment_key(record); });
}

/// Drops records of which later ones of the same experiment have every row. Returns how many.
template <class Record>
std::size_t keep_newest(std::vector<Record>& records) {
  std::map<decltype(experiment_key(records[0])), std::set<decltype(row_key(records[0].formats[0]))>> later;
  std::vector<Record> kept;
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    const auto [place, is_new] = later.try_emplace(experiment_key(*record));
    auto& rows = place->second;
    const auto is_later = [&](const auto& row) { return rows.contains(row_key(row)); };
    if (!is_new && std::all_of(record->formats.begin(), record->formats.end(), is_later)) continue;
    for (const auto& row : record->formats) rows.insert(row_key(row));
    kept.push_back(std::move(*record));
  }
  const std::size_t dropped = records.size() - kept.size();
  records.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  return dropped;
}

}  // namespace spress::reports
