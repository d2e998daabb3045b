#include "formats/core/names.hpp"

#include <algorithm>
#include <numeric>

namespace spress {
namespace {

constexpr std::size_t longest_name = 64;  // longer words are no misspelt names

char small(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

std::string small(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char letter) { return small(letter); });
  return out;
}

/// Letters to insert, delete or replace, and neighbours to exchange, none of them twice.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

}  // namespace

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& choices) {
  if (name.size() < 2 || name.size() > longest_name) return {};
  const std::string typed = small(name);
  std::size_t least = (typed.size() + 1) / 3;  // one error in three letters
  std::vector<std::string> out;
  for (const std::string& choice : choices) {
    const bool begins = typed.size() > 2 && choice.starts_with(typed);
    const std::size_t distance = begins ? 1 : edit_distance(typed, small(choice));
    if (distance > least) continue;
    if (distance < least) out.clear();
    least = distance;
    if (out.size() < 2) out.push_back(choice);
  }
  return out;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& choices, std::string_view prefix) {
  auto near = near_names(name, choices);
  for (std::string& proposal : near) proposal.insert(0, prefix);
  return near.empty() ? "" : "did you mean '" + joined(near, "' or '") + "'?";
}

std::string with_choices(std::string_view problem, std::string_view name, std::string_view lead,
                         const std::vector<std::string>& choices) {
  std::string out = std::string(problem) + "; ", list(lead);
  if (const std::string proposal = did_you_mean(name, choices); !proposal.empty()) {
    out += proposal + " ";
    if (!list.empty() && list[0] >= 'a' && list[0] <= 'z') list[0] = static_cast<char>(list[0] - 'a' + 'A');
  }
  return out + list + " " + joined(choices, ", ");
}

Result<std::vector<std::string>> parse_names(std::string_view what, const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    if (names.back().empty())
      return Error{ErrorCode::usage,
                   "the " + std::string(what) + " '" + text + "': expected names separated by commas"};
    begin = end + 1;
  }
  return names;
}

Error unknown_name(std::string_view what, std::string_view name, const std::vector<std::string>& choices) {
  const std::string kind(what);
  return {ErrorCode::usage,
          with_choices("unknown " + kind + " '" + std::string(name) + "'", name, "the " + kind + "s are", choices)};
}

}  // namespace spress
