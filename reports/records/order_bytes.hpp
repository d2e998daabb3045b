// What an order is worth in bytes: the records of a collection under each ordering, and in the order that `auto` takes,
// against the original order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/records/records.hpp"

namespace spress::reports {

/// How tables call the order that `auto` takes for each matrix; no ordering has this name.
inline constexpr std::string_view auto_ordering = "auto";

/// The ordering that `auto` takes for a matrix, or "" where the record holds no choice.
std::string_view taken_ordering(const AnalyzeRecord& record);

/// Exact bytes of what `auto` takes in an order, or would take were this the only one. None where the record holds no
/// choice in this order, or an estimate. `ordering`: a name, or auto_ordering.
std::optional<std::uint64_t> chosen_bytes(const AnalyzeRecord& record, std::string_view ordering);

/// The value store with which a format takes the fewest bytes; the first of equals.
struct SmallestStore {
  std::string_view values;
  std::uint64_t total_bytes = 0;
};
SmallestStore smallest_store(const FootprintRecord& format);

/// The format that takes the fewest bytes in an ordering, with its smallest value store; the first of equals.
struct SmallestFormat {
  std::string_view format;
  const FootprintRecord* footprint = nullptr;
  SmallestStore store;
};
/// Nothing where no format holds the matrix.
std::optional<SmallestFormat> smallest_format(const OrderingRecord& ordering);

/// Exact bytes in an order against those in the original one.
struct ByteChanges {
  std::uint64_t matrices = 0;  ///< known in both orders
  std::uint64_t smaller = 0, same = 0, larger = 0;
  std::uint64_t before_bytes = 0, after_bytes = 0;
  double mean_ratio = 0;        ///< geometric mean of after / before, where both are above 0
  double worst_ratio = 0;       ///< the largest after / before
  std::string worst_name = "";  ///< of equals, the first by name
};

struct OrderBytes {
  std::string ordering;
  ByteChanges chosen;    ///< in what `auto` takes in this order
  ByteChanges smallest;  ///< in the smallest of all formats and value stores measured, slow products included
};

/// `ordering`: a name, or auto_ordering. Left out of `chosen` are records whose choice is missing or not exact.
/// Complexity: linear in the records.
OrderBytes compare_order_bytes(const std::vector<const AnalyzeRecord*>& records, const std::string& ordering);

}  // namespace spress::reports
