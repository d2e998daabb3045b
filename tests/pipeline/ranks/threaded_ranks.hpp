// Ranks that are threads of the test: what MPI does, done in memory.
#pragma once

#include <gtest/gtest.h>

#include <barrier>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/ranks/ranks.hpp"

namespace spress::tests {

class ThreadedRanks {
 public:
  /// Calls work(ranks) on so many threads.
  static void run(int size, const std::function<void(const pipeline::Ranks&)>& work) {
    state = std::make_unique<State>(size);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([rank, &work] {
        own_rank = rank;
        const auto ranks = pipeline::Ranks::join(functions);
        work(ranks);
      });
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(state->mail_is_read()) << "messages that nobody received";
    state.reset();
  }

 private:
  using Bytes = std::vector<char>;

  struct State {
    explicit State(int ranks) : size(ranks), barrier(ranks), shown(static_cast<std::size_t>(ranks)) {}

    int size;
    std::barrier<> barrier;
    std::vector<Bytes> shown;
    std::mutex mutex;
    std::condition_variable arrived;
    std::map<std::pair<int, int>, std::deque<Bytes>> mail;  ///< from, to

    [[nodiscard]] bool mail_is_read() const {
      for (const auto& [way, letters] : mail)
        if (!letters.empty()) return false;
      return true;
    }
  };

  static std::size_t place(int rank) { return static_cast<std::size_t>(rank); }

  static void gather(const void* mine, std::uint64_t count, void* all) {
    State& s = *state;
    s.shown[place(own_rank)].assign(static_cast<const char*>(mine), static_cast<const char*>(mine) + count);
    s.barrier.arrive_and_wait();
    for (int rank = 0; rank < s.size; ++rank) {
      EXPECT_EQ(s.shown[place(rank)].size(), count)
          << "ranks " << own_rank << " and " << rank << " gather other things";
      std::memcpy(static_cast<char*>(all) + place(rank) * count, s.shown[place(rank)].data(), count);
    }
    s.barrier.arrive_and_wait();
  }

  static void broadcast(void* bytes, std::uint64_t count) {
    std::vector<char> all(count * place(state->size));
    gather(bytes, count, all.data());
    std::memcpy(bytes, all.data(), count);
  }

  static void post(const pipeline::RankMessage* received, int receives, const pipeline::RankMessage* sent, int sends) {
    State& s = *state;
    const std::lock_guard lock(s.mutex);
    for (int i = 0; i < sends; ++i) {
      const auto* bytes = static_cast<const char*>(sent[i].bytes);
      s.mail[{own_rank, sent[i].rank}].emplace_back(bytes, bytes + sent[i].count);
    }
    expected.insert(expected.end(), received, received + receives);
    s.arrived.notify_all();
  }

  static void wait() {
    State& s = *state;
    std::unique_lock lock(s.mutex);
    for (const auto& message : expected) {
      auto& letters = s.mail[{message.rank, own_rank}];
      s.arrived.wait(lock, [&] { return !letters.empty(); });
      EXPECT_EQ(letters.front().size(), message.count);
      std::memcpy(message.bytes, letters.front().data(), message.count);
      letters.pop_front();
    }
    expected.clear();
  }

  static inline std::unique_ptr<State> state;
  static inline thread_local int own_rank = 0;
  static inline thread_local std::vector<pipeline::RankMessage> expected;

  static constexpr pipeline::MpiFunctions functions = {
      .version = pipeline::MpiFunctions::this_version,
      .start = [] {},
      .rank = [] { return own_rank; },
      .size = [] { return state->size; },
      .node = [] { return 0; },
      .node_size = [] { return state->size; },
      .broadcast = broadcast,
      .gather = gather,
      .post = post,
      .wait = wait,
      .abort = [](int) { std::abort(); },
      .end = [] {},
  };
};

}  // namespace spress::tests
