// Statistics as they stand in a record: the same from a matrix in memory and from one that comes in panels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/blocks.hpp"
#include "analyze/index_classes.hpp"
#include "analyze/spy.hpp"
#include "analyze/value_statistics.hpp"
#include "encode/shared/footprint.hpp"
#include "formats/core/matrix.hpp"
#include "formats/csr/row_panel.hpp"
#include "reorder/core/metrics.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

/// The ordering that leaves a matrix as it is.
inline constexpr std::string_view original_order = "none";

/// The lengths of all rows.
struct RowLengths {
  std::uint64_t empty = 0, longest = 0;
  void add(const Csr<Viewed>& rows);
};

/// Facts of a matrix whatever the order of its rows.
[[nodiscard]] reports::MatrixRecord matrix_record(const MatrixInfo& info, const WholeMatrix& whole,
                                                  const RowLengths& lengths, bool pattern_symmetric,
                                                  const analyze::ValueStatistics& values);

/// Facts of one order of its rows.
struct OrderFacts {
  reorder::EnvelopeMetrics metrics;
  std::array<analyze::IndexClasses, 4> classes;
  analyze::BlockStatistics blocks;
};
void put_facts(const OrderFacts& facts, reports::OrderingRecord& record);
void put_footprints(const std::vector<Footprint>& footprints, reports::OrderingRecord& record);
void put_picture(analyze::Spy picture, reports::OrderingRecord& record);

/// Keeps the smallest of all formats, stores and orderings; the first of equals stays.
void consider(const std::vector<Footprint>& footprints, const std::string& ordering, reports::BestRecord& best);

}  // namespace spress::pipeline
