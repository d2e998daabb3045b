#include "analyze/value_statistics.hpp"

#include "analyze/value_counts.hpp"
#include "analyze/value_summary.hpp"

namespace spress::analyze {
ValueStatistics value_statistics(const ValueStore<Viewed>& raw, int threads) {
  ValueStatistics nothing;
  nothing.count = raw.count;
  if (raw.type == ValueType::none || raw.count == 0) return nothing;
  return with_bits(raw, [&]<class Bits>(const Bits* keys) {
    return count_values(keys, raw.count, threads, SummaryOf<Bits>()).of(raw.count);
  });
}

std::optional<std::uint64_t> store_bytes(StoreKind kind, const ValueStatistics& statistics, ValueType type,
                                         std::uint64_t slots) {
  const std::uint64_t width = size_of(type);
  const auto table = [&](std::uint64_t limit, std::uint64_t code) -> std::optional<std::uint64_t> {
    if (statistics.distinct == 0 || statistics.distinct > limit) return std::nullopt;
    return slots * code + statistics.distinct * width;
  };
  switch (kind) {
    case StoreKind::raw: return slots * width;
    case StoreKind::narrow:
      if (!statistics.narrow) return std::nullopt;
      return slots * size_of(*statistics.narrow);
    case StoreKind::lut8: return table(256, 1);
    case StoreKind::lut16: return table(65536, 2);
    case StoreKind::iso:
      if (statistics.distinct != 1) return std::nullopt;
      return width;
  }
  return std::nullopt;
}

}  // namespace spress::analyze
