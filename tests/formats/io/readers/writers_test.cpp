// What is written as a kind of file reads back to the same bits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/formats/io/readers/kinds_support.hpp"

namespace spress::io {
namespace {

using namespace kind_tests;

/// Every matrix of the Matrix Market tests, in every kind that is written without another process.
class Writers : public testing::TestWithParam<fs::path> {};

bool keeps_values(const fs::path& path) { return path.extension() != ".petsc"; }
bool keeps_symmetry(const fs::path& path) { return path.extension() == ".rb"; }

TEST_P(Writers, write_the_same_matrix) {
  ScratchFolder folder;
  const Matrix matrix = read_or_die(GetParam());
  if (matrix.csr.cols > 1000000) GTEST_SKIP() << "compressed columns would need gigabytes";
  for (const auto* name : {"a.rb", "a.npz", "a.petsc"}) {
    const fs::path path = folder / name;
    const Status written = write_matrix(view_of(matrix.csr), matrix.info, path);
    ASSERT_TRUE(written.ok()) << written.error().text();
    const auto again = read_matrix(path);
    ASSERT_TRUE(again.ok()) << again.error().text();
    EXPECT_TRUE(validate(view_of(again->csr)).ok());
    // PETSc has values for every entry, whose number is all that says whether they are complex.
    if (!keeps_values(path) && (matrix.info.field == Field::pattern || matrix.csr.nnz == 0)) {
      EXPECT_EQ(again->csr.nnz, matrix.csr.nnz);
      continue;
    }
    expect_identical(again->csr, matrix.csr, path.string());
    if (keeps_symmetry(path) && matrix.info.field != Field::pattern) {
      EXPECT_EQ(enum_name(again->info.symmetry), enum_name(matrix.info.symmetry));
    }
  }
}

std::vector<fs::path> matrix_market_files() {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(data_folder() / "valid")) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(data, Writers, testing::ValuesIn(matrix_market_files()), test_name);

TEST(Writers, keep_the_bits_of_hard_numbers) {
  ScratchFolder folder;
  const double values[] = {0.1,
                           -0.0,
                           5e-324,
                           std::numeric_limits<double>::max(),
                           std::numeric_limits<double>::min(),
                           std::nextafter(1.0, 2.0),
                           -1.0 / 3.0,
                           1e100,
                           -1e-100,
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           9007199254740993.0};
  std::string text;
  for (std::size_t k = 0; k < std::size(values); ++k) {
    char number[40];
    std::snprintf(number, sizeof number, "1 %zu %.17g\n", k + 1, values[k]);
    text += number;
  }
  const std::string count = std::to_string(std::size(values));
  write_file(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n1 " + count + ' ' + count + '\n' + text);
  const Matrix matrix = read_or_die(folder / "a.mtx");
  for (const auto* name : {"b.rb", "b.npz", "b.petsc"}) {
    ASSERT_TRUE(write_matrix(view_of(matrix.csr), matrix.info, folder / name).ok());
    const auto again = read_matrix(folder / name);
    ASSERT_TRUE(again.ok()) << again.error().text();
    expect_identical(again->csr, matrix.csr, name);
  }
}

TEST(Writers, keep_the_head_of_a_file_in_its_lines) {
  ScratchFolder folder;
  Matrix matrix = read_or_die(data_folder() / "valid/general.mtx");
  matrix.info.name = "two\nlines\x01";
  ASSERT_TRUE(write_matrix(view_of(matrix.csr), matrix.info, folder / "a.rb").ok());
  EXPECT_TRUE(read_file(folder / "a.rb").starts_with("two?lines? "));
  const auto again = read_matrix(folder / "a.rb");
  ASSERT_TRUE(again.ok()) << again.error().text();
  expect_identical(again->csr, matrix.csr, "a.rb");
}

TEST(Writers, leave_nothing_behind_where_they_fail) {
  ScratchFolder folder;
  const Matrix matrix = read_or_die(data_folder() / "valid/general.mtx");
  for (const auto* ending : {"rb", "npz", "petsc"}) {
    const auto written = write_matrix(view_of(matrix.csr), matrix.info, folder / (std::string("absent/a.") + ending));
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code, ErrorCode::unwritable);
  }
  const auto unknown = write_matrix(view_of(matrix.csr), matrix.info, folder / "a.png");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::usage);
  EXPECT_NE(unknown.error().message.find(".npz"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace spress::io
