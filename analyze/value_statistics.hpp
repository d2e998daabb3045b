// What the values of a matrix are like, and what each value store would take.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/values/values.hpp"

namespace spress::analyze {

/// Values count as distinct by their bits: 0.0 and -0.0 are two. All zero for pattern matrices and for no values.
struct ValueStatistics {
  std::uint64_t count = 0;
  std::uint64_t distinct = 0;
  double coverage_256 = 0;  ///< share of the entries whose value is among the 256 most frequent
  double coverage_65536 = 0;
  double exact_in_float = 0;         ///< share that float holds exactly (both parts, if complex)
  std::uint64_t explicit_zeros = 0;  ///< 0.0 and -0.0 (both parts, if complex)
  std::optional<DType> narrow;       ///< the type that StoreKind::narrow would take
  std::uint64_t in_256 = 0;          ///< entries whose value is among the 256 most frequent: those of coverage_256
};

/// Requires: a raw store. Complexity: linear in the values; scratch memory of about their size.
[[nodiscard]] ValueStatistics value_statistics(const ValueStore<Viewed>& raw, int threads = 0);

/// Bytes of a store of `slots` values with these statistics; none where the store does not apply.
[[nodiscard]] std::optional<std::uint64_t> store_bytes(StoreKind kind, const ValueStatistics& statistics,
                                                       ValueType type, std::uint64_t slots);

}  // namespace spress::analyze
