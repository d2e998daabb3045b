// Files on their way over a wire between two places of the host's memory.
#include "pipeline/measure/file_transfer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "formats/io/matrix_file/matrix_file.hpp"
#include "pipeline/compress.hpp"
#include "pipeline/source.hpp"
#include "tests/pipeline/measure/fake_wire.hpp"
#include "tests/scratch_folder.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

class FileTransfers : public tests::InScratchFolder<> {
 protected:
  fs::path file_of(const std::string& input, io::MatrixFileOptions how) const {
    const auto matrix = load(input);
    EXPECT_TRUE(matrix.ok());
    const fs::path path = folder / "a.spress";
    io::ContainerInfo info;
    info.matrix = matrix->info;
    EXPECT_TRUE(io::write_matrix_file(view_of(matrix->csr), info, path, how).ok());
    return path;
  }
  Pairing three_pairs = {.seconds = 0, .repetitions = 3};
};

TEST_F(FileTransfers, BringTheMatrixInPieces) {
  for (const char* input : {"gen:stencil7,n=9,values=noise", "gen:uniform,n=500,k=3", "gen:powerlaw,n=900",
                            "gen:lp,periods=3", "gen:uniform,n=300,k=5,values=pattern"})
    for (const int threads : {1, 3, 40}) {
      const fs::path path = file_of(input, {.seekable = true, .block_entries = 200});
      FakeWire wire;
      const auto record = transfer_file(path, {false, threads, three_pairs}, wire);
      ASSERT_TRUE(record.ok()) << record.error().text();
      ASSERT_TRUE(record->has_value());
      const auto& ways = (*record)->ways;
      ASSERT_EQ(ways.size(), 2u);
      EXPECT_EQ(ways[0].way, "csr");
      EXPECT_EQ(ways[1].way, "spress");
      EXPECT_EQ(ways[1].file_bytes, fs::file_size(path));
      EXPECT_EQ(ways[0].speedup_vs_csr, 1);
      for (const auto& way : ways) {
        EXPECT_EQ(way.ok, true) << input << way.reason;
        EXPECT_TRUE(way.in_pieces);
        EXPECT_EQ(way.repetitions, 3);
        EXPECT_GT(way.seconds_median, 0);
        EXPECT_GT(way.read_seconds + way.copy_seconds, 0);
        EXPECT_GE(way.sent_bytes, ways[1].sent_bytes);
      }
      EXPECT_EQ(ways[0].decode_seconds, 0);
      EXPECT_GT(ways[1].decode_seconds, 0);
      EXPECT_EQ(files(), 1);
    }
}

TEST_F(FileTransfers, BringATriangleAsAWhole) {
  for (const char* input : {"gen:stencil7,n=9", "gen:empty,rows=0,cols=9"}) {
    const fs::path path = file_of(input, {});
    FakeWire wire;
    const auto record = transfer_file(path, {false, 2, three_pairs}, wire);
    ASSERT_TRUE(record.ok() && record->has_value());
    EXPECT_FALSE((*record)->ways[1].in_pieces);
    EXPECT_EQ((*record)->ways[1].ok, true);
  }
}

TEST_F(FileTransfers, SayWhatArrivedWrong) {
  const fs::path path = file_of("gen:stencil7,n=9,values=noise", {.seekable = true, .block_entries = 200});
  FakeWire wire;
  wire.good = 0;
  const auto record = transfer_file(path, {false, 2, three_pairs}, wire);
  ASSERT_TRUE(record.ok() && record->has_value());
  EXPECT_EQ((*record)->ways[1].ok, false);
  EXPECT_FALSE((*record)->ways[1].reason.empty());
  for (const auto& way : (*record)->ways) EXPECT_TRUE(std::isnan(way.seconds_median));
  wire.fails = true;
  EXPECT_FALSE(transfer_file(path, {false, 2, three_pairs}, wire).ok());
}

/// Puts another file in the place of the one that is measured when the first copy comes.
class ReplacingWire : public FakeWire {
 public:
  fs::path from, to;
  Result<std::unique_ptr<Wire>> another() override {
    auto wire = std::make_unique<ReplacingWire>();
    wire->from = from;
    wire->to = to;
    return std::unique_ptr<Wire>(std::move(wire));
  }
  Status send(std::span<const cuda::Copy> copies, HostMemory memory) override {
    std::error_code ignored;
    fs::rename(from, to, ignored);
    return FakeWire::send(copies, memory);
  }
};

TEST_F(FileTransfers, RefuseAFileThatIsReplacedMeanwhile) {
  for (const bool seekable : {true, false}) {
    ReplacingWire wire;
    wire.from = folder / "other";
    fs::rename(file_of("gen:stencil7,n=14,values=noise", {.seekable = seekable, .block_entries = 900}), wire.from);
    wire.to = file_of("gen:stencil7,n=9,values=noise", {.seekable = true, .block_entries = 200});
    const auto record = transfer_file(wire.to, {false, 2, three_pairs}, wire);
    ASSERT_FALSE(record.ok());
    EXPECT_EQ(record.error().code, ErrorCode::unreadable);
    EXPECT_NE(record.error().text().find("changed while it was measured"), std::string::npos);
  }
}

TEST_F(FileTransfers, AreNotCalledColdWhereTheSystemKeepsTheFile) {
  const fs::path kept = "/dev/shm";
  if (!fs::is_directory(kept)) GTEST_SKIP() << "there is no file system of memory";
  const fs::path path = kept / (folder.filename().string() + ".spress");
  fs::copy_file(file_of("gen:stencil7,n=20,values=noise", {.seekable = true}), path);
  FakeWire wire;
  const auto record = transfer_file(path, {true, 1, three_pairs}, wire);
  fs::remove(path);
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().code, ErrorCode::unsupported);
}

/// On a disk; a temporary folder in memory tells no more than the test above.
TEST_F(FileTransfers, AreTimedColdWhereTheSystemDropsTheFile) {
  const fs::path path = file_of("gen:stencil7,n=20,values=noise", {.seekable = true});
  FakeWire wire;
  const auto record = transfer_file(path, {true, 2, three_pairs}, wire);
  if (!record.ok()) {
    EXPECT_EQ(record.error().code, ErrorCode::unsupported);
    GTEST_SKIP() << record.error().text();
  }
  EXPECT_TRUE((*record)->cold);
  for (const auto& way : (*record)->ways) EXPECT_EQ(way.ok, true);
}

TEST(FileTransferRecords, CountForTheWholeRecord) {
  reports::TransferRecord record;
  reports::FileTransferMeasure way;
  add_file(record, {false, {way}});
  EXPECT_TRUE(record.ok);  // not measured
  way.ok = false;
  add_file(record, {false, {way}});
  EXPECT_FALSE(record.ok);
}

TEST_F(FileTransfers, LeaveOutFilesOfAFormat) {
  const auto matrix = load("gen:fem3d,n=4");
  const fs::path path = folder / "a.spress";
  CompressOptions how;
  how.format = Spec{"csr", {}};
  ASSERT_TRUE(compress(*matrix, how, path).ok());
  FakeWire wire;
  const auto record = transfer_file(path, {false, 1, three_pairs}, wire);
  ASSERT_TRUE(record.ok()) << record.error().text();
  EXPECT_FALSE(record->has_value());
}

TEST_F(FileTransfers, AreTimedAloneInAFolderThatTakesNoFile) {
  const int file = ::open(file_of("gen:stencil7,n=9,values=noise", {.seekable = true}).c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  FakeWire wire;
  const auto record = transfer_file("/proc/self/fd/" + std::to_string(file), {false, 1, three_pairs}, wire);
  ::close(file);
  ASSERT_TRUE(record.ok() && record->has_value());
  const auto& ways = (*record)->ways;
  EXPECT_FALSE(ways[0].ok.has_value());
  EXPECT_NE(ways[0].reason.find("cannot be written"), std::string::npos);
  EXPECT_EQ(ways[1].ok, true);
  EXPECT_GT(ways[1].seconds_median, 0);
  EXPECT_TRUE(std::isnan(ways[1].speedup_vs_csr));
}

}  // namespace
}  // namespace spress::pipeline
