#include "formats/io/foreign/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace spress::io {
namespace {

constexpr ChildLimits usual = {std::uint64_t{256} << 20, std::uint64_t{64} << 20, 20};

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

Status hand_over(ChildOutput& to, const std::string& text) {
  SPRESS_TRY(const std::uint64_t offset, to.append(text.data(), text.size()));
  if (offset % 16 != 0) std::abort();
  return Ok{};
}

std::string text_of(const ChildBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()};
}

TEST(ChildProcess, HandsItsBytesOver) {
  const auto bytes = run_in_child(usual, [](ChildOutput& to) { return hand_over(to, "some bytes"); });
  ASSERT_TRUE(bytes.ok()) << bytes.error().text();
  EXPECT_EQ(text_of(*bytes), "some bytes");
}

TEST(ChildProcess, HandsOverNothing) {
  const auto bytes = run_in_child(usual, [](ChildOutput&) -> Status { return Ok{}; });
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(bytes->bytes().empty());
}

TEST(ChildProcess, GivesTheErrorOfItsWork) {
  const std::string message(3000, 'x');
  const auto bytes = run_in_child(usual, [&](ChildOutput&) -> Status {
    return Error{ErrorCode::out_of_range, message};
  });
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::out_of_range);
  EXPECT_EQ(bytes.error().message, message.substr(0, 2000));
}

TEST(ChildProcess, SeesMemoryButDoesNotChangeIt) {
  int mine = 1;
  const auto bytes = run_in_child(usual, [&](ChildOutput& to) {
    mine += 1;
    return hand_over(to, std::to_string(mine));
  });
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(text_of(*bytes), "2");
  EXPECT_EQ(mine, 1);
}

/// The error of work that ends the child, and that it leaves neither a process nor an open file.
Error bad_end(const ChildLimits& limits, const ChildWork& work) {
  const std::size_t files = open_files();
  const auto bytes = run_in_child(limits, work);
  EXPECT_FALSE(bytes.ok());
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  return bytes.ok() ? Error{} : bytes.error();
}

TEST(ChildProcess, CrashIsDamage) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    const Error error = bad_end(usual, [&](ChildOutput&) -> Status {
      ::raise(signal);
      return Ok{};
    });
    EXPECT_EQ(error.code, ErrorCode::damaged);
    EXPECT_NE(error.message.find("SIG"), std::string::npos) << error.message;
  }
}

TEST(ChildProcess, ExitIsDamage) {
  const Error error = bad_end(usual, [](ChildOutput&) -> Status { ::_exit(3); });
  EXPECT_EQ(error.code, ErrorCode::damaged);
  EXPECT_NE(error.message.find("ended with code 3"), std::string::npos) << error.message;
}

TEST(ChildProcess, BytesOfACrashedChildAreDropped) {
  const Error error = bad_end(usual, [](ChildOutput& to) -> Status {
    SPRESS_CHECK(hand_over(to, "half"));
    std::abort();
  });
  EXPECT_EQ(error.code, ErrorCode::damaged);
}

TEST(ChildProcess, EndlessLoopIsEnded) {
  const Error error = bad_end({usual.memory_bytes, usual.output_bytes, 1}, [](ChildOutput&) -> Status {
    volatile bool always = true;
    while (always) {
    }
    return Ok{};
  });
  EXPECT_EQ(error.code, ErrorCode::too_large);
  EXPECT_NE(error.message.find("1 s of processor time"), std::string::npos) << error.message;
}

/// Memory from the system, not from malloc, which a sanitizer replaces.
TEST(ChildProcess, EndlessHungerIsEnded) {
  const Error error = bad_end(usual, [](ChildOutput&) -> Status {
    constexpr std::size_t much = std::size_t{16} << 20;
    for (std::uint64_t all = 0;; all += much) {
      if (all > 2 * usual.memory_bytes) return Ok{};  // no limit holds: the test fails
      if (::mmap(nullptr, much, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
        throw std::bad_alloc();
    }
  });
  EXPECT_EQ(error.code, ErrorCode::too_large);
}

TEST(ChildProcess, OutputHasALimit) {
  const Error error = bad_end(usual, [](ChildOutput& to) -> Status {
    const std::string text(1 << 20, 'x');
    for (;;) SPRESS_CHECK(to.extend(text.data(), text.size()));
  });
  EXPECT_EQ(error.code, ErrorCode::too_large);
}

TEST(ChildProcess, TheLimitOnFileSizesIsNamed) {
  rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  for (const rlim_t most : {1000, 5000}) {
    const rlimit low = {most, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &low);
    const auto bytes = run_in_child(usual, [](ChildOutput& to) { return hand_over(to, std::string(9000, 'x')); });
    ::setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.error().code, ErrorCode::too_large);
    EXPECT_NE(bytes.error().message.find("ulimit -f"), std::string::npos) << bytes.error().message;
  }
}

TEST(ChildProcess, WorksWhereTheProgramIgnoresItsChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto good = run_in_child(usual, [](ChildOutput& to) { return hand_over(to, "good"); });
  const auto bad = run_in_child(usual, [](ChildOutput&) -> Status { std::abort(); });
  std::signal(SIGCHLD, before);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(text_of(*good), "good");
  EXPECT_FALSE(bad.ok());
}

/// As `analyze --jobs 4` calls it. Other threads allocate meanwhile, so that their locks are taken when it forks.
TEST(ChildProcess, WorksOnSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t t = 0; t < good.size(); ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 8; ++k) {
        const std::string text(1000 * t + static_cast<std::size_t>(k), static_cast<char>('a' + t));
        const auto bytes = run_in_child(usual, [&](ChildOutput& to) { return hand_over(to, std::string(text)); });
        good[t] += bytes.ok() && text_of(*bytes) == text ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 8));
}

}  // namespace
}  // namespace spress::io
