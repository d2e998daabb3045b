#include "formats/io/bytes/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/scratch_folder.hpp"

namespace spress::io {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// By both kinds of temporary files.
class OutputFileTest : public tests::InScratchFolder<::testing::TestWithParam<TemporaryFile::Naming>> {
 protected:
  /// Names in the folder for each file in work.
  [[nodiscard]] static int each_unfinished() { return GetParam() == TemporaryFile::Naming::named ? 1 : 0; }
  [[nodiscard]] Status write_whole(const fs::path& path, const std::string& text) const {
    SPRESS_TRY(auto file, OutputFile::create(path, GetParam()));
    SPRESS_CHECK(file.write(text.data(), text.size()));
    return file.commit();
  }
  void expect_unwritable(const fs::path& path, const std::string& part) const {
    const auto status = write_whole(path, "text");
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_EQ(status.error().code, ErrorCode::unwritable);
    EXPECT_EQ(status.error().file, path.string());
    EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
  }
};

TEST_P(OutputFileTest, AppearsOnlyWhenCommitted) {
  const fs::path path = folder / "a.bin";
  auto file = OutputFile::create(path, GetParam());
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("hello ", 6).ok());
  ASSERT_TRUE(file->write("world", 5).ok());
  ASSERT_TRUE(file->write_at(0, "J", 1).ok());
  EXPECT_EQ(file->size(), 11u);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(files(), each_unfinished());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(contents(path), "Jello world");
  EXPECT_EQ(files(), 1);
}

TEST_P(OutputFileTest, LeavesNoTraceWhenNotCommitted) {
  const fs::path path = folder / "a.bin";
  put(path, "before");
  {
    auto file = OutputFile::create(path, GetParam());
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("after", 5).ok());
    EXPECT_EQ(files(), 1 + each_unfinished());
  }
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(contents(path), "before");
}

TEST_P(OutputFileTest, CanBeReadBeforeItIsCommitted) {
  {
    auto file = OutputFile::create(folder / "a", GetParam());
    ASSERT_TRUE(file.ok() && file->write("text", 4).ok());
    const auto written = file->open_written();
    ASSERT_TRUE(written.ok()) << written.error().text();
    EXPECT_EQ((*written)->size(), 4U);
    EXPECT_EQ((*written)->head(), "text");
    EXPECT_EQ(files(), each_unfinished());
  }
  EXPECT_EQ(files(), 0);
}

TEST_P(OutputFileTest, MovesKeepTheFileAndDropTheOther) {
  auto first = OutputFile::create(folder / "first", GetParam());
  auto second = OutputFile::create(folder / "second", GetParam());
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(second->write("2", 1).ok());
  *first = std::move(*second);
  EXPECT_EQ(files(), each_unfinished()) << "the file moved over must be unlinked";
  OutputFile third = std::move(*first);
  EXPECT_EQ(third.size(), 1u);
  ASSERT_TRUE(third.commit().ok());
  EXPECT_EQ(contents(folder / "second"), "2");
}

TEST_P(OutputFileTest, ModeFollowsUmask) {
  const mode_t before = umask(027);
  ASSERT_TRUE(write_whole(folder / "a", "x").ok());
  umask(before);
  struct stat found = {};
  ASSERT_EQ(stat((folder / "a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777u, 0640u);
}

TEST_P(OutputFileTest, FollowsLinks) {
  put(folder / "real", "before");
  fs::create_symlink("real", folder / "link");
  fs::create_symlink("not there yet", folder / "dangling");
  fs::create_symlink("circle", folder / "circle");
  ASSERT_TRUE(write_whole(folder / "link", "after").ok());
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(contents(folder / "real"), "after");
  ASSERT_TRUE(write_whole(folder / "dangling", "new").ok());
  EXPECT_EQ(contents(folder / "not there yet"), "new");
  expect_unwritable(folder / "circle", "circle");
}

TEST_P(OutputFileTest, RefusesImpossibleTargets) {
  put(folder / "file", "x");
  fs::create_directory(folder / "sub");
  expect_unwritable(folder / "sub", "Is a directory; give a file name inside it");
  expect_unwritable(folder / "sub/", "Is a directory");
  expect_unwritable(folder / "new/", "Is a directory");
  expect_unwritable(folder / "missing" / "a", "No such file or directory; create its folder first");
  expect_unwritable(folder / "file" / "a", "Not a directory");
  expect_unwritable(folder / std::string(300, 'a'), "name");
  expect_unwritable("", "No such file");
  EXPECT_EQ(files(), 2);
}

TEST_P(OutputFileTest, RefusesReadOnlyFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  expect_unwritable(folder / "a", "Permission denied; choose a folder that you may write to");
}

TEST_P(OutputFileTest, LongNamesThatFitAreFine) {
  const fs::path path = folder / std::string(255, 'a');
  ASSERT_TRUE(write_whole(path, "x").ok());
  EXPECT_EQ(contents(path), "x");
}

TEST_P(OutputFileTest, FullDiskIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  expect_unwritable("/dev/full", "No space left on device; free some space");
}

TEST_P(OutputFileTest, DevicesArePassedThrough) {
  ASSERT_TRUE(write_whole("/dev/null", "x").ok());
  struct stat found = {};
  ASSERT_EQ(stat("/dev/null", &found), 0);
  EXPECT_TRUE(S_ISCHR(found.st_mode));
}

TEST_P(OutputFileTest, PipesArePassedThrough) {
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(200000, 'x');  // more than a pipe holds: the write must go on where it stopped
  std::string read;
  std::thread reader([&] { read = contents(pipe); });
  auto file = OutputFile::create(pipe, GetParam());
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->seekable());
  EXPECT_TRUE(file->write(text.data(), text.size()).ok());
  EXPECT_FALSE(file->write_at(0, "y", 1).ok());
  EXPECT_TRUE(file->commit().ok());
  reader.join();
  EXPECT_EQ(read, text);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_P(OutputFileTest, OpenFilesAreWrittenWhereTheyStand) {
  const fs::path path = folder / "log";
  const int log = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(log, "first ", 6), 6);
  ASSERT_TRUE(write_whole("/dev/fd/" + std::to_string(log), "second").ok());
  EXPECT_EQ(write(log, " third", 6), 6) << "the caller's own file must stay open";
  close(log);
  EXPECT_EQ(contents(path), "first second third");
  EXPECT_EQ(files(), 1);
}

TEST_P(OutputFileTest, TwoWritersOfOneTargetDoNotMix) {
  auto one = OutputFile::create(folder / "a", GetParam());
  auto two = OutputFile::create(folder / "a", GetParam());
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_TRUE(one->write("one", 3).ok());
  ASSERT_TRUE(two->write("two", 3).ok());
  ASSERT_TRUE(one->commit().ok());
  EXPECT_EQ(contents(folder / "a"), "one");
  ASSERT_TRUE(two->commit().ok());
  EXPECT_EQ(contents(folder / "a"), "two");
  EXPECT_EQ(files(), 1);
}

TEST_P(OutputFileTest, SizeLimitIsReportedAndLeavesNothing) {
  // The kernel takes a part, then refuses the rest: a short write, then an error.
  const fs::path path = folder / "a";
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(3);
    const auto status = write_whole(path, std::string(5000, 'x'));
    _exit(!status.ok() && status.error().code == ErrorCode::unwritable ? 0 : 1);
  }
  int exit_status = -1;
  ASSERT_EQ(waitpid(child, &exit_status, 0), child);
  EXPECT_EQ(exit_status, 0);
  EXPECT_EQ(files(), 0);
}

TEST_P(OutputFileTest, AReplacedFileKeepsItsMode) {
  put(folder / "a", "before");
  ASSERT_EQ(chmod((folder / "a").c_str(), 0640), 0);
  ASSERT_TRUE(write_whole(folder / "a", "after").ok());
  struct stat found = {};
  ASSERT_EQ(stat((folder / "a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777u, 0640u);
}

TEST_P(OutputFileTest, WhatKilledRunsLeftIsRemovedUnlessItIsInUse) {
  for (const char* name : {".spress-1f.part", ".spress-2f.part", ".spress-.part", ".spress-xyz.part", "1f.part"})
    put(folder / name, "left");
  fs::create_directory(folder / ".spress-3f.part");
  const int used = open((folder / ".spress-2f.part").c_str(), O_RDONLY);
  ASSERT_EQ(flock(used, LOCK_EX), 0);
  ASSERT_TRUE(write_whole(folder / "a", "x").ok());
  close(used);
  EXPECT_FALSE(fs::exists(folder / ".spress-1f.part"));
  for (const char* name : {".spress-2f.part", ".spress-.part", ".spress-xyz.part", "1f.part", ".spress-3f.part", "a"})
    EXPECT_TRUE(fs::exists(folder / name)) << name;
}

/// A child process that another thread has started has the file open for a while. Readers such as HDF5 lock what they
/// read.
TEST_P(OutputFileTest, IsNotLockedOnceItHasItsName) {
  const fs::path path = folder / "a.bin";
  put(path, "before");  // so that a nameless file gets a temporary name
  auto file = OutputFile::create(path, GetParam());
  ASSERT_TRUE(file.ok());
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_TRUE(file->commit().ok());
  const int reader = ::open(path.c_str(), O_RDONLY);
  EXPECT_EQ(::flock(reader, LOCK_EX | LOCK_NB), 0);
  ::close(reader);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_P(OutputFileTest, UnfinishedFilesAreRemovedByOneCall) {
  put(folder / "a", "before");
  const pid_t child = fork();
  if (child == 0) {
    auto one = OutputFile::create(folder / "a", GetParam());
    auto two = OutputFile::create(folder / "b", GetParam());
    auto done = OutputFile::create(folder / "c", GetParam());
    if (!one.ok() || !two.ok() || !done.ok() || !done->commit().ok()) _exit(3);
    remove_unfinished_files();
    _exit(0);
  }
  int exit_status = -1;
  ASSERT_EQ(waitpid(child, &exit_status, 0), child);
  EXPECT_EQ(exit_status, 0);
  EXPECT_EQ(files(), 2);
  EXPECT_EQ(contents(folder / "a"), "before");
}

INSTANTIATE_TEST_SUITE_P(Files, OutputFileTest,
                         ::testing::Values(TemporaryFile::Naming::nameless_where_possible,
                                           TemporaryFile::Naming::named),
                         [](const auto& naming) {
                           return naming.param == TemporaryFile::Naming::named ? "Named" : "Nameless";
                         });

}  // namespace
}  // namespace spress::io
