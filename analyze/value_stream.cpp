#include "analyze/value_stream.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "analyze/value_summary.hpp"
#include "formats/core/threads.hpp"
#include "formats/values/distinct.hpp"

namespace spress::analyze {
namespace {

constexpr std::size_t spilled_at_once = 256;                      // values of a part that a thread gathers
constexpr std::size_t most_in_part_table = std::size_t{1} << 18;  // distinct values that are counted at once

/// Keeps the first error of several threads.
class FirstError {
 public:
  void note(Status status) {
    if (status.ok()) return;
    const std::lock_guard hold(mutex_);
    if (!error_) error_ = std::move(status).error();
    failed_ = true;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] Status take() {
    if (error_) return std::move(*error_);
    return Ok{};
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
  std::optional<Error> error_;
};

}  // namespace

class ValueStream::Counter {
 public:
  virtual ~Counter() = default;
  virtual Status add(const ValueStore<Viewed>& raw, int threads) = 0;
  virtual Result<ValueStatistics> statistics(std::uint64_t count, int threads) = 0;
};

template <class Bits>
class ValueStream::CounterOf final : public Counter {
 public:
  CounterOf(ValueSpill& spill, std::size_t most_kept)
      : spill_(spill), part_bits_(std::countr_zero(spill.parts())), most_kept_(most_kept) {}

  Status add(const ValueStore<Viewed>& raw, int threads) override {
    const Bits* keys = static_cast<const Bits*>(raw.codes.raw());
    std::uint64_t n = raw.count;
    if (!full_) {
      const std::uint64_t counted = fill_table(keys, n, threads);
      keys += counted;
      n -= counted;
    }
    if (n != 0) SPRESS_CHECK(count_or_spill(keys, n, threads));
    return Ok{};
  }

  Result<ValueStatistics> statistics(std::uint64_t count, int threads) override {
    Summary all;
    table_.for_each([&](const Bits& key, std::uint64_t before) {
      std::uint64_t total = before;
      for (const Worker& worker : workers_) total += worker.counts.count(key) - before;
      all.add(key, total);
    });
    for (Worker& worker : workers_)
      for (std::size_t part = 0; part < worker.waiting.size(); ++part) SPRESS_CHECK(spill(worker.waiting[part], part));
    workers_.clear();
    SPRESS_CHECK(count_parts(threads, all));
    return std::move(all).of(count);
  }

 private:
  using Summary = SummaryOf<Bits>;
  struct Worker {
    CountTable<Bits> counts;                 // of the keys of the full table, and begins as that
    std::vector<std::vector<Bits>> waiting;  // by part
  };

  /// Counts keys until the table is full. Returns how many.
  std::uint64_t fill_table(const Bits* keys, std::uint64_t n, int threads) {
    if (const auto counted = count_distinct(keys, n, most_kept_, threads)) {
      counted->for_each([&](const Bits& key, std::uint64_t count) { table_.add(key, count); });
      full_ = table_.size() > most_kept_;
      return n;
    }
    std::uint64_t i = 0;
    while (i < n && table_.size() <= most_kept_) table_.add(keys[i++]);
    full_ = table_.size() > most_kept_;
    return i;
  }

  /// Counts the keys of the table, each thread for itself, and sets the others aside.
  Status count_or_spill(const Bits* keys, std::uint64_t n, int threads) {
    const int team = threads_worth(threads, n);
    while (workers_.size() < static_cast<std::size_t>(team))
      workers_.push_back({table_, std::vector<std::vector<Bits>>(spill_.parts())});
    const auto cuts = static_cast<std::uint64_t>(team);
    FirstError errors;
    run_on_threads(team, [&](int t) {
      const auto cut = static_cast<std::uint64_t>(t);
      Worker& mine = workers_[cut];
      for (std::uint64_t k = n / cuts * cut, end = cut + 1 == cuts ? n : n / cuts * (cut + 1); k < end; ++k) {
        const Bits& key = keys[k];
        if (mine.counts.count(key) != 0) {
          mine.counts.add(key);
          continue;
        }
        const std::size_t part = part_of(hash_bits(key));
        std::vector<Bits>& waiting = mine.waiting[part];
        waiting.push_back(key);
        if (waiting.size() < spilled_at_once) continue;
        errors.note(spill(waiting, part));
        if (errors.failed()) return;
      }
    });
    return errors.take();
  }

  Status spill(std::vector<Bits>& waiting, std::size_t part) {
    if (waiting.empty()) return Ok{};
    const std::lock_guard hold(spilling_);
    SPRESS_CHECK(
        spill_.put(part, reinterpret_cast<const std::uint8_t*>(waiting.data()), waiting.size() * sizeof(Bits)));
    waiting.clear();
    return Ok{};
  }

  [[nodiscard]] std::size_t part_of(std::uint64_t hash) const {
    return part_bits_ == 0 ? 0 : static_cast<std::size_t>(hash >> (64 - part_bits_));
  }

  Status count_parts(int threads, Summary& all) {
    if (!full_) return Ok{};
    const int team =
        static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(thread_count(threads)), spill_.parts()));
    std::vector<Summary> summaries(static_cast<std::size_t>(team));
    std::vector<CountTable<Bits>> tables(static_cast<std::size_t>(team));
    FirstError errors;
    parallel_for_dynamic(spill_.parts(), team, [&](std::uint64_t part, std::size_t t) {
      if (!errors.failed()) errors.note(count_part(part, 0, 0, tables[t], summaries[t]));
    });
    for (const Summary& summary : summaries) all.add(summary);
    return errors.take();
  }

  /// Counts the keys of a part whose next `bits` bits of the hash are `prefix`; halves them where they are too many.
  Status count_part(std::size_t part, int bits, std::uint64_t prefix, CountTable<Bits>& table, Summary& summary) {
    const auto belongs = [&](const Bits& key) {
      return bits == 0 || (hash_bits(key) << part_bits_) >> (64 - bits) == prefix;
    };
    const bool may_be_halved = part_bits_ + bits < 32;  // the table itself takes the lower bits
    bool too_many = false;
    table.clear();
    SPRESS_CHECK(spill_.for_each_piece(part, [&](const std::uint8_t* bytes, std::size_t n) {
      if (too_many) return;
      for (const std::uint8_t* at = bytes; at != bytes + n; at += sizeof(Bits)) {
        Bits key;
        std::memcpy(&key, at, sizeof key);
        if (belongs(key)) table.add(key);
      }
      too_many = may_be_halved && table.size() > most_in_part_table;
    }));
    if (!too_many) {
      table.for_each([&](const Bits& key, std::uint64_t count) { summary.add(key, count); });
      return Ok{};
    }
    SPRESS_CHECK(count_part(part, bits + 1, 2 * prefix, table, summary));
    return count_part(part, bits + 1, 2 * prefix + 1, table, summary);
  }

  ValueSpill& spill_;
  int part_bits_;
  std::size_t most_kept_;
  bool full_ = false;
  CountTable<Bits> table_;  // once full, its keys stay, and workers count them
  std::vector<Worker> workers_;
  std::mutex spilling_;
};

ValueStream::ValueStream(ValueType type, ValueSpill& spill, std::size_t most_kept) {
  switch (type) {
    case ValueType::none: break;
    case ValueType::f32: counter_ = std::make_unique<CounterOf<std::uint32_t>>(spill, most_kept); break;
    case ValueType::f64: counter_ = std::make_unique<CounterOf<std::uint64_t>>(spill, most_kept); break;
    case ValueType::c128: counter_ = std::make_unique<CounterOf<Bytes16>>(spill, most_kept); break;
  }
}

ValueStream::~ValueStream() = default;

Status ValueStream::add(const ValueStore<Viewed>& raw, int threads) {
  count_ += raw.count;
  return counter_ == nullptr || raw.count == 0 ? Status(Ok{}) : counter_->add(raw, threads);
}

Result<ValueStatistics> ValueStream::statistics(int threads) {
  if (counter_ != nullptr && count_ != 0) return counter_->statistics(count_, threads);
  ValueStatistics nothing;
  nothing.count = count_;
  return nothing;
}

}  // namespace spress::analyze
