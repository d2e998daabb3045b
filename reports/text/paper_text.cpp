#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "reports/records/paper_table.hpp"
#include "reports/records/summary.hpp"
#include "reports/text/text_table.hpp"
#include "reports/text/wording.hpp"

namespace spress::reports {
namespace {

constexpr std::string_view class_names[3] = {"8 bits", "16 bits", "32 bits"};

class Text {
 public:
  explicit Text(const TextStyle& style) : style_(style) {}
  void heading(const std::string& title) {
    text_ += "\n";
    text_ += style_.colour ? "\033[1m" + title + "\033[0m\n" : title + "\n";
  }
  void add(const std::string& text) { text_ += text; }
  std::string name(const std::string& name) const { return shown(name, style_.name_width); }
  const std::string& str() const { return text_; }

 private:
  TextStyle style_;
  std::string text_;
};

std::string factor(double value) { return value > 0 && std::isfinite(value) ? fmt::format("{:.2f}", value) : "-"; }

std::string counts(const ClassCounts& c) { return fmt::format("{} / {} / {}", c.bits8, c.bits16, c.bits32); }

/// The tables name formats alone: says which of them were not measured with their defaults.
void add_measured_as(Text& out, const Summary& s) {
  for (const auto& [format, specs] : s.measured_as)
    out.add(wrapped(fmt::format("{} was measured as {}", format, fmt::join(specs, " and "))));
}

void add_classes(Text& out, const SelectionSummary& selection) {
  out.heading(fmt::format("Matrices by the width of their indices, all {}", grouped(selection.matrices)));
  TextTable table(
      {{"strategy", Align::left}, {"ordering", Align::left}, {"8 bits"}, {"16 bits"}, {"32 bits"}, {"left out"}});
  for (const ClassTally& t : selection.classes) {
    table.row({t.strategy, t.ordering, grouped(t.matrices.bits8), grouped(t.matrices.bits16),
               grouped(t.matrices.bits32), grouped(t.left_out)});
  }
  out.add(table.str());
  out.add("(left out: an ordering that does not apply, as to rectangular matrices, or failed)\n");
}

const PaperClasses* paper_row(const ClassTally& t) {
  const auto found = std::find_if(paper_table_1.begin(), paper_table_1.end(), [&](const PaperClasses& p) {
    return p.strategy == t.strategy && p.ordering == t.ordering;
  });
  return found == paper_table_1.end() ? nullptr : &*found;
}

/// The paper's own selection, beside its Table 1.
void add_paper_classes(Text& out, const SelectionSummary& selection) {
  out.heading(fmt::format("The {} square ones with a symmetric pattern, beside paper 002, Table 1 (8 / 16 / 32 bits)",
                          grouped(selection.matrices)));
  TextTable table({{"strategy", Align::left},
                   {"ordering", Align::left},
                   {"8 bits"},
                   {"16 bits"},
                   {"32 bits"},
                   {"left out"},
                   {"paper (1407)"},
                   {"from its index"}});
  for (const ClassTally& t : selection.classes) {
    const PaperClasses* paper = paper_row(t);
    table.row({t.strategy, t.ordering, grouped(t.matrices.bits8), grouped(t.matrices.bits16),
               grouped(t.matrices.bits32), grouped(t.left_out), paper == nullptr ? "" : counts(paper->paper),
               paper == nullptr || !paper->from_index ? "" : counts(*paper->from_index)});
  }
  out.add(table.str());
  out.add(wrapped(paper_table_1_remark));
}

std::vector<const Composition*> of_ordering(const SelectionSummary& selection, const std::string& ordering) {
  std::vector<const Composition*> found;
  for (const Composition& c : selection.compositions) {
    if (c.ordering == ordering) found.push_back(&c);
  }
  return found;
}

void add_compositions(Text& out, const SelectionSummary& selection, const std::string& ordering) {
  const auto compositions = of_ordering(selection, ordering);
  if (compositions.empty()) return;
  out.heading(fmt::format(
      "Matrices going from class to class under {} (rows: before; columns: after, 8 / 16 / 32 bits)", ordering));
  std::vector<TextTable::Column> columns = {{"before", Align::left}};
  for (const Composition* c : compositions) columns.push_back({c->strategy});
  TextTable table(std::move(columns));
  for (std::size_t before = 0; before < 3; ++before) {
    std::vector<std::string> cells = {std::string(class_names[before])};
    for (const Composition* c : compositions) {
      const auto& to = c->counts[before];
      cells.push_back(fmt::format("{:>4} {:>4} {:>4}", to[0], to[1], to[2]));
    }
    table.row(std::move(cells));
  }
  std::vector<std::string> worse = {"worse"}, better = {"better"};
  for (const Composition* c : compositions) {
    worse.push_back(grouped(c->worse));
    better.push_back(grouped(c->better));
  }
  table.row(std::move(worse));
  table.row(std::move(better));
  out.add(table.str());
}

/// At most five of the names.
std::string names_of(const Text& out, const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) some.push_back(out.name(names[i]));
  const std::size_t more = names.size() - some.size();
  return fmt::format("{}{}", fmt::join(some, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

/// How many matrices need a wider class than in the original order, and which.
void add_worse_classes(Text& out, const SelectionSummary& selection, const std::vector<std::string>& strategies) {
  if (selection.compositions.empty()) return;
  out.heading("Matrices in a wider class than in the original order");
  std::vector<TextTable::Column> columns = {{"ordering", Align::left}};
  for (const std::string& strategy : strategies) columns.push_back({strategy});
  columns.push_back({"left out"});
  TextTable table(std::move(columns));
  for (const OrderBytes& o : selection.bytes) {
    std::vector<std::string> cells = {o.ordering};
    std::uint64_t left_out = 0;
    for (const Composition* c : of_ordering(selection, o.ordering)) {
      cells.push_back(grouped(c->worse));
      left_out = c->left_out;
    }
    cells.push_back(grouped(left_out));
    table.row(std::move(cells));
  }
  out.add(table.str());
  for (const Composition& c : selection.compositions)
    if (!c.worse_names.empty())
      out.add(fmt::format("{}, {}: {}\n", c.ordering, c.strategy, names_of(out, c.worse_names)));
}

void add_byte_changes(Text& out, const SelectionSummary& selection, const std::string& title,
                      ByteChanges OrderBytes::*measure) {
  const auto known = [&](const OrderBytes& o) { return (o.*measure).matrices != 0; };
  if (std::none_of(selection.bytes.begin(), selection.bytes.end(), known)) return;
  out.heading(title);
  TextTable table({{"ordering", Align::left},
                   {"matrices"},
                   {"smaller"},
                   {"same"},
                   {"larger"},
                   {"of original"},
                   {"mean ratio"},
                   {"worst"},
                   {"of", Align::left}});
  for (const OrderBytes& o : selection.bytes) {
    const ByteChanges& c = o.*measure;
    table.row({o.ordering, grouped(c.matrices), grouped(c.smaller), grouped(c.same), grouped(c.larger),
               share(c.after_bytes, c.before_bytes), factor(c.mean_ratio), factor(c.worst_ratio),
               out.name(c.worst_name)});
  }
  out.add(table.str());
}

void add_auto_takes(Text& out, const SelectionSummary& selection) {
  if (selection.auto_takes.empty()) return;
  std::string text = "auto takes";
  const char* separator = " ";
  for (const auto& [ordering, matrices] : selection.auto_takes) {
    text += fmt::format("{}{} for {}", separator, ordering, grouped(matrices));
    separator = ", ";
  }
  if (selection.auto_declined != 0)
    text += fmt::format("; it declined a faster one that needs more bytes for {}", grouped(selection.auto_declined));
  out.add(wrapped(text));
}

void add_order_bytes(Text& out, const SelectionSummary& selection) {
  if (selection.bytes.empty()) return;
  add_byte_changes(out, selection, "Exact bytes against the original order, in what auto takes in each",
                   &OrderBytes::chosen);
  add_auto_takes(out, selection);
  add_byte_changes(out, selection, "The same in the smallest of all formats, those with slow products too",
                   &OrderBytes::smallest);
}

void add_effects(Text& out, const Summary& s) {
  if (s.effects.empty()) return;
  out.heading("Bandwidth after reordering (ratio: geometric mean of after / before)");
  TextTable table({{"ordering", Align::left},
                   {"matrices"},
                   {"narrower"},
                   {"same"},
                   {"wider"},
                   {"ratio"},
                   {"left out"},
                   {"seconds"}});
  for (const OrderingEffect& e : s.effects) {
    table.row({e.ordering, grouped(e.matrices), grouped(e.narrower), grouped(e.same), grouped(e.wider),
               e.mean_bandwidth_ratio > 0 ? fmt::format("{:.3f}", e.mean_bandwidth_ratio) : "-", grouped(e.left_out),
               fmt::format("{:.2f}", e.seconds)});
  }
  out.add(table.str());
}

void add_reductions(Text& out, const Summary& s, const std::string& title, ReductionFactors FormatSummary::*measure) {
  out.heading(title);
  TextTable table({{"format", Align::left},
                   {"ordering", Align::left},
                   {"matrices"},
                   {"mean"},
                   {"median"},
                   {"best"},
                   {"of", Align::left},
                   {"smaller than csr"}});
  for (const FormatSummary& f : s.footprints) {
    if (f.format == baseline_format) continue;
    const ReductionFactors& r = f.*measure;
    table.row({f.format, f.ordering, grouped(r.matrices), factor(r.mean), factor(r.median), factor(r.best),
               out.name(r.best_name), fmt::format("{} {:>6}", grouped(r.smaller), share(r.smaller, f.matrices))});
  }
  out.add(table.str());
}

void add_bytes(Text& out, const Summary& s) {
  out.heading("Bytes of the collection (raw values; CSR: of the same matrices, in the original order)");
  TextTable table(
      {{"format", Align::left}, {"ordering", Align::left}, {"matrices"}, {"bytes"}, {"csr"}, {"of csr"}, {"left out"}});
  for (const FormatSummary& f : s.footprints) {
    table.row({f.format, f.ordering, grouped(f.matrices), bytes_text(f.total_bytes), bytes_text(f.csr_total_bytes),
               share(f.total_bytes, f.csr_total_bytes), grouped(f.left_out)});
  }
  table.row({"best of all", "", grouped(s.best.matrices), bytes_text(s.best.total_bytes),
             bytes_text(s.best.csr_total_bytes), share(s.best.total_bytes, s.best.csr_total_bytes), ""});
  out.add(table.str());
}

std::string times(double value) { return fmt::format("{:.3f}", value); }
std::string percent(double value) { return fmt::format("{:.1f}%", value); }

void add_compressed_coo(Text& out, const CompressedCoo& c, const PaperFormats& papers) {
  if (c.formats.empty()) return;
  out.heading("Bytes over CSR's, values of 8 bytes, original order (paper 000, figures 1 and 3)");
  TextTable table({{"format", Align::left},
                   {"matrices"},
                   {"least"},
                   {"median"},
                   {"mean"},
                   {"most"},
                   {"smaller than csr"},
                   {"than " + papers.coordinates}});
  for (const RelativeSize& r : c.formats) {
    table.row({r.format, grouped(r.matrices), times(r.least), times(r.median), times(r.mean), times(r.most),
               fmt::format("{} {:>6}", grouped(r.smaller), share(r.smaller, r.matrices)),
               share(r.smaller_than_coo, r.matrices)});
  }
  out.add(table.str());
  out.add(wrapped(paper_000_remark(papers)));
}

/// The paper finds its format smaller for all its matrices: those of the collection for which it is not, and why.
void add_not_smaller(Text& out, const CompressedCoo& c, const PaperFormats& papers) {
  if (c.large_square == 0) return;
  constexpr std::size_t shown_matrices = 20;
  out.heading(fmt::format("{} is smaller than CSR on {} of {} square matrices with at least {} entries",
                          papers.compressed, grouped(c.large_square - c.not_smaller.size()), grouped(c.large_square),
                          grouped(large_entries)));
  if (c.not_smaller.empty()) return;
  TextTable table({{"larger", Align::left},
                   {"of csr"},
                   {"bytes/entry"},
                   {"in csr"},
                   {"4-byte column"},
                   {"2-byte step"},
                   {"full value"},
                   {"rows/entry"}});
  for (std::size_t i = 0; i < std::min(shown_matrices, c.not_smaller.size()); ++i) {
    const NotSmaller& n = c.not_smaller[i];
    table.row({out.name(n.name), times(n.ratio), factor(n.bytes_per_entry), factor(n.csr_bytes_per_entry),
               percent(100 * n.columns_of_4_bytes), percent(100 * n.columns_of_2_bytes),
               percent(100 * n.values_in_full), factor(n.row_ends_per_entry)});
  }
  out.add(table.str());
  if (c.not_smaller.size() > shown_matrices)
    out.add(fmt::format("... and {} more\n", c.not_smaller.size() - shown_matrices));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

void add_zero_fill(Text& out, const std::vector<ZeroFill>& fills, const PaperFormats& papers) {
  if (fills.empty()) return;
  out.heading("Blocks that " + papers.blocked +
              " chooses, values of 4 bytes (paper 001; zeros per 100 entries, padding included)");
  TextTable table({{"block"}, {"matrices"}, {"zeros, least"}, {"median"}, {"most"}, {"traffic of block 1's, median"}});
  std::map<std::uint64_t, std::vector<const ZeroFill*>> blocks;
  for (const ZeroFill& z : fills) blocks[z.block].push_back(&z);
  for (const auto& [block, members] : blocks) {
    std::vector<double> zeros, traffic;
    for (const ZeroFill* z : members) {
      zeros.push_back(z->fill_percent);
      if (z->traffic_percent) traffic.push_back(*z->traffic_percent);
    }
    const auto [least, most] = std::minmax_element(zeros.begin(), zeros.end());
    table.row({grouped(block), grouped(members.size()), percent(*least), percent(median_of(zeros)), percent(*most),
               traffic.empty() ? "-" : percent(median_of(traffic))});
  }
  out.add(table.str());
}

/// The matrices of the paper's table that the collection holds.
void add_paper_zero_fill(Text& out, const std::vector<ZeroFill>& fills) {
  TextTable table({{"matrix", Align::left}, {"block"}, {"paper"}, {"zeros"}, {"paper"}, {"traffic"}, {"paper"}});
  bool any = false;
  for (const PaperZeroFill& paper : paper_zero_fill) {
    for (const ZeroFill& z : fills) {
      if (z.name != paper.name) continue;
      any = true;
      table.row({z.name, grouped(z.block), grouped(paper.block), fmt::format("{:.3f}%", z.fill_percent),
                 fmt::format("{:.3f}%", paper.fill_percent),
                 z.traffic_percent ? fmt::format("{:.2f}%", *z.traffic_percent) : "-",
                 fmt::format("{:.2f}%", paper.traffic_percent)});
    }
  }
  if (!any) return;
  out.heading("Beside paper 001's table of zero filling");
  out.add(table.str());
}

void add_best(Text& out, const BestSummary& best) {
  if (best.choices.empty()) return;
  constexpr std::size_t shown_choices = 10;
  out.heading("Most frequent best choices (format / ordering / values)");
  TextTable table({{"choice", Align::left}, {"matrices"}, {"share"}});
  for (std::size_t i = 0; i < std::min(shown_choices, best.choices.size()); ++i) {
    const auto& [choice, matrices] = best.choices[i];
    table.row({choice, grouped(matrices), share(matrices, best.matrices)});
  }
  out.add(table.str());
  if (best.choices.size() > shown_choices) {
    out.add(fmt::format("... and {} more choices\n", best.choices.size() - shown_choices));
  }
}

}  // namespace

std::string paper_text(const Summary& summary, const TextStyle& style) {
  Text out(style);
  add_measured_as(out, summary);
  for (const SelectionSummary& selection : summary.selections) {
    if (selection.name == "all") {
      add_classes(out, selection);
    } else {
      add_paper_classes(out, selection);
    }
  }
  if (!summary.selections.empty()) {
    const SelectionSummary& all = summary.selections.front();
    for (const OrderBytes& o : all.bytes) add_compositions(out, all, o.ordering);
    add_worse_classes(out, all, summary.strategies);
    add_order_bytes(out, all);
  }
  add_effects(out, summary);
  add_reductions(out, summary, "CSR's index bytes over the format's, by the paper's formulas",
                 &FormatSummary::model_index);
  add_reductions(out, summary, "CSR's index bytes over the format's, bytes really held", &FormatSummary::index);
  add_reductions(out, summary, "CSR's total bytes over the format's, raw values", &FormatSummary::total);
  add_bytes(out, summary);
  add_compressed_coo(out, summary.compressed_coo, summary.papers);
  add_not_smaller(out, summary.compressed_coo, summary.papers);
  add_zero_fill(out, summary.zero_fill, summary.papers);
  add_paper_zero_fill(out, summary.zero_fill);
  add_best(out, summary.best);
  return out.str();
}

}  // namespace spress::reports
