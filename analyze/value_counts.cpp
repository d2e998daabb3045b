#include "analyze/value_counts.hpp"

namespace spress::analyze {
namespace {

/// The `limit` first of the keys added, by falling count, ties by bit pattern.
template <class Bits>
class Ranking {
 public:
  explicit Ranking(std::size_t limit) : limit_(limit) {}

  [[nodiscard]] bool wants(const Bits& key, std::uint64_t bound) const {
    return !full_ || before({bound, key}, list_[limit_ - 1]);
  }
  void add(const Bits& key, std::uint64_t count) {
    if (!wants(key, count)) return;
    list_.emplace_back(count, key);
    if (list_.size() >= 2 * limit_) keep_first();
  }
  void add(const Ranking& other) {
    for (const auto& [count, key] : other.list_) add(key, count);
  }
  [[nodiscard]] std::vector<Bits> keys() && {
    keep_first();
    std::vector<Bits> keys(list_.size());
    std::transform(list_.begin(), list_.end(), keys.begin(), [](const Counted& counted) { return counted.second; });
    return keys;
  }

 private:
  using Counted = std::pair<std::uint64_t, Bits>;  // how often, which
  static bool before(const Counted& a, const Counted& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  }
  void keep_first() {
    const auto end = list_.begin() + static_cast<std::ptrdiff_t>(std::min(limit_, list_.size()));
    std::partial_sort(list_.begin(), end, list_.end(), before);
    list_.erase(end, list_.end());
    full_ = list_.size() == limit_;
  }

  std::size_t limit_;
  std::vector<Counted> list_;  // where full, the first `limit` are sorted
  bool full_ = false;          // what comes behind the first `limit` need not be kept
};

}  // namespace

template <class Bits>
std::vector<Bits> most_frequent(const Bits* bits, std::uint64_t n, std::size_t limit, int threads) {
  if (limit == 0) return {};
  return count_values(bits, n, threads, Ranking<Bits>(limit)).keys();
}

template std::vector<std::uint32_t> most_frequent(const std::uint32_t*, std::uint64_t, std::size_t, int);
template std::vector<std::uint64_t> most_frequent(const std::uint64_t*, std::uint64_t, std::size_t, int);
template std::vector<Bytes16> most_frequent(const Bytes16*, std::uint64_t, std::size_t, int);

}  // namespace spress::analyze
