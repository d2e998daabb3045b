// What a collection says as a whole: the counts and factors of paper 002, over the records of a run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/paper_figures.hpp"
#include "reports/records.hpp"

namespace spress::reports {

/// Number of matrices in each class. `left_out` has no entry for the ordering (or strategy): not applicable, or failed.
struct ClassTally {
  std::string strategy, ordering;
  ClassCounts matrices;
  std::uint64_t left_out = 0;
};

/// The paper's composition matrix: how many matrices go from one class to another when reordered.
struct Composition {
  std::string strategy, ordering;                        ///< the ordering gone to; from is always `none`
  std::array<std::array<std::uint64_t, 3>, 3> counts{};  ///< [class before][class after], classes 8, 16, 32
  std::uint64_t worse = 0, better = 0, left_out = 0;
};

struct SelectionSummary {
  std::string name;  ///< all, or square-pattern-symmetric (the paper's selection)
  std::uint64_t matrices = 0;
  std::vector<ClassTally> classes;  ///< by strategy, then ordering
  std::vector<Composition> compositions;
};

/// CSR's bytes over the format's, CSR in the original order.
struct ReductionFactors {
  std::uint64_t matrices = 0;  ///< with a factor: both sizes known and the format's not 0
  double mean = 0, median = 0, best = 0;
  std::string best_name;      ///< of several, the first by name: records come in any order
  std::uint64_t smaller = 0;  ///< matrices strictly smaller than in CSR
};

struct FormatSummary {
  std::string format, ordering;
  std::uint64_t matrices = 0;  ///< with an entry
  std::uint64_t left_out = 0;
  std::uint64_t total_bytes = 0, csr_total_bytes = 0;  ///< sums over those matrices that CSR holds too, raw values
  ReductionFactors model_index, index, total;          ///< by model_index_bytes, index_bytes, total_bytes
};

struct Tally {
  std::string name;
  std::uint64_t matrices = 0;
};

struct BestSummary {
  std::vector<Tally> formats, orderings,
      values;                  ///< how often each is part of the best choice, most frequent first, then by name
  std::vector<Tally> choices;  ///< the three together: "format / ordering / values"
  std::uint64_t matrices = 0, total_bytes = 0, csr_total_bytes = 0;
};

/// What an ordering did to the bandwidth, against `none`.
struct OrderingEffect {
  std::string ordering;
  std::uint64_t matrices = 0, left_out = 0;
  std::uint64_t narrower = 0, same = 0, wider = 0;
  double mean_bandwidth_ratio = 0;  ///< geometric mean of after/before, where both are above 0
  double seconds = 0;
};

struct MatrixError {
  std::string name, path, error;
};

struct Summary {
  ToolRecord tool;                                                             ///< of the first record
  std::uint64_t records = 0, analysed = 0, square = 0, pattern_symmetric = 0;  ///< pattern_symmetric: square as well
  std::uint64_t rows = 0, nnz = 0;
  double seconds = 0;
  std::vector<std::string> orderings, strategies, formats;  ///< in order of first appearance
  std::vector<SelectionSummary> selections;
  std::vector<FormatSummary> footprints;  ///< by format, then ordering
  BestSummary best;
  CompressedCoo compressed_coo;
  std::vector<ZeroFill> zero_fill;
  std::vector<OrderingEffect> effects;
  std::vector<MatrixError> errors;
};

/// Complexity: linear in the records, but for the medians' sorting.
/// Source: paper 002, Table 1, figures 4 and 8, and section 5.3.
Summary summarize(const std::vector<AnalyzeRecord>& records);

/// One JSON document (summary.json), indented, ending with a line end. Keys: reports/README.md.
std::string summary_json(const Summary& summary);

struct TextStyle {
  bool colour = false;  ///< bold headings by ANSI codes
  std::size_t name_width = 24;
};
/// The tables for a terminal, at most 100 columns wide with up to six-digit counts.
std::string summary_text(const Summary& summary, const TextStyle& style = {});

/// Looks up an entry by its key, or null.
template <class T>
const T* find(const Ordered<T>& map, std::string_view key) {
  for (const auto& [name, item] : map) {
    if (name == key) return &item;
  }
  return nullptr;
}

/// The ordering's figures if it was applied, or null.
const OrderingRecord* applied(const AnalyzeRecord& record, std::string_view ordering);
/// The format's figures under the ordering if it can hold the matrix, or null.
const FootprintRecord* footprint(const AnalyzeRecord& record, std::string_view ordering, std::string_view format);

}  // namespace spress::reports
