#include "reports/text/choice_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/text/printable.hpp"
#include "reports/text/text_table.hpp"

namespace spress::reports {
namespace {

std::string milliseconds(double seconds) { return std::isfinite(seconds) ? fmt::format("{:.4g}", 1e3 * seconds) : "-"; }

std::string head(const std::string& name, const ChoiceRecord& choice) {
  std::string text = fmt::format("{}: auto for {}", printable(name), choice.goal);
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

}  // namespace

std::string choice_text(const std::string& name, const ChoiceRecord& choice, std::uint64_t csr_bytes,
                        std::size_t most) {
  TextTable table({{"", Align::left},
                   {"ordering", Align::left},
                   {"format", Align::left},
                   {"values", Align::left},
                   {"bytes"},
                   {"", Align::left},
                   {"of CSR"},
                   {"product ms"},
                   {"transfer ms"}});
  const std::size_t shown = std::min(most, choice.candidates.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const CandidateRecord& c = choice.candidates[i];
    table.row({i == 0 ? "->" : "", c.ordering, spec_of(c), c.values, grouped(c.total_bytes), c.exact ? "" : "about",
               csr_bytes == 0
                   ? "-"
                   : fmt::format("{:.3f}", static_cast<double>(c.total_bytes) / static_cast<double>(csr_bytes)),
               milliseconds(c.predicted_seconds), milliseconds(c.transfer_seconds)});
  }
  const std::size_t left = choice.candidates.size() - shown;
  std::string text = head(name, choice) + table.str();
  if (left != 0) text += fmt::format("   {} more: --why\n", left);
  if (choice.left_out != 0) text += fmt::format("   {} more, not in the records: --fresh\n", choice.left_out);
  return text;
}

}  // namespace spress::reports
