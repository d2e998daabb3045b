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
#include "pipeline/source.hpp"

namespace spress::pipeline {

struct Progress {
  std::size_t done = 0, failed = 0, total = 0;
  double seconds = 0;        ///< since the run began
  double seconds_left = -1;  ///< an estimate from the bytes done so far; negative while there is none
  std::string name;          ///< of the matrix just finished
};

/// Counts what is done of a run, and estimates what is left by the bytes of the items. Not for several threads.
class ProgressCount {
 public:
  explicit ProgressCount(std::size_t total) : total_(total), start_(Clock::now()) {}
  /// An item that is to be worked on.
  void expect(const Item& item) { bytes_left_ += weight(item), bytes_total_ += weight(item); }
  /// It is done.
  void work_done(const Item& item) { bytes_left_ -= weight(item); }
  /// One more, worked on or not, is done.
  [[nodiscard]] Progress count(const std::string& name, bool failed);
  [[nodiscard]] std::size_t failed() const { return failed_; }

 private:
  /// The bytes of an item and a constant for the fixed costs.
  [[nodiscard]] static std::uint64_t weight(const Item& item) { return item.size + 50'000; }

  std::size_t total_, done_ = 0, failed_ = 0;
  std::uint64_t bytes_left_ = 0, bytes_total_ = 0;
  Clock::time_point start_;
};

/// Lets matrices in while their expected memory fits together; one alone always fits.
class MemoryGate {
 public:
  explicit MemoryGate(std::uint64_t limit) : limit_(limit) {}
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
};

struct JobOptions {
  int jobs = 0;              ///< matrices at a time; 0: as many as processors
  int threads = 0;           ///< of each; 0: the processors that are its share
  std::uint64_t memory = 0;  ///< bytes that matrices in work may take together; 0: three quarters of what is free
};

/// Calls work(i, threads, memory) for each index in `waiting`, several at a time, those of large files first, so that
/// the last to finish is a small one. memory: begins as what expected_memory says of the item. After an error no other
/// item begins. Errors: the first that work returns or, as too_large, that memory ran out.
using Work = std::function<Status(std::size_t i, int threads, MemoryGate::Share& memory)>;
[[nodiscard]] Status work_through(const std::vector<Item>& items, std::vector<std::size_t> waiting,
                                  const JobOptions& options, const Work& work);

}  // namespace spress::pipeline
