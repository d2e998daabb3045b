#include "reports/text/collection_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/text/text_table.hpp"
#include "reports/text/wording.hpp"

namespace spress::reports {
namespace {

// Together with their headings these stay below collection_lines.
constexpr std::size_t shown_choices = 6, shown_formats = 8, shown_strategies = 5, shown_orderings = 4, shown_errors = 4,
                      error_lines = 2;

/// Says that a list was cut, or nothing.
std::string more(std::size_t all, std::size_t rows, std::string_view one, std::string_view several,
                 const std::string& where) {
  if (all <= rows) return {};
  return answer_line(fmt::format("(and {} more {}{})", grouped(all - rows), all - rows == 1 ? one : several, where));
}

// --- The headline ---

std::string headline(const Summary& s) {
  std::string text = counted(s.analysed, "matrix", "matrices") + " analysed";
  if (!s.errors.empty()) text += ", " + grouped(s.errors.size()) + " failed";
  text +=
      fmt::format("; {} square, {} of them with a symmetric pattern", grouped(s.square), grouped(s.pattern_symmetric));
  std::string out = answer_line(text) + answer_line(counted(s.nnz, "entry", "entries") + " in all");
  if (s.best.matrices == 0) return out;
  TextTable table({{"", Align::left}, {"bytes"}, {"of csr"}});
  table.row({"csr, raw values, original order", bytes_text(s.best.csr_total_bytes),
             share(s.best.csr_total_bytes, s.best.csr_total_bytes)});
  table.row({"the smallest format, values and order for each", bytes_text(s.best.total_bytes),
             share(s.best.total_bytes, s.best.csr_total_bytes)});
  if (s.taken.matrices != 0)
    table.row({s.taken.goal.empty() ? "auto" : "auto, for " + goal_text(s.taken.goal),
               (s.taken.estimated == 0 ? "" : "about ") + bytes_text(s.taken.total_bytes),
               share(s.taken.total_bytes, s.taken.csr_total_bytes)});
  return out + "\n" + table.str();
}

// --- What auto takes ---

std::string taken_text(const TakenSummary& taken) {
  if (taken.matrices == 0) return {};
  const std::size_t rows = std::min(shown_choices, taken.choices.size());
  TextTable table({{"auto takes (format / order / values)", Align::left}, {"matrices"}, {"share"}});
  for (std::size_t i = 0; i < rows; ++i) {
    const auto& [choice, matrices] = taken.choices[i];
    table.row({shown(choice, 55), grouped(matrices), share(matrices, taken.matrices)});
  }
  return "\n" + table.str() +
         more(taken.choices.size(), rows, "combination", "combinations", ": summary.json of -o has them");
}

// --- The formats ---

/// The format as it was measured, where all matrices were measured alike.
std::string spec_in(const Summary& s, const std::string& format) {
  const auto* specs = find(s.measured_as, format);
  return specs != nullptr && specs->size() == 1 ? specs->front() : format;
}

std::string formats_text(const Summary& s) {
  std::vector<const FormatSummary*> formats;
  for (const FormatSummary& f : s.footprints)
    if (f.ordering == "none" && f.csr_total_bytes != 0) formats.push_back(&f);
  const auto ratio = [](const FormatSummary* f) {
    return static_cast<double>(f->total_bytes) / static_cast<double>(f->csr_total_bytes);
  };
  std::stable_sort(formats.begin(), formats.end(), [&](auto* a, auto* b) { return ratio(a) < ratio(b); });
  if (formats.empty()) return {};
  const std::size_t rows = std::min(shown_formats, formats.size());
  TextTable table(
      {{"smallest formats (raw values, original order)", Align::left}, {"matrices"}, {"bytes"}, {"of csr"}});
  for (std::size_t i = 0; i < rows; ++i) {
    const FormatSummary& f = *formats[i];
    table.row({shown(spec_in(s, f.format), 40), grouped(f.matrices), bytes_text(f.total_bytes),
               share(f.total_bytes, f.csr_total_bytes)});
  }
  return "\n" + table.str() + more(formats.size(), rows, "format", "formats", ": --papers shows them");
}

// --- The indices ---

std::string strategy_text(const std::string& strategy) {
  if (strategy == "direct") return "column number";
  if (strategy == "delta-to-diagonal") return "distance to the diagonal";
  if (strategy == "delta") return "gap to the entry before";
  if (strategy == "delta-anchored") return "gap; first: to the diagonal";
  return shown(strategy, 27);
}

std::string bits_text(const SelectionSummary& selection, const std::string& strategy, const std::string& ordering) {
  for (const ClassTally& t : selection.classes)
    if (t.strategy == strategy && t.ordering == ordering)
      return fmt::format("{} / {} / {}", t.matrices.bits8, t.matrices.bits16, t.matrices.bits32);
  return "-";
}

/// The orderings other than the original one, the one that saves the most bytes first.
std::vector<const OrderBytes*> orders_of(const SelectionSummary& selection) {
  std::vector<const OrderBytes*> orders;
  for (const OrderBytes& o : selection.bytes)
    if (o.ordering != auto_ordering && o.smallest.matrices != 0) orders.push_back(&o);
  std::stable_sort(orders.begin(), orders.end(),
                   [](auto* a, auto* b) { return a->smallest.mean_ratio < b->smallest.mean_ratio; });
  return orders;
}

std::string indices_text(const Summary& s, const SelectionSummary& selection) {
  const auto orders = orders_of(selection);
  const bool original = std::find(s.orderings.begin(), s.orderings.end(), "none") != s.orderings.end();
  std::vector<std::string> orderings;
  if (original) orderings.emplace_back("none");
  if (!orders.empty()) orderings.push_back(orders.front()->ordering);
  if (s.strategies.empty() || orderings.empty()) return {};
  std::vector<TextTable::Column> columns = {{"8 / 16 / 32 bits needed for the", Align::left}};
  for (const std::string& ordering : orderings) columns.push_back({order_text(ordering)});
  TextTable table(std::move(columns));
  const std::size_t rows = std::min(shown_strategies, s.strategies.size());
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::string> cells = {strategy_text(s.strategies[i])};
    for (const std::string& ordering : orderings) cells.push_back(bits_text(selection, s.strategies[i], ordering));
    table.row(std::move(cells));
  }
  return "\n" + table.str() + more(s.strategies.size(), rows, "way to store indices", "ways to store indices", "");
}

// --- Reordering ---

std::string orderings_text(const Summary& s, const SelectionSummary& selection) {
  const auto orders = orders_of(selection);
  if (orders.empty()) return {};
  TextTable table(
      {{"order", Align::left}, {"matrices"}, {"narrower band"}, {"bytes"}, {"of original"}, {"smaller"}, {"larger"}});
  const std::size_t rows = std::min(shown_orderings, orders.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const auto effect = std::find_if(s.effects.begin(), s.effects.end(),
                                     [&](const OrderingEffect& e) { return e.ordering == orders[i]->ordering; });
    const ByteChanges& c = orders[i]->smallest;
    table.row({shown(orders[i]->ordering, 14), grouped(c.matrices),
               effect == s.effects.end() ? "-" : grouped(effect->narrower), bytes_text(c.after_bytes),
               share(c.after_bytes, c.before_bytes), grouped(c.smaller), grouped(c.larger)});
  }
  return "\nreordered, each matrix in its smallest format:\n" + table.str() +
         more(orders.size(), rows, "ordering", "orderings", ": --papers shows them");
}

// --- Failures ---

/// A message begins with the path of its file, which would fill the line.
std::string error_text(const MatrixError& e) {
  const std::string_view error = e.error;
  const std::string name = "- " + shown(e.name, 40);
  return !e.path.empty() && error.starts_with(e.path) ? name + shown(error.substr(e.path.size()), 200)
                                                      : name + ": " + shown(error, 200);
}

std::string errors_text(const Summary& s) {
  if (s.errors.empty()) return {};
  const std::size_t rows = std::min(shown_errors, s.errors.size());
  std::string text = fmt::format("\n{} could not be analysed:\n", counted(s.errors.size(), "matrix", "matrices"));
  for (std::size_t i = 0; i < rows; ++i) text += wrapped(error_text(s.errors[i]), answer_columns, error_lines);
  return text + more(s.errors.size(), rows, "failure", "failures", "");
}

}  // namespace

std::string collection_text(const Summary& s) {
  std::string text = headline(s) + taken_text(s.taken) + formats_text(s);
  if (!s.selections.empty()) {
    const SelectionSummary& all = s.selections.front();
    text += indices_text(s, all) + orderings_text(s, all);
  }
  return text + errors_text(s);
}

}  // namespace spress::reports
