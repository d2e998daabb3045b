// Writing Matrix Market: what is written reads back bit for bit, and declares no more than is true.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <random>

#include "formats/io/matrix_market/matrix_market.hpp"
#include "tests/formats/io/matrix_market/mm_support.hpp"

namespace spress::io {
namespace {

using namespace mm_tests;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Csr<Owned> csr(std::uint64_t rows, std::uint64_t cols, std::initializer_list<std::uint32_t> row_ptr,
               std::initializer_list<std::uint32_t> col_idx, std::initializer_list<T> values) {
  Csr<Owned> a;
  a.rows = rows;
  a.cols = cols;
  a.nnz = col_idx.size();
  a.row_ptr = Positions<Owned>(HostArray<std::uint32_t>(row_ptr));
  a.col_idx = HostArray<std::uint32_t>(col_idx);
  a.values = raw_store(HostArray<T>(values));
  return a;
}

Csr<Owned> pattern(std::uint64_t rows, std::uint64_t cols, std::initializer_list<std::uint32_t> row_ptr,
                   std::initializer_list<std::uint32_t> col_idx) {
  Csr<Owned> a = csr<double>(rows, cols, row_ptr, col_idx, {});
  a.values = pattern_store(a.nnz);
  return a;
}

MatrixInfo info(Field field, Symmetry symmetry) {
  MatrixInfo result;
  result.field = field;
  result.symmetry = symmetry;
  return result;
}

std::string written(const Csr<Owned>& a, const MatrixInfo& said) {
  ScratchFolder folder;
  const Status status = write_matrix_market(view_of(a), said, folder / "a.mtx");
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().text());
  expect_identical(a, read_or_die(folder / "a.mtx").csr, "read back");
  return read_file(folder / "a.mtx");
}

const std::string head = "%%MatrixMarket matrix coordinate ";

TEST(MatrixMarketWrite, uses_the_shortest_decimals) {
  const auto a =
      csr<double>(2, 5, {0, 5, 9}, {0, 1, 2, 3, 4, 0, 1, 2, 4}, {1, 0.1, 1e300, -0.0, 1.0 / 3, inf, -inf, nan, 5e-324});
  EXPECT_EQ(written(a, info(Field::real, Symmetry::general)),
            head +
                "real general\n2 5 9\n1 1 1\n1 2 0.1\n1 3 1e+300\n1 4 -0\n1 5 0.3333333333333333\n2 1 inf\n2 2 -inf\n2 "
                "3 nan\n2 5 5e-324\n");
}

TEST(MatrixMarketWrite, keeps_integers_where_all_are) {
  const auto a = csr<double>(1, 3, {0, 3}, {0, 1, 2}, {-9007199254740992.0, 0, 1e15});
  EXPECT_EQ(written(a, info(Field::integer, Symmetry::general)),
            head + "integer general\n1 3 3\n1 1 -9007199254740992\n1 2 0\n1 3 1000000000000000\n");
  for (const double other : {0.5, -0.0, 1e16, inf}) {
    const auto b = csr<double>(1, 2, {0, 2}, {0, 1}, {1, other});
    EXPECT_EQ(written(b, info(Field::integer, Symmetry::general)).substr(0, head.size() + 4), head + "real") << other;
  }
}

TEST(MatrixMarketWrite, handles_empty_shapes) {
  EXPECT_EQ(written(csr<double>(0, 0, {0}, {}, {}), info(Field::real, Symmetry::symmetric)),
            head + "real symmetric\n0 0 0\n");
  EXPECT_EQ(written(csr<double>(0, 4, {0}, {}, {}), info(Field::real, Symmetry::symmetric)),
            head + "real general\n0 4 0\n");
  EXPECT_EQ(written(pattern(3, 0, {0, 0, 0, 0}, {}), info(Field::pattern, Symmetry::general)),
            head + "pattern general\n3 0 0\n");
  EXPECT_EQ(written(pattern(4, 2, {0, 0, 1, 1, 1}, {1}), info(Field::pattern, Symmetry::general)),
            head + "pattern general\n4 2 1\n2 2\n");
}

TEST(MatrixMarketWrite, gives_the_lower_half_of_what_is_symmetric) {
  const auto a = csr<double>(3, 3, {0, 2, 4, 5}, {0, 1, 0, 2, 1}, {2, 3, 3, nan, nan});
  EXPECT_EQ(written(a, info(Field::real, Symmetry::symmetric)),
            head + "real symmetric\n3 3 3\n1 1 2\n2 1 3\n3 2 nan\n");
  EXPECT_EQ(written(a, info(Field::real, Symmetry::general)).substr(0, head.size() + 12), head + "real general");
  EXPECT_EQ(written(pattern(2, 2, {0, 1, 3}, {1, 0, 1}), info(Field::pattern, Symmetry::symmetric)),
            head + "pattern symmetric\n2 2 2\n2 1\n2 2\n");
}

TEST(MatrixMarketWrite, gives_the_lower_half_of_what_is_skew_or_hermitian) {
  const auto skew = csr<double>(2, 2, {0, 1, 2}, {1, 0}, {-0.0, 0.0});
  EXPECT_EQ(written(skew, info(Field::real, Symmetry::skew_symmetric)), head + "real skew-symmetric\n2 2 1\n2 1 0\n");
  const auto hermitian = csr<std::complex<double>>(2, 2, {0, 2, 3}, {0, 1, 0}, {{1, -0.0}, {2, -3}, {2, 3}});
  EXPECT_EQ(written(hermitian, info(Field::complex, Symmetry::hermitian)),
            head + "complex hermitian\n2 2 2\n1 1 1 -0\n2 1 2 3\n");
}

TEST(MatrixMarketWrite, declares_no_symmetry_that_the_entries_lack) {
  const auto expect_general = [](const Csr<Owned>& a, Field field, Symmetry symmetry) {
    EXPECT_NE(written(a, info(field, symmetry)).find(" general\n"), std::string::npos);
  };
  using C = std::complex<double>;
  expect_general(csr<double>(2, 2, {0, 1, 2}, {1, 0}, {1, 2}), Field::real, Symmetry::symmetric);       // other value
  expect_general(csr<double>(2, 2, {0, 1, 2}, {1, 0}, {0.0, -0.0}), Field::real, Symmetry::symmetric);  // other sign
  expect_general(csr<double>(2, 2, {0, 1, 1}, {1}, {1}), Field::real, Symmetry::symmetric);             // upper only
  expect_general(csr<double>(2, 2, {0, 0, 1}, {0}, {1}), Field::real, Symmetry::symmetric);             // lower only
  expect_general(csr<double>(3, 3, {0, 1, 1, 2}, {1, 0}, {1, 1}), Field::real, Symmetry::symmetric);    // other place
  expect_general(csr<double>(2, 3, {0, 1, 2}, {1, 0}, {1, 1}), Field::real, Symmetry::symmetric);       // not square
  expect_general(csr<double>(2, 2, {0, 1, 2}, {1, 0}, {1, 1}), Field::real, Symmetry::skew_symmetric);  // same sign
  expect_general(csr<double>(1, 1, {0, 1}, {0}, {0}), Field::real, Symmetry::skew_symmetric);           // diagonal
  expect_general(csr<C>(1, 1, {0, 1}, {0}, {{1, 1}}), Field::complex, Symmetry::hermitian);             // not real
  expect_general(csr<C>(2, 2, {0, 1, 2}, {1, 0}, {{1, 1}, {1, 1}}), Field::complex,
                 Symmetry::hermitian);                                                             // no conjugate
  expect_general(csr<double>(2, 2, {0, 1, 2}, {1, 0}, {1, 1}), Field::real, Symmetry::hermitian);  // not complex
  expect_general(pattern(2, 2, {0, 1, 2}, {1, 0}), Field::pattern, Symmetry::skew_symmetric);      // no values
}

/// Several batches, every symmetry and field, through every kind of file.
TEST(MatrixMarketWrite, brings_large_matrices_back) {
  ScratchFolder folder;
  std::mt19937_64 random(11);
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"real", "general"},      {"real", "symmetric"},  {"integer", "skew-symmetric"},
      {"complex", "hermitian"}, {"complex", "general"}, {"pattern", "symmetric"}};
  for (const auto& [field, symmetry] : kinds) {
    std::string text = head + field + ' ' + symmetry + "\n30000 30000 70000\n";
    for (int k = 0; k < 70000; ++k) {
      const std::uint64_t row = random() % 29999 + 2, col = random() % (row - 1) + 1;
      text += std::to_string(row) + ' ' + std::to_string(col);
      for (int v = 0; v < (field == "pattern" ? 0 : field == "complex" ? 2 : 1); ++v)
        text += ' ' + (field == "integer" ? std::to_string(random() % 1000)
                                          : std::to_string(static_cast<double>(random()) / 1e9));
      text += '\n';
    }
    write_file(folder / "source.mtx", text);
    const Matrix matrix = read_or_die(folder / "source.mtx");
    for (const auto* name : {"a.mtx", "a.mtx.gz", "a.mtx.zst"}) {
      if (field != "integer" && fs::path(name).extension() == ".gz") continue;  // slow to make
      ASSERT_TRUE(write_matrix_market(view_of(matrix.csr), matrix.info, folder / name).ok());
      const Matrix back = read_or_die(folder / name);
      expect_identical(matrix.csr, back.csr, std::string(name) + ' ' + field + ' ' + symmetry);
      EXPECT_EQ(back.info.field, matrix.info.field);
      EXPECT_EQ(back.info.symmetry, matrix.info.symmetry);
      EXPECT_EQ(back.info.duplicates, 0u);
    }
    if (field == "integer") {
      EXPECT_LT(fs::file_size(folder / "a.mtx.gz"), fs::file_size(folder / "a.mtx") / 2);
    }
    EXPECT_LT(fs::file_size(folder / "a.mtx.zst"), fs::file_size(folder / "a.mtx") / 2);
  }
}

TEST(MatrixMarketWrite, takes_values_from_any_store) {
  ScratchFolder folder;
  auto a = csr<double>(2, 2, {0, 2, 3}, {0, 1, 0}, {1.5, 2.5, 1.5});
  for (const StoreKind kind : {StoreKind::narrow, StoreKind::lut8, StoreKind::lut16}) {
    auto b = a;
    b.values = with_store(view_of(a).values, kind).value();
    ASSERT_TRUE(write_matrix_market(view_of(b), info(Field::real, Symmetry::general), folder / "a.mtx").ok());
    expect_identical(a, read_or_die(folder / "a.mtx").csr, std::string(enum_name(kind)));
  }
  const auto floats = csr<float>(2, 2, {0, 2, 3}, {0, 1, 0}, {1.5f, 2.5f, 1.5f});
  ASSERT_TRUE(write_matrix_market(view_of(floats), info(Field::real, Symmetry::general), folder / "a.mtx").ok());
  expect_identical(a, read_or_die(folder / "a.mtx").csr, "float");
}

TEST(MatrixMarketWrite, that_fails_leaves_nothing_behind) {
  ScratchFolder folder;
  const auto a = csr<double>(1, 1, {0, 1}, {0}, {1});
  const auto status = write_matrix_market(view_of(a), {}, folder / "absent/a.mtx");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::unwritable);
  EXPECT_EQ(status.error().file, (folder / "absent/a.mtx").string());
  EXPECT_EQ(write_matrix_market(view_of(a), {}, folder / "a.tar.gz").error().code, ErrorCode::unsupported);
}

/// A limit on the size of files stands in for a full disk.
TEST(MatrixMarketWrite, to_a_full_disk_is_unwritable) {
  ScratchFolder folder;
  std::string text = head + "real general\n1 300000 300000\n";
  for (int k = 1; k <= 300000; ++k) text += "1 " + std::to_string(k) + " 0.123456789\n";
  write_file(folder / "a.mtx", text);
  const Matrix matrix = read_or_die(folder / "a.mtx");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1 << 20, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const auto status = write_matrix_market(view_of(matrix.csr), matrix.info, folder / "b.mtx");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::unwritable);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : fs::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1u);
}

}  // namespace
}  // namespace spress::io
