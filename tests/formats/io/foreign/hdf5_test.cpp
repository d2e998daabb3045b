#include "formats/io/foreign/hdf5.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include "formats/io/readers/file_kinds.hpp"
#include "tests/formats/io/matrix_market/mm_support.hpp"

namespace spress::io {
namespace {

using mm_tests::write_file;

class Hdf5 : public tests::InScratchFolder<> {
 protected:
  void SetUp() override {
    if ((*find_file_kind("hdf5"))->write == nullptr) GTEST_SKIP() << "this build is without HDF5";
  }

  /// Writes a Matrix Market file's matrix as HDF5 and reads it again: the same bits, and the same said of them.
  void round_trip(const std::string& text) {
    write_file((folder / "a.mtx"), "%%MatrixMarket matrix coordinate " + text);
    const auto before = read_matrix((folder / "a.mtx"));
    ASSERT_TRUE(before.ok()) << before.error().text();
    const Status written = write_hdf5(view_of(before->csr), before->info, (folder / "a.h5"));
    ASSERT_TRUE(written.ok()) << written.error().text();
    const auto after = read_matrix((folder / "a.h5"));
    ASSERT_TRUE(after.ok()) << after.error().text();
    EXPECT_TRUE(identical(view_of(before->csr), view_of(after->csr))) << text.substr(0, 60);
    EXPECT_EQ(after->info.field, before->info.field);
    EXPECT_EQ(after->info.symmetry, before->info.symmetry);
    EXPECT_EQ(after->info.stored_entries, before->info.stored_entries);
    EXPECT_EQ(after->info.comments, before->info.comments);
    EXPECT_EQ(after->info.name, "a");
  }
};

TEST_F(Hdf5, EveryFieldAndSymmetry) {
  round_trip("real general\n% a comment\n3 4 4\n1 1 -0.0\n1 4 0\n2 2 1e300\n3 3 5e-324\n");
  round_trip("integer general\n2 2 2\n1 1 9007199254740992\n2 1 -3\n");
  round_trip("complex general\n2 3 2\n1 3 1 -0.0\n2 1 -1 2\n");
  round_trip("pattern general\n2 3 2\n1 3\n2 1\n");
  round_trip("real symmetric\n3 3 3\n1 1 1\n2 1 2\n3 2 -3\n");
  round_trip("pattern symmetric\n3 3 2\n2 1\n3 3\n");
  round_trip("integer skew-symmetric\n3 3 1\n3 1 5\n");
  round_trip("complex hermitian\n2 2 2\n1 1 1 0\n2 1 1 -2\n");
}

TEST_F(Hdf5, NothingInIt) {
  round_trip("real general\n0 0 0\n");
  round_trip("real general\n3 0 0\n");
  round_trip("real general\n0 3 0\n");
  round_trip("pattern general\n3 2 0\n");
}

/// More than one piece, and chunks that are compressed.
TEST_F(Hdf5, ManyEntries) {
  constexpr int n = 300000;
  std::string text = "real general\n" + std::to_string(n) + " 7 " + std::to_string(n) + '\n';
  for (int r = 1; r <= n; ++r)
    text += std::to_string(r) + ' ' + std::to_string(r % 7 + 1) + " 0." + std::to_string(r) + '\n';
  round_trip(text);
}

/// As in a program that runs in the background. The child that reads HDF5 replaces the standard streams.
TEST_F(Hdf5, StandardStreamsMayBeClosed) {
  round_trip("real general\n2 2 1\n1 1 1\n");
  std::array<int, 3> kept = {};
  for (int stream = 0; stream < 3; ++stream) {
    kept[static_cast<std::size_t>(stream)] = ::fcntl(stream, F_DUPFD_CLOEXEC, 3);
    ::close(stream);
  }
  const auto read = read_matrix(folder / "a.h5");
  const Status written = read.ok() ? write_hdf5(view_of(read->csr), read->info, folder / "b.h5") : Status(Ok{});
  for (int stream = 0; stream < 3; ++stream) {
    ::dup2(kept[static_cast<std::size_t>(stream)], stream);
    ::close(kept[static_cast<std::size_t>(stream)]);
  }
  ASSERT_TRUE(read.ok()) << read.error().text();
  ASSERT_TRUE(written.ok()) << written.error().text();
  EXPECT_TRUE(read_matrix(folder / "b.h5").ok());
}

TEST_F(Hdf5, ReplacesAFileWholeOrNotAtAll) {
  round_trip("real general\n2 2 1\n1 1 1\n");
  round_trip("real general\n5 5 1\n1 1 1\n");
  const auto matrix = read_matrix((folder / "a.h5"));
  ASSERT_TRUE(matrix.ok());
  const Status status = write_hdf5(view_of(matrix->csr), matrix->info, (folder / "none/b.h5"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::unwritable);
  EXPECT_NE(status.error().file.find("none/b.h5"), std::string::npos);
}

TEST(Hdf5Signature, AtTheBeginOrBehindABlock) {
  using namespace std::string_view_literals;
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n"sv;
  EXPECT_TRUE(is_hdf5(signature));
  EXPECT_TRUE(is_hdf5(std::string(512, 'x') + std::string(signature)));
  EXPECT_FALSE(is_hdf5(std::string(511, 'x') + std::string(signature)));
  EXPECT_FALSE(is_hdf5(signature.substr(1)));
  EXPECT_FALSE(is_hdf5(""));
}

}  // namespace
}  // namespace spress::io
