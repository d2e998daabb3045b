#include "reports/records/old_records.hpp"

#include <algorithm>

#include "reports/records/generator.hpp"
#include "reports/records/transfer_record.hpp"

namespace spress::reports {

std::string_view kind_of_old_record(json::View record) {
  if (record.find("right_hand_side")) return SolveRecord::kind;
  if (record.find("pinned_gb_per_s")) return TransferRecord::kind;
  if (record.find("machine")) return BenchRecord::kind;
  return AnalyzeRecord::kind;
}

bool is_old_summary(json::View document) {
  const auto collection = document.find("collection");
  return collection && collection->is(json::Kind::object) && document.find("selections");
}

std::optional<GeneratorRecord> generator_of_old_path(std::string_view path) {
  constexpr std::string_view generated = "gen:";
  if (!path.starts_with(generated)) return std::nullopt;
  path.remove_prefix(generated.size());
  const auto take = [&](std::string_view ends) {
    const std::string_view word = path.substr(0, path.find_first_of(ends));
    path.remove_prefix(std::min(path.size(), word.size() + 1));
    return word;
  };
  GeneratorRecord record{std::string(take(":,")), {}};
  while (!path.empty()) {
    std::string_view option = take(",");
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) continue;
    record.parameters.emplace_back(std::string(option.substr(0, equals)), parameter_value(option.substr(equals + 1)));
  }
  return record;
}

}  // namespace spress::reports
