#include "formats/core/control_group.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "formats/core/memory.hpp"
#include "tests/scratch_folder.hpp"

namespace spress {
namespace {

/// A system with files of its own instead of /proc and /sys.
class ControlGroup : public tests::InScratchFolder<> {
 protected:
  void put(const std::string& name, const std::string& text) {
    const std::filesystem::path file = folder / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] std::string root() const { return folder.string(); }
  [[nodiscard]] std::optional<std::uint64_t> memory() const { return memory_of_group(root()); }
  [[nodiscard]] std::optional<int> processors() const { return processors_of_group(root()); }
};

TEST_F(ControlGroup, IsNoneWithoutFilesOrLimits) {
  EXPECT_EQ(memory(), std::nullopt);
  EXPECT_EQ(processors(), std::nullopt);
  put("proc/self/cgroup", "0::/user.slice\n");
  put("sys/fs/cgroup/user.slice/memory.max", "max\n");
  put("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(memory(), std::nullopt);
  EXPECT_EQ(processors(), std::nullopt);
}

TEST_F(ControlGroup, TakesTheTightestOfAllAbove) {
  put("proc/self/cgroup", "0::/batch/job 7/step\n");
  put("sys/fs/cgroup/batch/memory.max", "4000\n");
  put("sys/fs/cgroup/batch/memory.current", "3500\n");
  put("sys/fs/cgroup/batch/job 7/step/memory.max", "2000\n");
  put("sys/fs/cgroup/batch/job 7/step/memory.current", "100\n");
  EXPECT_EQ(memory(), 500u);
  put("sys/fs/cgroup/batch/memory.current", "5000\n");
  EXPECT_EQ(memory(), 0u);
  put("sys/fs/cgroup/cpu.max", "400000 100000\n");
  put("sys/fs/cgroup/batch/job 7/cpu.max", "250000 100000\n");
  EXPECT_EQ(processors(), 3);
}

TEST_F(ControlGroup, CountsContentsOfFilesAsFree) {
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/memory.max", "10000");
  put("sys/fs/cgroup/memory.current", "9000");
  put("sys/fs/cgroup/memory.stat", "anon 2000\nfile 7000\ninactive_file 4000\nactive_file 2500\n");
  EXPECT_EQ(memory(), 7500u);
  put("sys/fs/cgroup/memory.stat", "inactive_file 40000\n");
  EXPECT_EQ(memory(), 10000u);
}

TEST_F(ControlGroup, KnowsVersionOne) {
  put("proc/self/cgroup", "12:pids:/x\n5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "8192\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "4096\n");
  put("sys/fs/cgroup/memory/docker/abc/memory.stat", "inactive_file 1\ntotal_inactive_file 96\n");
  put("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "150000\n");
  put("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(memory(), 4192u);
  EXPECT_EQ(processors(), 2);
}

TEST_F(ControlGroup, IsTheRootOfWhatAContainerSees) {
  put("sys/fs/cgroup/memory.max", "1000\n");
  put("sys/fs/cgroup/memory.current", "1\n");
  for (const char* group :
       {"0::/../../other\n", "0::/gone/since\n", "0::\n", "0::here\n", "nonsense\n", "", ":\n", "::\n"}) {
    put("proc/self/cgroup", group);
    EXPECT_EQ(memory(), 999u) << group;
  }
}

TEST_F(ControlGroup, LowersTheMemoryOfTheMachine) {
  put("proc/meminfo", "MemTotal:       2000 kB\nMemAvailable:   1000 kB\n");
  EXPECT_EQ(available_memory(root()), 1024000u);
  put("sys/fs/cgroup/memory.max", "5000\n");
  put("sys/fs/cgroup/memory.current", "1000\n");
  EXPECT_EQ(available_memory(root()), 4000u);
  put("sys/fs/cgroup/memory.max", "5000000000\n");
  EXPECT_EQ(available_memory(root()), 1024000u);
}

}  // namespace
}  // namespace spress
