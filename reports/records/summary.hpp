// What a collection says as a whole: the counts and factors of paper 002, over the records of a run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json/json.hpp"
#include "reports/records/order_bytes.hpp"
#include "reports/records/paper_figures.hpp"
#include "reports/records/records.hpp"

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
  std::vector<std::string> worse_names = {};  ///< of the matrices in a wider class than before
};

/// Numbers of matrices by a name, most frequent first, then by name.
using Tallies = Ordered<std::uint64_t>;

struct SelectionSummary {
  std::string name;  ///< all, or square-pattern-symmetric (the paper's selection)
  std::uint64_t matrices = 0;
  std::vector<ClassTally> classes;        ///< by strategy, then ordering; last the order that `auto` takes
  std::vector<Composition> compositions;  ///< likewise
  std::vector<OrderBytes> bytes;          ///< by ordering; last the order that `auto` takes
  Tallies auto_takes;                     ///< how often `auto` takes each ordering
  std::uint64_t auto_declined = 0;        ///< matrices for which it passed a better one over that needs more bytes
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

struct BestSummary {
  Tallies formats, orderings, values;  ///< how often each is part of the best choice
  Tallies choices;  ///< the three together, the format with its parameters: "format / ordering / values"
  std::uint64_t matrices = 0, total_bytes = 0, csr_total_bytes = 0;
};

/// The choices of `auto`, counted as the best choices are.
struct TakenSummary : BestSummary {
  std::string goal;             ///< of all matrices; empty where they differ
  std::uint64_t estimated = 0;  ///< matrices whose bytes are estimates
};

/// Index bytes for each entry in the original order, raw values (padding counts), over matrices that are not tiny.
struct IndexBytes {
  std::string format;
  std::uint64_t matrices = 0;  ///< that the format holds
  double mean = 0;             ///< geometric; 0 where one is not above 0, as of formats that code values themselves
  double most = 0;
  std::uint64_t above_csr = 0;  ///< matrices with more of them than CSR
};
inline constexpr std::uint64_t index_bytes_entries = 32768,
                               index_bytes_row = 10;  ///< at least; entries a row on average

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

/// The names that occur, in order of first appearance.
struct Names {
  std::vector<std::string> orderings, strategies, formats;
};
Names names_in(const std::vector<AnalyzeRecord>& records);

struct Summary : Names {
  static constexpr std::string_view kind = "summary";

  std::string digest;  ///< of the run that all results are from; empty where the same run would do more
  ToolRecord tool;     ///< of the first record
  std::uint64_t records = 0, analysed = 0, square = 0, pattern_symmetric = 0;  ///< pattern_symmetric: square as well
  std::uint64_t rows = 0, nnz = 0;
  double seconds = 0;
  std::vector<std::uint64_t> matrices_per_rank;  ///< measured by each process of the last run; empty where it was alone
  /// By the names of formats that were not, or not always, measured with their defaults: as what they were, in order
  /// of first appearance.
  Ordered<std::vector<std::string>> measured_as;
  std::vector<SelectionSummary> selections;
  std::vector<FormatSummary> footprints;  ///< by format, then ordering
  std::vector<IndexBytes> index_bytes;    ///< by format
  BestSummary best;
  TakenSummary taken;
  PaperFormats papers;
  CompressedCoo compressed_coo;
  std::vector<ZeroFill> zero_fill;
  std::vector<OrderingEffect> effects;
  std::vector<MatrixError> errors;
};

/// Complexity: linear in the records, but for the medians' sorting.
/// papers: the formats that the papers' tables are about; without, there are no such tables.
/// Source: paper 002, Table 1, figures 4 and 8, and section 5.3; for every ordering, and the order that `auto` takes.
Summary summarize(const std::vector<AnalyzeRecord>& records, const PaperFormats& papers = {});

/// One JSON document (summary.json), indented, ending with a line end. Keys: docs/records.md.
std::string summary_json(const Summary& summary);
/// Reads such a document, but for the papers' figures and the paths of matrices with filled zeros.
Parsed<Summary> parse_summary(std::string_view json);

struct TextStyle {
  bool colour = false;  ///< bold headings by ANSI codes
  std::size_t name_width = 24;
};
/// Tables beside those of the papers, for a terminal: at most 100 columns wide with up to six-digit counts.
std::string paper_text(const Summary& summary, const TextStyle& style = {});

/// Looks up an entry by its key, or null.
template <class T>
const T* find(const Ordered<T>& map, std::string_view key) {
  for (const auto& [name, item] : map) {
    if (name == key) return &item;
  }
  return nullptr;
}

/// The ordering's figures if it was applied, or null. auto_ordering: those of the ordering that `auto` takes.
const OrderingRecord* applied(const AnalyzeRecord& record, std::string_view ordering);
/// The format's figures under the ordering if it can hold the matrix, or null.
const FootprintRecord* footprint(const AnalyzeRecord& record, std::string_view ordering, std::string_view format);

}  // namespace spress::reports
