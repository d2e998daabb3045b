// Files written row by row are those of write_matrix_file.
#include "formats/io/rows/write_rows.hpp"

#include <algorithm>
#include <fstream>

#include "formats/io/container/container.hpp"
#include "formats/io/readers/file_kinds.hpp"
#include "tests/formats/io/matrix_file/matrix_samples.hpp"
#include "tests/formats/io/matrix_market/mm_support.hpp"

namespace spress::io {
namespace {

using mm_tests::expect_identical;

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class WriteRows : public tests::InScratchFolder<> {
 protected:
  Result<RowsWritten> write(const std::filesystem::path& from, const MatrixFileOptions& options,
                            std::uint64_t memory = std::uint64_t{64} << 20) {
    RowStreamOptions how = {memory, folder};
    how.bytes_per_row = how.bytes_per_square_row = write_rows_bytes_per_row;
    SPRESS_TRY(const auto rows, open_rows(from, {2}, how));
    ContainerInfo info;
    info.matrix = rows->info();
    SPRESS_TRY(OutputFile file, create_rows_file(to));
    return write_rows(*rows, std::move(info), std::move(file), options);
  }

  std::filesystem::path to = folder / "out.spress";
};

TEST_F(WriteRows, GivesTheFileOfTheWholeMatrix) {
  auto matrices = samples::folded_matrices();
  matrices.push_back({"repeating", Fold::pattern, samples::repeating_matrix()});
  for (const auto& sample : matrices)
    for (const bool seekable : {false, true})
      for (const std::uint64_t block_entries : {0, 300}) {
        SCOPED_TRACE(sample.name + " " + std::string(enum_name(sample.fold)) + (seekable ? " seekable" : ""));
        ContainerInfo info;
        info.matrix.name = sample.name;
        info.matrix.comments = "% of a sample\n";
        const MatrixFileOptions options = {6, 2, seekable, block_entries};
        const auto from = folder / "in.spress";
        const auto expected = write_matrix_file(view_of(sample.csr), info, from, options);
        ASSERT_TRUE(expected.ok()) << expected.error().text();
        for (const std::uint64_t memory : {64u << 20, 12u << 20}) {  // the second for one block at a time
          const auto written = write(from, options, memory);
          ASSERT_TRUE(written.ok()) << written.error().text();
          EXPECT_EQ(written->matrix.nnz, sample.csr.nnz);
          EXPECT_EQ(written->file_bytes, std::filesystem::file_size(to));
          if (seekable || sample.fold != Fold::pattern) {
            EXPECT_TRUE(contents_of(to) == contents_of(from)) << memory;
          }
          const auto back = read_container(to);
          ASSERT_TRUE(back.ok()) << back.error().text();
          expect_identical(std::get<Csr<Owned>>(back->matrix), sample.csr, sample.name);
          EXPECT_EQ(back->info.matrix.comments, info.matrix.comments);
        }
      }
}

TEST_F(WriteRows, CountsTheDuplicatesOfASource) {
  mm_tests::write_file(folder / "in.mtx",
                       "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n2 1 1\n3 3 5\n2 1 2\n3 3 1\n");
  ASSERT_TRUE(write(folder / "in.mtx", {}).ok());
  const auto whole = read_matrix(folder / "in.mtx");
  const auto back = read_container(to);
  ASSERT_TRUE(whole.ok() && back.ok());
  EXPECT_EQ(back->info.matrix.duplicates, whole->info.duplicates);
  expect_identical(std::get<Csr<Owned>>(back->matrix), whole->csr, "duplicates");
}

TEST_F(WriteRows, TakesNoTableThatMemoryDoesNotHold) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n30000 3 90000\n";
  for (int k = 0; k < 90000; ++k)
    text += std::to_string(k / 3 + 1) + ' ' + std::to_string(k % 3 + 1) + ' ' + std::to_string(k * 7919 % 29989) +
            ".123456789e-7\n";
  mm_tests::write_file(folder / "in.mtx", text);
  const MatrixFileOptions options = {6, 1, true, 2000};
  const auto roomy = write(folder / "in.mtx", options);
  const auto tight = write(folder / "in.mtx", options, 1 << 20);
  ASSERT_TRUE(roomy.ok()) << roomy.error().text();
  ASSERT_TRUE(tight.ok()) << tight.error().text();
  const auto whole = read_matrix(folder / "in.mtx");
  const auto back = read_container(to);
  ASSERT_TRUE(whole.ok() && back.ok());
  expect_identical(std::get<Csr<Owned>>(back->matrix), whole->csr, "tight");
  EXPECT_LT(roomy->file_bytes, tight->file_bytes);
}

TEST_F(WriteRows, FindsAFoldOverSeveralPanels) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n20000 20000 59997\n";
  for (int r = 1; r <= 20000; ++r)
    for (int c = std::max(1, r - 2); c <= r; ++c)
      text += std::to_string(r) + ' ' + std::to_string(c) + ' ' + std::to_string(r * 31 % 977) + ".5\n";
  mm_tests::write_file(folder / "in.mtx", text);
  const auto whole = read_matrix(folder / "in.mtx");
  ASSERT_TRUE(whole.ok());
  ContainerInfo info;
  info.matrix = whole->info;
  const MatrixFileOptions options = {6, 1, false, 2000};
  ASSERT_TRUE(write_matrix_file(view_of(whole->csr), info, folder / "whole.spress", options).ok());
  const auto tight = write(folder / "in.mtx", options, 12 << 20);
  ASSERT_TRUE(tight.ok()) << tight.error().text();
  EXPECT_TRUE(contents_of(to) == contents_of(folder / "whole.spress"));
}

TEST_F(WriteRows, RefusesDevices) {
  const auto refused = create_rows_file("/dev/null");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
}

TEST_F(WriteRows, SaysWhatABlockTakes) {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n2000 100 200000\n";
  for (int k = 0; k < 200000; ++k) text += std::to_string(k / 100 + 1) + ' ' + std::to_string(k % 100 + 1) + '\n';
  mm_tests::write_file(folder / "in.mtx", text);
  const auto tight = write(folder / "in.mtx", {}, 1 << 20);
  ASSERT_FALSE(tight.ok());
  EXPECT_EQ(tight.error().code, ErrorCode::too_large);
  EXPECT_NE(tight.error().message.find("--seekable"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(to));
}

}  // namespace
}  // namespace spress::io
