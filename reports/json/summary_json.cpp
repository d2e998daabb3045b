#include "reports/json/json_archive.hpp"
#include "reports/records/paper_table.hpp"
#include "reports/records/summary.hpp"

namespace spress::reports {

void describe(auto& a, Is<ClassTally> auto& r) {
  a.field("strategy", r.strategy);
  a.field("ordering", r.ordering);
  a.field("matrices", r.matrices);
  a.field("left_out", r.left_out);
}

void describe(auto& a, Is<Composition> auto& r) {
  a.field("strategy", r.strategy);
  a.constant("from", std::string_view("none"));
  a.field("to", r.ordering);
  a.field("counts", r.counts);
  a.field("better", r.better);
  a.field("worse", r.worse);
  a.field("worse_names", r.worse_names);
  a.field("left_out", r.left_out);
}

void describe(auto& a, Is<ByteChanges> auto& r) {
  a.field("matrices", r.matrices);
  a.field("smaller", r.smaller);
  a.field("same", r.same);
  a.field("larger", r.larger);
  a.field("before_bytes", r.before_bytes);
  a.field("after_bytes", r.after_bytes);
  a.field("mean_ratio", r.mean_ratio);
  a.field("worst_ratio", r.worst_ratio);
  a.field("worst_name", r.worst_name);
}

void describe(auto& a, Is<OrderBytes> auto& r) {
  a.field("ordering", r.ordering);
  a.field("chosen", r.chosen);
  a.field("smallest", r.smallest);
}

void describe(auto& a, Is<SelectionSummary> auto& r) {
  a.field("name", r.name);
  a.field("matrices", r.matrices);
  a.field("classes", r.classes);
  a.field("compositions", r.compositions);
  a.field("order_bytes", r.bytes);
  a.group("auto", [&](auto& keys) {
    keys.field("takes", r.auto_takes);
    keys.field("declined", r.auto_declined);
  });
}

void describe(auto& a, Is<IndexBytes> auto& r) {
  a.field("format", r.format);
  a.field("matrices", r.matrices);
  a.field("mean", r.mean);
  a.field("most", r.most);
  a.field("above_csr", r.above_csr);
}

void describe(auto& a, Is<ReductionFactors> auto& r) {
  a.field("matrices", r.matrices);
  a.field("mean", r.mean);
  a.field("median", r.median);
  a.field("best", r.best);
  a.field("best_name", r.best_name);
  a.field("smaller_than_csr", r.smaller);
}

void describe(auto& a, Is<FormatSummary> auto& r) {
  a.field("format", r.format);
  a.field("ordering", r.ordering);
  a.field("matrices", r.matrices);
  a.field("left_out", r.left_out);
  a.field("total_bytes", r.total_bytes);
  a.field("csr_total_bytes", r.csr_total_bytes);
  a.group("reduction", [&](auto& keys) {
    keys.field("model_index_bytes", r.model_index);
    keys.field("index_bytes", r.index);
    keys.field("total_bytes", r.total);
  });
}

void describe_choices(auto& a, auto& r) {
  a.field("matrices", r.matrices);
  a.field("total_bytes", r.total_bytes);
  a.field("csr_total_bytes", r.csr_total_bytes);
  a.field("formats", r.formats);
  a.field("orderings", r.orderings);
  a.field("values", r.values);
  a.field("choices", r.choices);
}

void describe(auto& a, Is<BestSummary> auto& r) { describe_choices(a, r); }

void describe(auto& a, Is<TakenSummary> auto& r) {
  a.field("goal", r.goal);
  describe_choices(a, r);
  a.field("estimated", r.estimated);
}

void describe(auto& a, Is<PaperComparison> auto& r) {
  a.field("paper", r.paper);
  a.field("own", r.own);
  a.field("beside", r.beside);
  a.field("peers", r.peers);
}

void describe(auto& a, Is<PaperFormats> auto& r) {
  a.field("coordinates", r.coordinates);
  a.field("compressed_on_gpu", r.compressed_on_gpu);
  a.field("compressed", r.compressed);
  a.field("blocked", r.blocked);
  a.field("bitmap_blocks", r.bitmap_blocks);
  a.field("short_indices", r.short_indices);
  a.extra("measured", r.measured);
}

void describe(auto& a, Is<OrderingEffect> auto& r) {
  a.field("ordering", r.ordering);
  a.field("matrices", r.matrices);
  a.field("left_out", r.left_out);
  a.field("bandwidth_narrower", r.narrower);
  a.field("bandwidth_same", r.same);
  a.field("bandwidth_wider", r.wider);
  a.field("mean_bandwidth_ratio", r.mean_bandwidth_ratio);
  a.field("seconds", r.seconds);
}

void describe(auto& a, Is<MatrixError> auto& r) {
  a.field("name", r.name);
  a.field("path", r.path);
  a.field("error", r.error);
}

void describe(auto& a, Is<RelativeSize> auto& r) {
  a.field("format", r.format);
  a.field("matrices", r.matrices);
  a.field("smaller_than_csr", r.smaller);
  a.field("smaller_than_coo", r.smaller_than_coo);
  a.field("least", r.least);
  a.field("median", r.median);
  a.field("mean", r.mean);
  a.field("most", r.most);
}

void describe(auto& a, Is<NotSmaller> auto& r) {
  a.field("name", r.name);
  a.field("path", r.path);
  a.field("field", r.field);
  a.field("rows", r.rows);
  a.field("nnz", r.nnz);
  a.field("ratio_to_csr", r.ratio);
  a.field("columns_of_4_bytes", r.columns_of_4_bytes);
  a.field("columns_of_2_bytes", r.columns_of_2_bytes);
  a.field("values_in_full", r.values_in_full);
  a.field("row_ends_per_entry", r.row_ends_per_entry);
  a.field("bytes_per_entry", r.bytes_per_entry);
  a.field("csr_bytes_per_entry", r.csr_bytes_per_entry);
}

void describe(auto& a, Is<CompressedCoo> auto& r) {
  a.field("formats", r.formats);
  a.constant("large_entries", large_entries);
  a.field("large_square", r.large_square);
  a.field("not_smaller", r.not_smaller);
}

void describe(auto& a, Is<ZeroFill> auto& r) {
  a.field("name", r.name);
  a.field("nnz", r.nnz);
  a.field("block", r.block);
  a.field("segment", r.segment);
  a.field("fill_percent", r.fill_percent);
  a.field("traffic_percent", r.traffic_percent);
}

// --- What the papers say, for readers of the file ---

void describe(auto& a, Is<PaperZeroFill> auto& r) {
  a.constant("name", r.name);
  a.constant("block", r.block);
  a.constant("fill_percent", r.fill_percent);
  a.constant("traffic_percent", r.traffic_percent);
}

void describe(auto& a, Is<PaperClasses> auto& r) {
  a.constant("strategy", r.strategy);
  a.constant("ordering", r.ordering);
  a.constant("paper", r.paper);
  a.constant("from_index", r.from_index);
  a.constant("unknown", r.unknown);
}

void describe(auto& a, Is<PaperWorse> auto& r) {
  a.constant("strategy", r.strategy);
  a.constant("from_8_to_16", r.from_8_to_16);
  a.constant("from_16_to_32", r.from_16_to_32);
}

void describe(auto& a, Is<Summary> auto& r) {
  a.schema();
  a.kind(r.kind);
  a.extra("digest", r.digest);
  a.field("tool", r.tool);
  a.group("collection", [&](auto& keys) {
    keys.field("records", r.records);
    keys.field("analysed", r.analysed);
    keys.constant("errors", r.errors.size());
    keys.field("square", r.square);
    keys.field("square_pattern_symmetric", r.pattern_symmetric);
    keys.field("rows", r.rows);
    keys.field("nnz", r.nnz);
    keys.field("seconds", r.seconds);
  });
  if (!r.matrices_per_rank.empty()) a.constant("ranks", r.matrices_per_rank.size());
  a.unless_empty("matrices_per_rank", r.matrices_per_rank);
  a.field("orderings", r.orderings);
  a.field("strategies", r.strategies);
  a.field("formats", r.formats);
  a.extra("measured_as", r.measured_as);
  a.field("selections", r.selections);
  a.field("footprints", r.footprints);
  a.group("index_bytes_per_nnz", [&](auto& keys) {
    keys.constant("least_entries", index_bytes_entries);
    keys.constant("least_entries_a_row", index_bytes_row);
    keys.field("formats", r.index_bytes);
  });
  a.field("best", r.best);
  a.extra("auto", r.taken);
  a.extra("paper_formats", r.papers);
  a.field("compressed_coo", r.compressed_coo);
  a.field("zero_fill", r.zero_fill);
  a.field("ordering_effects", r.effects);
  a.field("errors", r.errors);
  a.constants("paper_000", [&](auto& keys) {
    keys.constant("matrices", paper_000_matrices);
    keys.constant("remark", paper_000_remark(r.papers));
  });
  a.constants("paper_001", [](auto& keys) { keys.constant("zero_fill", paper_zero_fill); });
  a.constants("paper_002", [](auto& keys) {
    keys.constant("matrices", paper_matrices);
    keys.constant("table_1", paper_table_1);
    keys.constant("worse_after_rcm", paper_worse_after_rcm);
    keys.constant("remark", paper_table_1_remark);
  });
}

std::string summary_json(const Summary& summary) { return record_text(summary, 1) + "\n"; }

Parsed<Summary> parse_summary(std::string_view json) { return parse_record<Summary>(json); }

}  // namespace spress::reports
