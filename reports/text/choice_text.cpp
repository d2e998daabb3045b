#include "reports/text/choice_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/records/summary.hpp"
#include "reports/text/printable.hpp"
#include "reports/text/text_table.hpp"
#include "reports/text/wording.hpp"

namespace spress::reports {
namespace {

std::string head(const std::string& name, const ChoiceRecord& choice) {
  std::string text = fmt::format("{}: auto for {}", printable(name), choice.goal == "size" ? "memory" : choice.goal);
  if (!choice.device.empty())
    text += fmt::format(", times as predicted for {} ({})", printable(choice.device), printable(choice.calibration));
  text += fmt::format("; chosen in {} ms", milliseconds(choice.seconds));
  if (choice.exact_seconds != 0)
    text += fmt::format(", orderings compared by exact bytes in {} ms", milliseconds(choice.exact_seconds));
  text += "\n";
  if (!choice.declined.empty()) text += "  declined: " + choice.declined + "\n";
  for (const std::string& note : choice.notes) text += "  " + note + "\n";
  return text;
}

bool is_about_bytes(const ChoiceRecord& choice) { return choice.goal != "spmv" && choice.goal != "transfer"; }

/// The quantity that the goal lowers, in seconds.
double seconds_of(const CandidateRecord& c, const std::string& goal) {
  return goal == "transfer" ? c.predicted_seconds + c.transfer_seconds : c.predicted_seconds;
}

std::uint64_t csr_bytes(const AnalyzeRecord& record) {
  const FootprintRecord* original = footprint(record, "none", baseline_format);
  const FootprintRecord* csr =
      original != nullptr ? original : footprint(record, record.choice->candidates.front().ordering, baseline_format);
  return csr == nullptr ? 0 : csr->total_bytes;
}

std::string taken_sentence(const AnalyzeRecord& record) {
  const CandidateRecord& c = record.choice->candidates.front();
  const std::string values =
      record.matrix.field == "pattern" ? "" : fmt::format(" with {} values", shown(c.values, 12));
  return fmt::format("auto takes {}{} in {}: {}{} bytes, {} of csr.", shown(spec_of(c), 30), values,
                     order_text(c.ordering), c.exact ? "" : "about ", grouped(c.total_bytes),
                     share(c.total_bytes, csr_bytes(record)));
}

/// Whether something smaller was measured than what auto takes for its bytes.
bool is_beaten(const AnalyzeRecord& record) {
  const BestRecord& best = record.best;
  const CandidateRecord& taken = record.choice->candidates.front();
  const bool is_taken = best.format == taken.format && best.values == taken.values && best.ordering == taken.ordering;
  return is_about_bytes(*record.choice) && !best.format.empty() && !is_taken && best.total_bytes < taken.total_bytes;
}

/// Whether auto leaves the smallest format out: for bytes in memory, only formats whose products keep pace with CSR's
/// are candidates.
bool leaves_best_out(const AnalyzeRecord& record) {
  const auto& out = record.choice->not_considered;
  return std::find(out.begin(), out.end(), record.best.format) != out.end();
}

std::string reason_sentence(const AnalyzeRecord& record) {
  const ChoiceRecord& choice = *record.choice;
  const std::uint64_t compared = choice.candidates.size() + choice.left_out;
  if (compared == 1) return " It had nothing else to compare.";
  const bool by_estimates = is_beaten(record) && !leaves_best_out(record);
  std::string text =
      fmt::format(" It has {}{} of the {} combinations of order, format and values compared", goal_text(choice.goal),
                  by_estimates ? ", by estimates of sizes," : "", grouped(compared));
  if (is_about_bytes(choice)) return text + ".";
  text += ": " + duration_text(seconds_of(choice.candidates.front(), choice.goal));
  for (const CandidateRecord& c : choice.candidates)
    if (c.ordering == "none" && c.format == baseline_format && c.values == "raw")
      return text + ", csr " + duration_text(seconds_of(c, choice.goal)) + ".";
  return text + ".";
}

/// Why something better was not taken, or "".
std::string passed_over_sentence(const AnalyzeRecord& record) {
  const ChoiceRecord& choice = *record.choice;
  if (!choice.declined.empty()) return " It passed over a faster one: " + shown(choice.declined, 120) + ".";
  if (!is_beaten(record)) return {};
  const char* reason = leaves_best_out(record) ? "auto leaves it out, because its products are slow"
                                               : "its estimate was larger; --exact compares exact sizes";
  return fmt::format(" {} is smaller ({} bytes), but {}.", shown(spec_of(record.best), 30),
                     grouped(record.best.total_bytes), reason);
}

}  // namespace

std::string choice_sentences(const AnalyzeRecord& record) {
  return taken_sentence(record) + reason_sentence(record) + passed_over_sentence(record);
}

std::string choice_text(const AnalyzeRecord& record) {
  const ChoiceRecord& choice = *record.choice;
  const std::uint64_t csr = csr_bytes(record);
  TextTable table({{"", Align::left},
                   {"ordering", Align::left},
                   {"format", Align::left},
                   {"values", Align::left},
                   {"bytes"},
                   {"", Align::left},
                   {"of CSR"},
                   {"product ms"},
                   {"transfer ms"}});
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    const CandidateRecord& c = choice.candidates[i];
    table.row({i == 0 ? "->" : "", c.ordering, spec_of(c), c.values, grouped(c.total_bytes), c.exact ? "" : "about",
               csr == 0 ? "-" : fmt::format("{:.3f}", static_cast<double>(c.total_bytes) / static_cast<double>(csr)),
               milliseconds(c.predicted_seconds), milliseconds(c.transfer_seconds)});
  }
  std::string text = head(record.matrix.name, choice) + table.str();
  if (choice.left_out != 0) text += fmt::format("   {} more, not in the records: --fresh\n", choice.left_out);
  return text;
}

}  // namespace spress::reports
