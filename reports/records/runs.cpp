#include "reports/records/runs.hpp"

#include <algorithm>

namespace spress::reports {
namespace {

constexpr std::size_t alphabet = 26;
constexpr std::size_t most_cells = 1 << 20;  // of a picture; a damaged record must not ask for more

}  // namespace

std::string shorten_runs(std::string_view cells) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    while (end < cells.size() && cells[end] == cells[begin]) ++end;
    text += cells[begin];
    std::size_t more = end - begin - 1;
    for (; more > alphabet; more -= std::min(alphabet, more / alphabet) * alphabet) {
      text += static_cast<char>('A' + std::min(alphabet, more / alphabet) - 1);
    }
    if (more > 0) text += static_cast<char>('a' + more - 1);
  }
  return text;
}

std::string expand_runs(std::string_view runs) {
  std::string cells;
  for (const char c : runs) {
    std::size_t more = 0;
    if (c >= 'a' && c <= 'z')
      more = static_cast<std::size_t>(c - 'a') + 1;
    else if (c >= 'A' && c <= 'Z')
      more = alphabet * (static_cast<std::size_t>(c - 'A') + 1);
    else
      cells += c;
    if (more != 0 && (cells.empty() || cells.size() + more > most_cells)) return {};
    if (more != 0) cells.append(more, cells.back());
  }
  return cells;
}

}  // namespace spress::reports
