#include "reports/text/matrix_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "reports/records/order_bytes.hpp"
#include "reports/records/summary.hpp"
#include "reports/text/choice_text.hpp"
#include "reports/text/text_table.hpp"
#include "reports/text/wording.hpp"

namespace spress::reports {
namespace {

constexpr std::size_t smallest_formats = 6, choice_lines = 4;

std::string fact(std::string_view label, const std::string& text) {
  return answer_line(fmt::format("{:<10} {}", label, text));
}

// --- What it is ---

std::string source_text(const MatrixRecord& m) {
  return m.file_bytes ? fmt::format("{}, {}", shown(m.path, 55), bytes_text(*m.file_bytes)) : m.path;
}

std::string shape_text(const MatrixRecord& m) {
  std::string text = fmt::format("{} x {}, {}", grouped(m.rows), grouped(m.cols), counted(m.nnz, "entry", "entries"));
  return m.duplicates == 0 ? text : text + ", " + counted(m.duplicates, "duplicate", "duplicates") + " summed";
}

std::string rows_text(const MatrixRecord& m) {
  const double average = m.rows == 0 ? 0 : static_cast<double>(m.nnz) / static_cast<double>(m.rows);
  return fmt::format("{:.1f} entries on average, {} at most, {}", average, grouped(m.max_row_nnz),
                     counted(m.empty_rows, "empty row", "empty rows"));
}

std::string symmetry_text(const MatrixRecord& m) {
  if (m.rows != m.cols) return m.symmetry + ", not square";
  if (m.symmetry == "general")
    return m.pattern_symmetric ? "general, but with a symmetric pattern" : "general, and the pattern is not symmetric";
  if (m.stored_entries >= m.nnz) return m.symmetry;
  return fmt::format("{}; the file holds one triangle, {}", m.symmetry, counted(m.stored_entries, "entry", "entries"));
}

std::string values_text(const MatrixRecord& m) {
  if (m.field == "pattern") return "none: a pattern";
  std::string text = fmt::format("{}, {} distinct, {}", m.field, grouped(m.distinct_values),
                                 counted(m.explicit_zeros, "explicit zero", "explicit zeros"));
  if (m.values.exact_in_float == 1) return text + ", all exact in float";
  return m.nnz == 0 ? text
                    : text + fmt::format(", {:.1f}% exact in float", std::min(99.9, 100 * m.values.exact_in_float));
}

/// The bits that indices need where the widest one decides: columns, distances to the diagonal, gaps.
std::string indices_text(const OrderingRecord& o) {
  constexpr std::pair<std::string_view, std::string_view> strategies[] = {
      {"direct", "columns"}, {"delta-to-diagonal", "distances to the diagonal"}, {"delta", "gaps"}};
  std::string text;
  for (const auto& [strategy, words] : strategies)
    if (const IndexClassRecord* c = find(o.index_classes, strategy))
      text +=
          fmt::format("{}{} {}for {}", text.empty() ? "" : ", ", c->matrix_bits, text.empty() ? "bits " : "", words);
  return text;
}

std::string matrix_facts(const MatrixRecord& m, const OrderingRecord* o) {
  std::string text = answer_line(m.name);
  text += fact("from", source_text(m));
  text += fact("shape", shape_text(m));
  text += fact("rows", rows_text(m));
  text += fact("symmetry", symmetry_text(m));
  text += fact("values", values_text(m));
  if (o != nullptr && !o->index_classes.empty()) text += fact("indices", indices_text(*o));
  return text;
}

// --- What it costs ---

struct Size {
  std::string format;
  SmallestStore store;
};

/// Every format that holds the matrix with its smallest value store, the smallest first.
std::vector<Size> sizes_of(const OrderingRecord& o) {
  std::vector<Size> sizes;
  for (const auto& [name, f] : o.footprint)
    if (f.reason.empty()) sizes.push_back({f.parameters.empty() ? name : name + ":" + f.parameters, smallest_store(f)});
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const Size& a, const Size& b) { return a.store.total_bytes < b.store.total_bytes; });
  return sizes;
}

std::string unfit_text(const OrderingRecord& o) {
  std::string text;
  for (const auto& [name, f] : o.footprint)
    if (!f.reason.empty()) text += wrapped(name + " does not fit: " + shown(f.reason, 300), answer_columns);
  return text;
}

std::string more_formats_text(std::size_t more, std::size_t unfit) {
  if (more + unfit == 0) return {};
  std::string text = more == 0 ? "" : counted(more, "larger format", "larger formats");
  if (unfit != 0)
    text += fmt::format("{}{} cannot hold this matrix", more == 0 ? "" : ", ", counted(unfit, "format", "formats"));
  return "(" + text + ": --all shows them)\n";
}

std::string sizes_text(const std::string& ordering, const OrderingRecord& o, bool all) {
  const FootprintRecord* baseline = find(o.footprint, baseline_format);
  const std::uint64_t csr = baseline == nullptr ? 0 : baseline->total_bytes;
  TextTable table({{"format", Align::left}, {"values", Align::left}, {"bytes"}, {"of csr"}});
  if (baseline != nullptr) table.row({std::string(baseline_format), "raw", grouped(csr), share(csr, csr)});
  std::vector<Size> sizes = sizes_of(o);
  std::erase_if(sizes, [](const Size& s) { return s.format == baseline_format && s.store.values == "raw"; });
  const std::size_t rows = all ? sizes.size() : std::min(smallest_formats, sizes.size());
  for (std::size_t i = 0; i < rows; ++i)
    table.row({shown(sizes[i].format, 30), std::string(sizes[i].store.values), grouped(sizes[i].store.total_bytes),
               share(sizes[i].store.total_bytes, csr)});
  const auto unfit = static_cast<std::size_t>(
      std::count_if(o.footprint.begin(), o.footprint.end(), [](const auto& f) { return !f.second.reason.empty(); }));
  return "\nBytes in " + order_text(ordering) + ", each format with its smallest value store:\n" + table.str() +
         (all ? unfit_text(o) : more_formats_text(sizes.size() - rows, unfit));
}

// --- What reordering gains ---

std::string order_line(const std::string& name, const OrderingRecord& o, const OrderingRecord* before) {
  if (o.status != "ok") return answer_line(fmt::format("{} does not apply: {}", shown(name, 20), o.reason));
  std::string text = fmt::format("{} order: bandwidth {}", shown(name, 16), grouped(o.bandwidth));
  if (before != nullptr) text += fmt::format(" instead of {}", grouped(before->bandwidth));
  const auto after = smallest_format(o);
  if (!after) return answer_line(text);
  text += fmt::format("; smallest {}", bytes_text(after->store.total_bytes));
  const auto original = before == nullptr ? std::nullopt : smallest_format(*before);
  if (!original || original->store.total_bytes == 0) return answer_line(text);
  const auto bytes = static_cast<double>(original->store.total_bytes);
  return answer_line(text +
                     fmt::format(" ({:+.1f}%)", 100 * (static_cast<double>(after->store.total_bytes) / bytes - 1)));
}

/// The orderings that save the most bytes first, in at most `lines` lines.
std::string orders_text(const AnalyzeRecord& record, const std::string& table_order, std::size_t lines) {
  const OrderingRecord* before = applied(record, "none");
  std::vector<std::tuple<std::uint64_t, const std::string*, const OrderingRecord*>> others;
  for (const auto& [name, o] : record.orderings) {
    if (name == "none" || (before == nullptr && name == table_order)) continue;
    const auto smallest = o.status == "ok" ? smallest_format(o) : std::nullopt;
    others.emplace_back(smallest ? smallest->store.total_bytes : ~std::uint64_t{0}, &name, &o);
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  const bool cut = others.size() > lines;
  const std::size_t rows = cut ? lines - 1 : others.size();
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) text += order_line(*std::get<1>(others[i]), *std::get<2>(others[i]), before);
  if (cut) text += fmt::format("({} more orderings: --all shows them)\n", others.size() - rows);
  return text;
}

}  // namespace

std::string matrix_text(const AnalyzeRecord& record, bool all) {
  if (record.error) return answer_line(shown(record.matrix.name, 50) + " could not be analysed");
  const auto is_applied = [](const auto& o) { return o.second.status == "ok"; };
  auto shown_order = std::find_if(record.orderings.begin(), record.orderings.end(),
                                  [&](const auto& o) { return o.first == "none" && is_applied(o); });
  if (shown_order == record.orderings.end())
    shown_order = std::find_if(record.orderings.begin(), record.orderings.end(), is_applied);
  const bool any = shown_order != record.orderings.end();
  std::string text = matrix_facts(record.matrix, any ? &shown_order->second : nullptr);
  if (any) text += sizes_text(shown_order->first, shown_order->second, all);
  text += "\n";
  if (record.choice && !record.choice->candidates.empty())
    text += wrapped(choice_sentences(record), answer_columns, choice_lines);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return text +
         orders_text(record, any ? shown_order->first : "", all ? record.orderings.size() : matrix_lines - lines);
}

}  // namespace spress::reports
