// Which of several records of one matrix count: the newest.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "reports/records/record_file.hpp"

namespace spress::reports {

/// What makes two rows of measurements the same one.
inline auto row_key(const MeasureRecord& row) { return std::tuple(row.format, row.parameters, row.values, row.type); }
inline auto row_key(const TransferMeasure& row) {
  return std::tuple(row.format, row.parameters, row.values, row.type, row.route, row.memory);
}
inline auto row_key(const SolveMeasure& row) {
  return std::tuple(row.format, row.parameters, row.values, row.type, row.preconditioner);
}

/// Drops analyses of a path that a later one is of, too.
inline void keep_newest(std::vector<AnalyzeRecord>& records) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < records.size(); ++i) last[records[i].matrix.path] = i;
  std::size_t i = 0;
  std::erase_if(records, [&](const AnalyzeRecord& record) { return last[record.matrix.path] != i++; });
}

/// Drops measurements of which a later one, of the same matrix on the same machine, has every row.
template <class Record>
void keep_newest(std::vector<Record>& records) {
  using Key = decltype(row_key(records[0].formats[0]));
  std::map<std::tuple<std::string, std::string, std::string, int>, std::set<Key>> later;
  std::vector<Record> kept;
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    const MachineRecord& on = record->machine;
    auto& rows = later[{record->path, on.machine, on.device, on.threads}];
    const auto is_later = [&](const auto& row) { return rows.contains(row_key(row)); };
    if (!rows.empty() && std::all_of(record->formats.begin(), record->formats.end(), is_later)) continue;
    for (const auto& row : record->formats) rows.insert(row_key(row));
    kept.push_back(std::move(*record));
  }
  records.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

}  // namespace spress::reports
