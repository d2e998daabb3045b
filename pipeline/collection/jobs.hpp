// Several matrices in work at a time, within a limit of memory.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "formats/core/clock.hpp"
#include "formats/core/result.hpp"
#include "pipeline/collection/tally.hpp"
#include "pipeline/ranks/run_file.hpp"
#include "pipeline/source.hpp"

namespace spress::pipeline {

struct Progress {
  std::size_t done = 0, failed = 0, total = 0;
  double seconds = 0;        ///< since the run began
  double seconds_left = -1;  ///< an estimate from the bytes done so far; negative while there is none
  std::string name;          ///< of the matrix just finished
};

/// Estimates how long a run still takes, by the bytes of its items. Not for several threads.
class ProgressCount {
 public:
  explicit ProgressCount(std::size_t total) : total_(total), start_(Clock::now()) {}
  /// The bytes of an item and a constant for the fixed costs: Tally::worked once it is done.
  [[nodiscard]] static std::uint64_t weight(const Item& item) { return item.size + 50'000; }
  /// An item that is to be worked on.
  void expect(const Item& item) { expected_ += weight(item); }
  /// name: of the item just finished.
  [[nodiscard]] Progress progress(const Tally& tally, const std::string& name) const;

 private:
  std::size_t total_;
  std::uint64_t expected_ = 0;
  Clock::time_point start_;
};

/// Lets matrices in while their expected memory fits together; one alone always fits. shared: with it, the limit is
/// that of all ranks on this machine.
class MemoryGate {
 public:
  explicit MemoryGate(std::uint64_t limit, RunFile* shared = nullptr) : limit_(limit), shared_(shared) {}
  [[nodiscard]] std::uint64_t limit() const { return limit_; }

  /// A matrix's share of the memory, from the moment it may begin until it is done.
  class Share {
   public:
    Share(MemoryGate& gate, std::uint64_t expected);
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { correct(0); }
    /// Once more is known. Never waits: what is in work goes on, and others wait for it.
    void correct(std::uint64_t bytes);

   private:
    MemoryGate& gate_;
    std::uint64_t bytes_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t limit_, used_ = 0;
  RunFile* shared_;
};

struct JobOptions {
  int jobs = 0;               ///< matrices at a time; 0: as many as processors
  int threads = 0;            ///< of each; 0: the processors that are its share
  std::uint64_t memory = 0;   ///< bytes that matrices in work may take together; 0: three quarters of what is free
  RunFile* shared = nullptr;  ///< what ranks share: their queue, and the memory of each machine
  std::uint64_t memory_of_each = 0;  ///< that an item takes; 0: as its size lets expect
  int ranks_here = 1;                ///< ranks that share this machine's processors, and without a RunFile its memory
};

/// Calls work(i, threads, memory) for each index in `waiting`, several at a time, those of large files first, so that
/// the last to finish is a small one. Ranks that share a queue call it with the same waiting items, and each works on
/// those that it draws. memory: begins as what is expected of the item. After an error no other
/// item begins. Errors: the first that work returns or, as too_large, that memory ran out.
using Work = std::function<Status(std::size_t i, int threads, MemoryGate::Share& memory)>;
[[nodiscard]] Status work_through(const std::vector<Item>& items, std::vector<std::size_t> waiting,
                                  const JobOptions& options, const Work& work);

}  // namespace spress::pipeline
