#include "pipeline/collection/jobs.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "formats/core/memory.hpp"
#include "formats/core/threads.hpp"

namespace spress::pipeline {
namespace {

/// What the jobs of one call share.
class Jobs {
 public:
  Jobs(const std::vector<Item>& items, const std::vector<std::size_t>& waiting, std::uint64_t memory,
       const JobOptions& options, const Work& work)
      : items_(items),
        waiting_(waiting),
        memory_of_each_(options.memory_of_each),
        gate_(memory, options.shared),
        shared_(options.shared),
        work_(work) {}

  /// One job: item after item. Nothing may be thrown out of a thread of a team; the message of ended memory was made
  /// before.
  void serve(int threads) noexcept {
    try {
      omp_set_num_threads(threads);  // of this thread: what it calls shares the machine with the other jobs
      for (std::size_t next = draw(); next < waiting_.size() && !stopped_; next = draw()) {
        const std::size_t i = waiting_[next];
        const std::uint64_t expected = memory_of_each_ != 0 ? memory_of_each_ : expected_memory(items_[i]);
        MemoryGate::Share memory(gate_, std::min(expected, gate_.limit()));
        if (Status done = work_(i, threads, memory); !done.ok()) stop(std::move(done).error());
      }
    } catch (const std::exception&) {
      stop_for_memory();
    }
  }

  [[nodiscard]] Status end() {
    if (failure_) return std::move(*failure_);
    return Ok{};
  }

 private:
  /// The place of the next item among those that wait; behind them after an error.
  std::size_t draw() {
    if (shared_ == nullptr) return next_++;
    auto place = shared_->draw();
    if (place.ok()) return *place;
    stop(std::move(place).error());
    return waiting_.size();
  }
  void stop_for_memory() noexcept {
    std::lock_guard hold(mutex_);
    if (!failure_) failure_ = std::move(out_of_memory_);
    stopped_ = true;
  }
  void stop(Error error) {
    std::lock_guard hold(mutex_);
    if (!failure_) failure_ = std::move(error);
    stopped_ = true;
  }

  const std::vector<Item>& items_;
  const std::vector<std::size_t>& waiting_;
  std::uint64_t memory_of_each_;
  MemoryGate gate_;
  RunFile* shared_;
  const Work& work_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // guards the failure
  std::optional<Error> failure_;
  Error out_of_memory_ = {ErrorCode::too_large, "not enough memory to go on; fewer --jobs take less"};
};

}  // namespace

Progress ProgressCount::progress(const Tally& tally, const std::string& name) const {
  Progress p{tally.items(), tally.failed, total_, seconds_since(start_), -1, name};
  if (tally.worked != 0)
    p.seconds_left = p.seconds * static_cast<double>(expected_ - tally.worked) / static_cast<double>(tally.worked);
  return p;
}

MemoryGate::Share::Share(MemoryGate& gate, std::uint64_t expected) : gate_(gate), bytes_(expected) {
  {
    std::unique_lock hold(gate_.mutex_);
    gate_.changed_.wait(hold, [&] { return gate_.used_ == 0 || gate_.used_ + bytes_ <= gate_.limit_; });
    gate_.used_ += bytes_;
  }
  if (gate_.shared_ == nullptr) return;
  // Nobody wakes a process of the machine. A file that fails does so at the next draw, where it is an error.
  for (auto admitted = gate_.shared_->admit(bytes_, gate_.limit_); admitted.ok() && !*admitted;
       admitted = gate_.shared_->admit(bytes_, gate_.limit_))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void MemoryGate::Share::correct(std::uint64_t bytes) {
  if (gate_.shared_ != nullptr) gate_.shared_->correct(bytes - bytes_);
  {
    std::lock_guard hold(gate_.mutex_);
    gate_.used_ += bytes - bytes_;
    bytes_ = bytes;
  }
  gate_.changed_.notify_all();
}

namespace {

/// The limit of the memory that this process counts, or of all on its machine where they count together.
std::uint64_t memory_limit(const JobOptions& options) {
  const std::uint64_t all = options.memory != 0 ? options.memory : available_memory() / 4 * 3;
  return options.shared != nullptr ? all
                                   : std::max<std::uint64_t>(1, all / static_cast<std::uint64_t>(options.ranks_here));
}

}  // namespace

Status work_through(const std::vector<Item>& items, std::vector<std::size_t> waiting, const JobOptions& options,
                    const Work& work) {
  std::stable_sort(waiting.begin(), waiting.end(),
                   [&](std::size_t a, std::size_t b) { return items[a].size > items[b].size; });
  const auto processors = static_cast<std::size_t>(processors_of_rank(options.ranks_here));
  const std::size_t wanted = options.jobs > 0 ? static_cast<std::size_t>(options.jobs) : processors;
  const std::size_t jobs = std::clamp<std::size_t>(waiting.size(), 1, wanted);
  const int threads =
      options.threads != 0 ? options.threads : static_cast<int>(std::max<std::size_t>(1, processors / jobs));
  Jobs all(items, waiting, memory_limit(options), options, work);
  if (jobs == 1) {
    const int before = omp_get_max_threads();
    all.serve(threads);
    omp_set_num_threads(before);
    return all.end();
  }
  // OpenMP's threads, so that its settings (OMP_PROC_BIND) hold for the jobs as for what each job starts in turn.
  const NestedRegions nested(2);
#pragma omp parallel num_threads(static_cast <int>(jobs))
  all.serve(threads);
  return all.end();
}

}  // namespace spress::pipeline
