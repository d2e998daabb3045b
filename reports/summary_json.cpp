#include <cmath>

#include "formats/json/text.hpp"
#include "formats/json/tree.hpp"
#include "reports/paper_table.hpp"
#include "reports/summary.hpp"

namespace spress::reports {
namespace {

using Json = json::Value;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const ClassCounts& c) { return {{"8", c.bits8}, {"16", c.bits16}, {"32", c.bits32}}; }

Json to_json(const ClassTally& t);
Json to_json(const Composition& c);
Json to_json(const SelectionSummary& s);
Json to_json(const FormatSummary& f);
Json to_json(const OrderBytes& o);
Json to_json(const IndexBytes& i);
Json to_json(const OrderingEffect& e);
Json to_json(const MatrixError& e);
Json to_json(const RelativeSize& r);
Json to_json(const NotSmaller& n);
Json to_json(const ZeroFill& z);

template <class T>
Json to_list(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

Json to_json(const ClassTally& t) {
  return {
      {"strategy", t.strategy}, {"ordering", t.ordering}, {"matrices", to_json(t.matrices)}, {"left_out", t.left_out}};
}

Json to_json(const Composition& c) {
  return {{"strategy", c.strategy}, {"from", "none"},   {"to", c.ordering},      {"counts", c.counts},
          {"better", c.better},     {"worse", c.worse}, {"left_out", c.left_out}};
}

Json to_json(const std::vector<Tally>& tallies) {
  Json object = Json::object();
  for (const Tally& t : tallies) object[t.name] = t.matrices;
  return object;
}

Json to_json(const SelectionSummary& s) {
  return {{"name", s.name},
          {"matrices", s.matrices},
          {"classes", to_list(s.classes)},
          {"compositions", to_list(s.compositions)},
          {"order_bytes", to_list(s.bytes)},
          {"auto", {{"takes", to_json(s.auto_takes)}, {"declined", s.auto_declined}}}};
}

Json to_json(const ByteChanges& c) {
  return {{"matrices", c.matrices},
          {"smaller", c.smaller},
          {"same", c.same},
          {"larger", c.larger},
          {"before_bytes", c.before_bytes},
          {"after_bytes", c.after_bytes},
          {"mean_ratio", number(c.mean_ratio)},
          {"worst_ratio", number(c.worst_ratio)},
          {"worst_name", c.worst_name}};
}

Json to_json(const OrderBytes& o) {
  return {{"ordering", o.ordering}, {"chosen", to_json(o.chosen)}, {"smallest", to_json(o.smallest)}};
}

Json to_json(const IndexBytes& i) {
  return {{"format", i.format},
          {"matrices", i.matrices},
          {"mean", number(i.mean)},
          {"most", number(i.most)},
          {"above_csr", i.above_csr}};
}

Json to_json(const ReductionFactors& r) {
  return {{"matrices", r.matrices}, {"mean", number(r.mean)},   {"median", number(r.median)},
          {"best", number(r.best)}, {"best_name", r.best_name}, {"smaller_than_csr", r.smaller}};
}

Json to_json(const FormatSummary& f) {
  return {{"format", f.format},
          {"ordering", f.ordering},
          {"matrices", f.matrices},
          {"left_out", f.left_out},
          {"total_bytes", f.total_bytes},
          {"csr_total_bytes", f.csr_total_bytes},
          {"reduction",
           {{"model_index_bytes", to_json(f.model_index)},
            {"index_bytes", to_json(f.index)},
            {"total_bytes", to_json(f.total)}}}};
}

Json to_json(const std::vector<MeasuredAs>& measured) {
  Json json = Json::object();
  for (const MeasuredAs& m : measured) json[m.format] = m.specs;
  return json;
}

Json to_json(const BestSummary& b) {
  return {{"matrices", b.matrices},        {"total_bytes", b.total_bytes},      {"csr_total_bytes", b.csr_total_bytes},
          {"formats", to_json(b.formats)}, {"orderings", to_json(b.orderings)}, {"values", to_json(b.values)},
          {"choices", to_json(b.choices)}};
}

Json to_json(const OrderingEffect& e) {
  return {{"ordering", e.ordering},
          {"matrices", e.matrices},
          {"left_out", e.left_out},
          {"bandwidth_narrower", e.narrower},
          {"bandwidth_same", e.same},
          {"bandwidth_wider", e.wider},
          {"mean_bandwidth_ratio", number(e.mean_bandwidth_ratio)},
          {"seconds", number(e.seconds)}};
}

Json to_json(const MatrixError& e) { return {{"name", e.name}, {"path", e.path}, {"error", e.error}}; }

Json to_json(const RelativeSize& r) {
  return {{"format", r.format},
          {"matrices", r.matrices},
          {"smaller_than_csr", r.smaller},
          {"smaller_than_coo", r.smaller_than_coo},
          {"least", number(r.least)},
          {"median", number(r.median)},
          {"mean", number(r.mean)},
          {"most", number(r.most)}};
}

Json to_json(const NotSmaller& n) {
  return {{"name", n.name},
          {"path", n.path},
          {"field", n.field},
          {"rows", n.rows},
          {"nnz", n.nnz},
          {"ratio_to_csr", n.ratio},
          {"columns_of_4_bytes", n.columns_of_4_bytes},
          {"columns_of_2_bytes", n.columns_of_2_bytes},
          {"values_in_full", n.values_in_full},
          {"row_ends_per_entry", n.row_ends_per_entry},
          {"bytes_per_entry", n.bytes_per_entry},
          {"csr_bytes_per_entry", n.csr_bytes_per_entry}};
}

Json to_json(const CompressedCoo& c) {
  return {{"formats", to_list(c.formats)},
          {"large_entries", large_entries},
          {"large_square", c.large_square},
          {"not_smaller", to_list(c.not_smaller)}};
}

Json to_json(const ZeroFill& z) {
  return {{"name", z.name},
          {"nnz", z.nnz},
          {"block", z.block},
          {"segment", z.segment},
          {"fill_percent", z.fill_percent},
          {"traffic_percent", z.traffic_percent ? Json(*z.traffic_percent) : Json(nullptr)}};
}

Json paper_001_to_json() {
  Json table = Json::array();
  for (const PaperZeroFill& row : paper_zero_fill) {
    table.push_back({{"name", row.name},
                     {"block", row.block},
                     {"fill_percent", row.fill_percent},
                     {"traffic_percent", row.traffic_percent}});
  }
  return {{"zero_fill", table}};
}

Json paper_to_json() {
  Json table = Json::array();
  for (const PaperClasses& row : paper_table_1) {
    table.push_back({{"strategy", row.strategy},
                     {"ordering", row.ordering},
                     {"paper", to_json(row.paper)},
                     {"from_index", row.from_index ? to_json(*row.from_index) : Json(nullptr)},
                     {"unknown", row.unknown}});
  }
  Json worse = Json::array();
  for (const PaperWorse& row : paper_worse_after_rcm) {
    worse.push_back(
        {{"strategy", row.strategy}, {"from_8_to_16", row.from_8_to_16}, {"from_16_to_32", row.from_16_to_32}});
  }
  return {
      {"matrices", paper_matrices}, {"table_1", table}, {"worse_after_rcm", worse}, {"remark", paper_table_1_remark}};
}

}  // namespace

std::string summary_json(const Summary& s) {
  const Json json = {{"schema_version", schema_version},
                     {"digest", s.digest},
                     {"tool", {{"version", s.tool.version}, {"commit", s.tool.commit}}},
                     {"collection",
                      {{"records", s.records},
                       {"analysed", s.analysed},
                       {"errors", s.errors.size()},
                       {"square", s.square},
                       {"square_pattern_symmetric", s.pattern_symmetric},
                       {"rows", s.rows},
                       {"nnz", s.nnz},
                       {"seconds", number(s.seconds)}}},
                     {"orderings", s.orderings},
                     {"strategies", s.strategies},
                     {"formats", s.formats},
                     {"measured_as", to_json(s.measured_as)},
                     {"selections", to_list(s.selections)},
                     {"footprints", to_list(s.footprints)},
                     {"index_bytes_per_nnz",
                      {{"least_entries", index_bytes_entries},
                       {"least_entries_a_row", index_bytes_row},
                       {"formats", to_list(s.index_bytes)}}},
                     {"best", to_json(s.best)},
                     {"compressed_coo", to_json(s.compressed_coo)},
                     {"zero_fill", to_list(s.zero_fill)},
                     {"ordering_effects", to_list(s.effects)},
                     {"errors", to_list(s.errors)},
                     {"paper_000", {{"matrices", paper_000_matrices}, {"remark", paper_000_remark}}},
                     {"paper_001", paper_001_to_json()},
                     {"paper_002", paper_to_json()}};
  return json.dump(1) + "\n";
}

std::string digest_in(std::string_view summary_json) {
  json::Tree tree;
  if (!tree.parse(summary_json).empty()) return {};
  const auto digest = tree.root().is(json::Kind::object) ? tree.root().find("digest") : std::nullopt;
  return digest && digest->is(json::Kind::string) ? digest->text() : std::string();
}

}  // namespace spress::reports
