#include "pipeline/ranks/run_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "tests/scratch_folder.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

class RunFileTest : public testing::Test {
 protected:
  /// Rank k of three, of which the first two share a machine.
  static RankPlace place(int rank) { return {rank, 3, rank < 2 ? 0 : 2, rank < 2 ? 2 : 1}; }

  RunFile leader() {
    auto file = RunFile::create(folder_, place(0));
    EXPECT_TRUE(file.ok()) << file.error().text();
    return std::move(file).value();
  }
  RunFile follower(int rank) {
    auto file = RunFile::open(folder_, place(rank));
    EXPECT_TRUE(file.ok()) << file.error().text();
    return std::move(file).value();
  }

  tests::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path() / "out";
};

TEST_F(RunFileTest, EveryPlaceIsDrawnOnce) {
  RunFile first = leader(), second = follower(1), third = follower(2);
  std::set<std::uint64_t> drawn;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (RunFile* file : {&first, &second, &third})
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&, file] {
        for (int i = 0; i < 50; ++i) {
          const auto place = file->draw();
          const std::lock_guard hold(mutex);
          EXPECT_TRUE(place.ok() && drawn.insert(*place).second);
        }
      });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(drawn.size(), 300u);
  EXPECT_EQ(*drawn.rbegin(), 299u);
}

TEST_F(RunFileTest, TalliesAddUp) {
  RunFile first = leader(), second = follower(1), third = follower(2);
  Tally done;
  done.done = 2, done.input_bytes = 10, done.worked = 5;
  EXPECT_EQ(first.add(done)->done, 2u);
  done.failed = 1;
  EXPECT_EQ(third.add(done)->items(), 5u);
  const auto all = second.tally();
  EXPECT_EQ(all->done, 4u);
  EXPECT_EQ(all->failed, 1u);
  EXPECT_EQ(all->input_bytes, 20u);
  EXPECT_EQ(all->worked, 10u);
  EXPECT_EQ(second.items_of_ranks().value(), (std::vector<std::uint64_t>{2, 0, 3}));
}

TEST_F(RunFileTest, MemoryIsThatOfAMachine) {
  RunFile first = leader(), third = follower(2);
  std::optional<RunFile> second = follower(1);
  EXPECT_TRUE(*first.admit(60, 100));
  EXPECT_FALSE(*second->admit(50, 100));  // beside 60 of its neighbour
  EXPECT_TRUE(*second->admit(40, 100));
  EXPECT_TRUE(*third.admit(90, 100));  // on another machine
  first.correct(std::uint64_t{0} - 60);
  EXPECT_FALSE(*first.admit(70, 100));
  second.reset();  // what an ended rank used is free
  EXPECT_TRUE(*first.admit(70, 100));
  EXPECT_FALSE(*first.admit(200, 100));
  first.correct(std::uint64_t{0} - 70);
  EXPECT_TRUE(*first.admit(200, 100));  // alone, whatever the limit
}

TEST_F(RunFileTest, TellsWhoIsAtWork) {
  std::optional<RunFile> first = leader(), second = follower(1);
  EXPECT_TRUE(first->others_at_work());
  EXPECT_TRUE(second->check_leader().ok());
  EXPECT_TRUE(RunFile::is_in_use(folder_));
  const auto other = RunFile::create(folder_, place(0));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::usage);
  EXPECT_NE(other.error().message.find("another run are writing"), std::string::npos) << other.error().message;
  first.reset();
  EXPECT_EQ(second->check_leader().error().code, ErrorCode::truncated);
  EXPECT_EQ(RunFile::create(folder_, place(0)).error().code, ErrorCode::usage);  // the other still works
  RunFile::remove_left(folder_);
  EXPECT_TRUE(fs::exists(folder_ / ".spress.ranks"));
  second.reset();
  EXPECT_FALSE(RunFile::is_in_use(folder_));
  RunFile::remove_left(folder_);
  EXPECT_FALSE(fs::exists(folder_ / ".spress.ranks"));
}

TEST_F(RunFileTest, TheLeaderRemovesItAsTheLast) {
  { RunFile first = leader(); }
  EXPECT_FALSE(fs::exists(folder_ / ".spress.ranks"));
}

TEST_F(RunFileTest, LeavesSomebodyElsesFileAlone) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / ".spress.ranks") << "my own notes";
  const auto refused = RunFile::create(folder_, place(0));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  RunFile::remove_left(folder_);
  EXPECT_EQ(fs::file_size(folder_ / ".spress.ranks"), 12u);
}

TEST_F(RunFileTest, FollowersNeedTheLeadersFolder) {
  EXPECT_EQ(RunFile::open(folder_, place(1)).error().code, ErrorCode::unwritable);
}

}  // namespace
}  // namespace spress::pipeline
