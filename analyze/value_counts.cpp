#include "analyze/value_counts.hpp"

namespace spress::analyze {
namespace {

template <class Bits>
using Counted = std::pair<std::uint64_t, Bits>;  // how often, which

template <class Bits>
bool before(const Counted<Bits>& a, const Counted<Bits>& b) {
  return a.first != b.first ? a.first > b.first : a.second < b.second;
}

/// Keeps the first `limit` in the order of `before`, sorted.
template <class Bits>
void keep_first(std::vector<Counted<Bits>>& list, std::size_t limit) {
  const auto end = list.begin() + static_cast<std::ptrdiff_t>(std::min(limit, list.size()));
  std::partial_sort(list.begin(), end, list.end(), before<Bits>);
  list.erase(end, list.end());
}

}  // namespace

template <class Bits>
std::vector<Bits> most_frequent(const Bits* bits, std::uint64_t n, std::size_t limit, int threads) {
  using List = std::vector<Counted<Bits>>;
  auto list = count_values<List>(
      bits, n, threads,
      [&](List& mine, const CountTable<Bits>& counts) {
        counts.for_each([&](const Bits& key, std::uint64_t count) { mine.emplace_back(count, key); });
        keep_first(mine, limit);
      },
      [&](List& all, const List& mine) {
        all.insert(all.end(), mine.begin(), mine.end());
        keep_first(all, limit);
      });
  std::vector<Bits> keys(list.size());
  std::transform(list.begin(), list.end(), keys.begin(), [](const Counted<Bits>& counted) { return counted.second; });
  return keys;
}

template std::vector<std::uint32_t> most_frequent(const std::uint32_t*, std::uint64_t, std::size_t, int);
template std::vector<std::uint64_t> most_frequent(const std::uint64_t*, std::uint64_t, std::size_t, int);
template std::vector<Bytes16> most_frequent(const Bytes16*, std::uint64_t, std::size_t, int);

}  // namespace spress::analyze
