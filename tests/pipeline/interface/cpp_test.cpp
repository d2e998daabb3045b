// <spress/spress.hpp> as a program sees it: this source includes nothing else of spress.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <spress/spress.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

// 1 0 2
// 0 3 0
const std::vector<std::int64_t> row_ptr = {0, 2, 3};
const std::vector<std::int32_t> col_idx = {0, 2, 1};
const std::vector<double> values = {1, 2, 3};

spress::Matrix small(const std::string& format = "csr") {
  return spress::encode(spress::CsrView(2, 3, row_ptr, col_idx, values), format);
}

TEST(Cpp, MultipliesAddsAndScales) {
  const std::vector<double> x = {1, 10, 100};
  for (const char* format : {"csr", "sell", "slice-delta", "auto"}) {
    const spress::Matrix matrix = small(format);
    std::vector<double> y = {7, 7};
    matrix.multiply(x, y);
    EXPECT_EQ(y, (std::vector<double>{201, 30})) << format;
    matrix.multiply(x, y, 2, 1);
    EXPECT_EQ(y, (std::vector<double>{603, 90})) << format;
  }
}

TEST(Cpp, MultipliesSeveralVectors) {
  const std::vector<double> x = {1, 10, 100, 1, 0, 0};
  std::vector<double> y = {0, 0, 5, 5};
  small().multiply_block(2, x, y);
  EXPECT_EQ(y, (std::vector<double>{201, 30, 1, 0}));
  small().multiply_block(2, x, y, 1, 1);
  EXPECT_EQ(y, (std::vector<double>{402, 60, 2, 0}));
  const std::vector<float> narrow(6, 1), values_of_float = {1, 2, 3};
  std::vector<float> z(4);
  spress::encode(spress::CsrView(2, 3, row_ptr, col_idx, values_of_float), "csr").multiply_block(2, narrow, z);
  EXPECT_EQ(z, (std::vector<float>{3, 3, 3, 3}));
}

TEST(Cpp, TakesArraysOfEveryContainerAndPatterns) {
  std::vector<int> starts = {0, 1, 2};
  std::array<std::int64_t, 2> ids = {1, 0};
  std::vector<double> held = {2, 3}, y(2);
  const std::span<int> rows(starts);
  const std::span<double> numbers(held);
  spress::encode(spress::CsrView(2, 2, rows, ids, numbers), "csr").multiply(std::vector<double>{1, 10}, y);
  EXPECT_EQ(y, (std::vector<double>{20, 3}));
  spress::encode(spress::CsrView(2, 2, starts, ids), "csr").multiply(std::vector<double>{1, 10}, y);
  EXPECT_EQ(y, (std::vector<double>{10, 1}));
  EXPECT_THROW(spress::CsrView(3, 2, starts, ids), std::invalid_argument);
  EXPECT_THROW(spress::CsrView(2, 2, starts, ids, starts), std::invalid_argument);
}

template <class RowPtr, class ColIdx, class Values>
constexpr bool makes_view = std::is_constructible_v<spress::CsrView, int, int, RowPtr, ColIdx, Values>;
using Ids = std::vector<int>;
using Numbers = std::vector<double>;
static_assert(makes_view<Ids&, const Ids&, Numbers&> && makes_view<std::span<int>, Ids&, std::span<const double>>);
static_assert(!makes_view<Ids, Ids&, Numbers&> && !makes_view<Ids&, Ids, Numbers&> && !makes_view<Ids&, Ids&, Numbers>,
              "a view of a temporary vector would dangle");
static_assert(!std::is_constructible_v<spress::CsrView, int, int, Ids&, Ids>);

TEST(Cpp, WhatIsMovedFromIsEmpty) {
  spress::Matrix matrix = small("sell");
  spress::Matrix moved = std::move(matrix);
  EXPECT_EQ(moved.format(), "sell");
  EXPECT_EQ(matrix.format() + matrix.values_store(), "");  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(matrix.rows() + matrix.bytes(), 0);
  matrix = std::move(moved);
  EXPECT_EQ(matrix.rows(), 2);
  EXPECT_EQ(moved.format(), "");  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(static_cast<void>(moved.decode()), spress::Exception);
  spress::Csr csr = matrix.decode();
  const spress::Csr other = std::move(csr);
  EXPECT_EQ(other.nnz(), 3);
  EXPECT_EQ(csr.rows() + csr.nnz(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_STREQ(csr.info().field, "");
}

TEST(Cpp, RefusesVectorsOfOtherLengths) {
  std::vector<double> x(3), y(3);
  EXPECT_THROW(small().multiply(x, y), std::invalid_argument);
  EXPECT_THROW(small().multiply_block(2, x, y), std::invalid_argument);
  EXPECT_THROW(small().multiply_block(-1, x, y), std::invalid_argument);
  const std::vector<double> none;
  std::vector<double> nothing;
  EXPECT_THROW(small().multiply_block(std::int64_t{1} << 62, none, nothing), std::invalid_argument);
}

TEST(Cpp, TransposesDecodesAndAnalyses) {
  const spress::Matrix matrix = small("sell");
  EXPECT_EQ(matrix.transposed().rows(), 3);
  const spress::Csr back = matrix.decode();
  EXPECT_EQ(back.nnz(), 3);
  EXPECT_EQ(static_cast<const double*>(back.arrays().values)[1], 2);
  EXPECT_NE(back.analyze("csr", "none").find("\"nnz\":3"), std::string::npos);
  const auto to = back.reorder("none");
  EXPECT_EQ(to.row_perm, (std::vector<std::int32_t>{0, 1}));
  EXPECT_NE(matrix.breakdown().find("bytes"), std::string::npos);
  EXPECT_NE(spress::list("formats").find("slice-delta"), std::string::npos);
}

TEST(Cpp, ReadsAndWritesFiles) {
  const auto folder = std::filesystem::temp_directory_path() / ("spress_cpp_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string file = folder / "a.spress", edges = folder / "a.el", format = folder / "b.spress";
  spress::read("gen:poisson2d,n=5").write(file);
  EXPECT_EQ(spress::read_shape(file).rows, 25);
  EXPECT_EQ(spress::read_rows(file, 3, 5).rows(), 2);
  std::ofstream(edges) << "1 2\n2 1\n";
  EXPECT_THROW(static_cast<void>(spress::read(edges)), spress::Exception);
  EXPECT_EQ(spress::read(edges, {}, 1).rows(), 2);
  EXPECT_EQ(spress::read(edges, {}, 0).rows(), 3);
  small("sell").save(format);
  EXPECT_EQ(spress::load(format).format(), "sell");
  std::filesystem::remove_all(folder);
}

TEST(Cpp, ErrorsAreExceptionsWithTheirCode) {
  try {
    static_cast<void>(spress::read("/none.mtx"));
    FAIL();
  } catch (const spress::Exception& error) {
    EXPECT_EQ(error.code(), SPRESS_NOT_FOUND);
    EXPECT_NE(std::string(error.what()).find("/none.mtx"), std::string::npos);
  }
  try {
    static_cast<void>(spress::read(std::string("gen:poisson2d,n=5\0.mtx", 22)));
    FAIL() << "the text behind a NUL is lost";
  } catch (const spress::Exception& error) {
    EXPECT_EQ(error.code(), SPRESS_USAGE);
    EXPECT_NE(std::string(error.what()).find("'gen:poisson2d,n=5'"), std::string::npos) << error.what();
  }
}

}  // namespace
