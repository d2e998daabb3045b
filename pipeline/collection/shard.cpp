#include "pipeline/collection/shard.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

namespace spress::pipeline {
namespace {

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  const std::string_view view = text;
  const auto slash = std::min(view.find('/'), view.size());
  const auto behind = std::min(slash + 1, view.size());
  Shard shard;
  const bool numbers = read_number(view.substr(0, slash), shard.number) && read_number(view.substr(behind), shard.of);
  if (numbers && shard.number >= 1 && shard.number <= shard.of) return shard;
  return Error{ErrorCode::usage,
               "'" + text + "': expected I/N with I from 1 to N, as 1/4 for the first of four shards"};
}

std::vector<Item> items_of(const Shard& shard, std::vector<Item> items) {
  std::vector<std::size_t> sorted(items.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(),
            [&](std::size_t a, std::size_t b) { return items[a].input < items[b].input; });
  std::vector<std::size_t> mine;
  for (std::size_t position = 0; position < sorted.size(); ++position)
    if (position % shard.of == shard.number - 1) mine.push_back(sorted[position]);
  std::sort(mine.begin(), mine.end());
  std::vector<Item> out;
  for (const std::size_t i : mine) out.push_back(std::move(items[i]));
  return out;
}

}  // namespace spress::pipeline
