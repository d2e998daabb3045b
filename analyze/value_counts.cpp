#include "analyze/value_counts.hpp"

#include <omp.h>

#include <utility>

namespace spress::analyze {
namespace {

template <class Key>
using Counted = std::pair<std::uint64_t, Key>;  // how often, which

template <class Key>
bool before(const Counted<Key>& a, const Counted<Key>& b) {
  return a.first != b.first ? a.first > b.first : a.second < b.second;
}

/// Keeps the first `limit` in the order of `before`, sorted.
template <class Key>
void keep_first(std::vector<Counted<Key>>& list, std::size_t limit) {
  const auto end = list.begin() + static_cast<std::ptrdiff_t>(std::min(limit, list.size()));
  std::partial_sort(list.begin(), end, list.end(), before<Key>);
  list.erase(end, list.end());
}

}  // namespace

template <class Key>
std::vector<Key> most_frequent(const Key* bits, std::uint64_t n, std::size_t limit, int threads) {
  std::vector<Counted<Key>> list;
  count_values(
      bits, n, threads > 0 ? threads : omp_get_max_threads(),
      [&](const Counter<Key>& counter) {
        std::vector<Counted<Key>> part;
        counter.for_each([&](const Key& key, std::uint64_t count) { part.emplace_back(count, key); });
        keep_first(part, limit);
        return part;
      },
      [&](std::vector<Counted<Key>> part) { list.insert(list.end(), part.begin(), part.end()); });
  keep_first(list, limit);
  std::vector<Key> keys(list.size());
  std::transform(list.begin(), list.end(), keys.begin(), [](const Counted<Key>& counted) { return counted.second; });
  return keys;
}

template std::vector<std::uint32_t> most_frequent(const std::uint32_t*, std::uint64_t, std::size_t, int);
template std::vector<std::uint64_t> most_frequent(const std::uint64_t*, std::uint64_t, std::size_t, int);
template std::vector<Bytes16> most_frequent(const Bytes16*, std::uint64_t, std::size_t, int);

}  // namespace spress::analyze
