#include "pipeline/collection/line_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace spress::pipeline {
namespace {

class LineFileTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << std::ifstream(path_, std::ios::binary).rdbuf();
    return out.str();
  }
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("spress_line_file_" + std::to_string(::getpid()) + ".jsonl");
};

TEST_F(LineFileTest, AppendsToWhatIsThere) {
  for (const char* line : {"{\"schema_version\":1}", "{\"schema_version\":1,\"x\":2}"}) {
    auto file = LineFile::open(path_);
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE(file->append(line).ok());
  }
  EXPECT_EQ(text(), "{\"schema_version\":1}\n{\"schema_version\":1,\"x\":2}\n");
}

TEST_F(LineFileTest, CutsTheLineThatAKilledRunLeft) {
  for (const std::string whole : {"{\"schema_version\":1}\n", ""}) {
    write(whole + "{\"schema_ver");
    EXPECT_TRUE(LineFile::open(path_).ok());
    EXPECT_EQ(text(), whole);
  }
}

TEST_F(LineFileTest, EndsTheLineOfAWholeRecord) {
  write("{\"schema_version\":1}");
  EXPECT_TRUE(LineFile::open(path_).ok());
  EXPECT_EQ(text(), "{\"schema_version\":1}\n");
}

TEST_F(LineFileTest, LeavesOtherFilesAlone) {
  for (const std::string other :
       {"%%MatrixMarket matrix", "{\"name\": \"package\"}", "x", "{", "{\"schema_version\":7,\"mine\":1}",
        "{\"schema_version\":1}\n{\"mine\":\"x", "{\"mine\":1}\n{\"schema_version\":1"}) {
    write(other);
    const auto file = LineFile::open(path_);
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.error().code, ErrorCode::usage);
    EXPECT_EQ(text(), other);
  }
}

TEST_F(LineFileTest, BelongsToOneRunAtATime) {
  const auto first = LineFile::open(path_);
  ASSERT_TRUE(first.ok());
  const auto second = LineFile::open(path_);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another run"), std::string::npos);
}

TEST_F(LineFileTest, NoticesThatItWasDeletedOrReplaced) {
  auto deleted = LineFile::open(path_);
  ASSERT_TRUE(deleted.ok());
  EXPECT_TRUE(deleted->append("{\"schema_version\":1}").ok());
  std::filesystem::remove(path_);
  const auto gone = deleted->append("{\"schema_version\":1}");
  ASSERT_FALSE(gone.ok());
  EXPECT_NE(gone.error().message.find("was deleted or replaced"), std::string::npos);
  write("other");
  EXPECT_FALSE(deleted->append("{\"schema_version\":1}").ok());
  EXPECT_EQ(text(), "other");
}

TEST_F(LineFileTest, SaysWhatCannotBeWritten) {
  const auto file = LineFile::open("/proc/nowhere/x.jsonl");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::unwritable);
  EXPECT_EQ(file.error().file, "/proc/nowhere/x.jsonl");
}

}  // namespace
}  // namespace spress::pipeline
