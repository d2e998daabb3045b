// The C interface: every format multiplies, comes back bit for bit, and is written and read; arrays of the caller are
// taken as they are; errors have a status and a text.
#include <gtest/gtest.h>
#include <spress/spress.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "encode/shared/any.hpp"
#include "kernels/reference.hpp"
#include "tests/pipeline/interface/support.hpp"
#include "tests/scenarios.hpp"
#include "tests/scratch_folder.hpp"

namespace spress::tests {
namespace {

CsrHandle csr_of(const spress_arrays& arrays) {
  spress_csr* csr = nullptr;
  EXPECT_EQ(spress_csr_from_arrays(&arrays, &csr), SPRESS_OK) << spress_last_error();
  return CsrHandle(csr);
}

MatrixHandle encoded(const CsrHandle& csr, const std::string& format, const char* values = "raw") {
  spress_matrix* matrix = nullptr;
  EXPECT_EQ(spress_encode(csr.get(), format.c_str(), values, nullptr, &matrix), SPRESS_OK)
      << format << ": " << spress_last_error();
  return MatrixHandle(matrix);
}

/// What the head of a .spress file says.
void expect_shape(const std::string& path, std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
  std::int64_t found[3] = {-1, -1, -1};
  ASSERT_EQ(spress_read_shape(path.c_str(), &found[0], &found[1], &found[2]), SPRESS_OK) << spress_last_error();
  EXPECT_EQ(found[0], rows);
  EXPECT_EQ(found[1], cols);
  EXPECT_EQ(found[2], nnz);
}

/// Row pointers, columns and values of two matrices are the same, bit for bit.
void expect_same(const spress_arrays& a, const spress_arrays& b) {
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.nnz, b.nnz);
  ASSERT_EQ(a.row_ptr_type, b.row_ptr_type);
  ASSERT_EQ(a.values_type, b.values_type);
  const auto same = [](const void* x, const void* y, std::size_t bytes) {
    return bytes == 0 || std::memcmp(x, y, bytes) == 0;
  };
  EXPECT_TRUE(same(a.row_ptr, b.row_ptr, (static_cast<std::size_t>(a.rows) + 1) * 4));
  EXPECT_TRUE(same(a.col_idx, b.col_idx, static_cast<std::size_t>(a.nnz) * 4));
  const std::size_t width = a.values_type == SPRESS_NONE ? 0 : a.values_type == SPRESS_COMPLEX ? 16 : 8;
  EXPECT_TRUE(same(a.values, b.values, static_cast<std::size_t>(a.nnz) * width));
}

/// y = 2 A x - 3 y against the product in extended precision of the matrix [2A, -3I].
void expect_product(const Csr<Owned>& a, const spress_matrix* matrix) {
  const auto x = test_vector<double>(a.cols);
  const auto reference = reference_product(view_of(a), x.data());
  std::vector<double> y(a.rows, std::numeric_limits<double>::quiet_NaN());
  ASSERT_EQ(spress_multiply(matrix, 1, x.data(), 0, y.data()), SPRESS_OK) << spress_last_error();
  const auto verdict = judge(reference, y.data());
  EXPECT_TRUE(verdict.ok) << verdict.reason;
  std::vector<double> again(a.rows, 1);
  ASSERT_EQ(spress_multiply(matrix, 2, x.data(), -3, again.data()), SPRESS_OK);
  for (std::size_t r = 0; r < a.rows; ++r)
    if (std::isfinite(y[r])) {
      EXPECT_DOUBLE_EQ(again[r], 2 * y[r] - 3);
    }
}

class EveryFormat : public InScratchFolder<::testing::TestWithParam<Spec>> {};

TEST_P(EveryFormat, MultipliesAndComesBack) {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.cols > 1000000) continue;  // x alone takes gigabytes
    for (const Fill fill : {Fill::real, Fill::pattern, Fill::complex_values}) {
      SCOPED_TRACE(scenario.name);
      const auto a = make_csr(scenario, fill);
      if (!encode_any(view_of(a), GetParam()).ok()) continue;  // some formats do not hold some matrices
      const auto csr = csr_of(arrays_of(a));
      const auto matrix = encoded(csr, GetParam().text());
      spress_csr* decoded = nullptr;
      ASSERT_EQ(spress_decode(matrix.get(), &decoded), SPRESS_OK);
      const CsrHandle owner(decoded);
      spress_arrays arrays;
      spress_csr_arrays(decoded, &arrays);
      expect_same(arrays_of(a), arrays);
      if (fill != Fill::complex_values) {
        expect_product(a, matrix.get());
      } else {
        std::vector<double> x(a.cols), y(a.rows);
        EXPECT_EQ(spress_multiply(matrix.get(), 1, x.data(), 0, y.data()), SPRESS_NOT_APPLICABLE);
      }
    }
  }
}

TEST_P(EveryFormat, IsWrittenReadAndTransposed) {
  const auto a = make_csr({"rectangle", 5, 7, {{0, 6}, {1, 0}, {1, 3}, {3, 2}, {4, 6}}, {}});
  const auto csr = csr_of(arrays_of(a));
  const auto matrix = encoded(csr, GetParam().text());
  const std::string path = (folder / "m.spress").string();
  ASSERT_EQ(spress_matrix_write(matrix.get(), path.c_str()), SPRESS_OK) << spress_last_error();
  spress_matrix* read = nullptr;
  ASSERT_EQ(spress_matrix_read(path.c_str(), &read), SPRESS_OK) << spress_last_error();
  const MatrixHandle owner(read);
  spress_matrix_info before, after;
  spress_matrix_get_info(matrix.get(), &before);
  spress_matrix_get_info(read, &after);
  EXPECT_STREQ(before.format, after.format);
  EXPECT_EQ(before.bytes, after.bytes);
  expect_product(a, read);
  expect_shape(path, 5, 7, 5);
  ASSERT_EQ(spress_csr_write(csr.get(), path.c_str(), 0, 0), SPRESS_OK) << spress_last_error();
  expect_shape(path, 5, 7, 5);

  spress_matrix* transposed = nullptr;
  ASSERT_EQ(spress_transpose(matrix.get(), &transposed), SPRESS_OK) << spress_last_error();
  const MatrixHandle transposed_owner(transposed);
  const std::vector<double> x = {1, 10, 100, 1000, 10000};
  std::vector<double> y(7);
  ASSERT_EQ(spress_multiply(transposed, 1, x.data(), 0, y.data()), SPRESS_OK);
  EXPECT_EQ(y, (std::vector<double>{20, 0, 4000, 30, 0, 0, 50001}));
}

INSTANTIATE_TEST_SUITE_P(Interface, EveryFormat, ::testing::ValuesIn(all_formats()), [](const auto& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Borrowing, CopiesNothingThatCanStay) {
  const std::vector<std::int32_t> row_ptr = {0, 2, 3}, col_idx = {0, 2, 1};
  const std::vector<double> values = {1, 2, 3};
  const spress_arrays given = {
      2, 3, 3, row_ptr.data(), col_idx.data(), values.data(), SPRESS_INT32, SPRESS_INT32, SPRESS_DOUBLE};
  const auto csr = csr_of(given);
  spress_arrays seen;
  spress_csr_arrays(csr.get(), &seen);
  EXPECT_EQ(seen.row_ptr, row_ptr.data());
  EXPECT_EQ(seen.col_idx, col_idx.data());
  EXPECT_EQ(seen.values, values.data());
}

/// The dense form of a matrix with double values.
std::vector<double> dense_of(const spress_csr* csr) {
  spress_arrays a;
  spress_csr_arrays(csr, &a);
  std::vector<double> out(static_cast<std::size_t>(a.rows * a.cols));
  const auto* row_ptr = static_cast<const std::int32_t*>(a.row_ptr);
  for (std::int64_t r = 0; r < a.rows; ++r)
    for (auto k = row_ptr[r]; k < row_ptr[r + 1]; ++k)
      out[static_cast<std::size_t>(r * a.cols + static_cast<const std::int32_t*>(a.col_idx)[k])] =
          static_cast<const double*>(a.values)[k];
  return out;
}

TEST(Borrowing, SortsRowsAndAddsUpDuplicatesInACopy) {
  const std::vector<std::int64_t> row_ptr = {0, 4, 4, 6}, col_idx = {2, 0, 2, 1, 1, 0};
  const std::vector<double> values = {1, 2, 4, 8, 16, 32};
  const auto csr =
      csr_of({3, 3, 6, row_ptr.data(), col_idx.data(), values.data(), SPRESS_INT64, SPRESS_INT64, SPRESS_DOUBLE});
  EXPECT_EQ(dense_of(csr.get()), (std::vector<double>{2, 8, 5, 0, 0, 0, 32, 16, 0}));
  spress_csr_info info;
  spress_csr_get_info(csr.get(), &info);
  EXPECT_EQ(info.duplicates, 1);
  EXPECT_EQ(info.stored_entries, 6);
}

TEST(Borrowing, RefusesWhatIsNoMatrix) {
  const std::vector<std::int32_t> good = {0, 1, 2}, descending = {0, 3, 2}, ids = {0, 1}, far = {0, 3}, below = {-1, 0};
  const std::vector<double> values = {1, 2}, huge = {1.7e308, 1.7e308};
  const spress_arrays sound = {
      2, 2, 2, good.data(), ids.data(), values.data(), SPRESS_INT32, SPRESS_INT32, SPRESS_DOUBLE};
  const auto expect_refused = [](spress_arrays arrays, spress_result result, const std::string& text) {
    spress_csr* csr = nullptr;
    EXPECT_EQ(spress_csr_from_arrays(&arrays, &csr), result);
    EXPECT_EQ(csr, nullptr);
    EXPECT_NE(std::string(spress_last_error()).find(text), std::string::npos) << spress_last_error();
  };
  auto arrays = sound;
  arrays.row_ptr = descending.data();
  expect_refused(arrays, SPRESS_OUT_OF_RANGE, "row_ptr descends in row 1");
  arrays = sound;
  arrays.nnz = 3;
  expect_refused(arrays, SPRESS_OUT_OF_RANGE, "row_ptr goes from 0 to 2; expected 0 to 3 entries");
  arrays = sound;
  arrays.col_idx = far.data();
  expect_refused(arrays, SPRESS_OUT_OF_RANGE, "row 1 has a column out of range; expected 0 to 1");
  arrays = sound;
  arrays.col_idx = below.data();
  expect_refused(arrays, SPRESS_OUT_OF_RANGE, "row 0 has a column out of range");
  arrays = sound;
  arrays.cols = 0;
  expect_refused(arrays, SPRESS_OUT_OF_RANGE, "has a column, and the matrix has none");
  arrays = sound;
  arrays.rows = std::int64_t{1} << 31;
  expect_refused(arrays, SPRESS_TOO_LARGE, "2147483648 x 2");
  arrays = sound;
  arrays.values = nullptr;
  expect_refused(arrays, SPRESS_USAGE, "values is a null pointer");
  arrays = sound;
  arrays.values_type = SPRESS_INT32;
  expect_refused(arrays, SPRESS_USAGE, "values are");
  const std::vector<std::int32_t> one_row = {0, 2}, twice = {1, 1};
  expect_refused({1, 2, 2, one_row.data(), twice.data(), huge.data(), SPRESS_INT32, SPRESS_INT32, SPRESS_DOUBLE},
                 SPRESS_NOT_REPRESENTABLE, "duplicate entries add up to more");
}

TEST(Products, OfFloatsAndOfBlocks) {
  const std::vector<std::int32_t> row_ptr = {0, 2, 3}, col_idx = {0, 2, 1};
  const std::vector<float> values = {1, 2, 3};
  const auto csr =
      csr_of({2, 3, 3, row_ptr.data(), col_idx.data(), values.data(), SPRESS_INT32, SPRESS_INT32, SPRESS_FLOAT});
  const auto matrix = encoded(csr, "auto", nullptr);
  // Two vectors side by side in rows of two, and the results one behind the other.
  const std::vector<float> x = {1, 10, 2, 20, 3, 30};
  std::vector<float> y = {1, 1, 1, 1};
  ASSERT_EQ(spress_multiply_block_float(matrix.get(), 2, 1, x.data(), 2, 1, 1, y.data(), 1, 2), SPRESS_OK);
  EXPECT_EQ(y, (std::vector<float>{8, 7, 71, 61}));
  std::vector<double> wide(3), result(2);
  EXPECT_EQ(spress_multiply(matrix.get(), 1, wide.data(), 0, result.data()), SPRESS_NOT_APPLICABLE);
  EXPECT_STREQ(spress_last_error(), "the matrix holds float values, and the vectors are double");
}

/// Numbers that a product adds up without rounding.
double whole_number(std::int64_t i, std::int64_t j) { return static_cast<double>((7 * i + 3 * j) % 11 - 5); }

/// A block in the order of its rows or of its columns, with room between them.
struct StridedBlock {
  std::int64_t row_stride, col_stride;
  std::vector<double> numbers;

  StridedBlock(std::int64_t rows, std::int64_t cols, bool by_rows)
      : row_stride(by_rows ? cols + 1 : 1),
        col_stride(by_rows ? 1 : rows + 1),
        numbers(static_cast<std::size_t>((rows + 1) * (cols + 1)), -77) {}
  double& at(std::int64_t i, std::int64_t j) {
    return numbers[static_cast<std::size_t>(i * row_stride + j * col_stride)];
  }
};

/// y = alpha A X + beta y beside products with one vector after another.
void check_block(const spress_matrix* matrix, std::int64_t rows, std::int64_t cols, std::int64_t count, bool x_by_rows,
                 bool y_by_rows, double alpha, double beta) {
  StridedBlock x(cols, count, x_by_rows), y(rows, count, y_by_rows), wanted(rows, count, y_by_rows);
  std::vector<double> vector(static_cast<std::size_t>(cols)), product(static_cast<std::size_t>(rows));
  for (std::int64_t j = 0; j < count; ++j) {
    for (std::int64_t i = 0; i < cols; ++i) vector[static_cast<std::size_t>(i)] = x.at(i, j) = whole_number(i, j);
    ASSERT_EQ(spress_multiply(matrix, 1, vector.data(), 0, product.data()), SPRESS_OK);
    for (std::int64_t i = 0; i < rows; ++i) {
      y.at(i, j) = beta == 0 ? std::nan("") : whole_number(j, i);
      wanted.at(i, j) = alpha * product[static_cast<std::size_t>(i)] + (beta == 0 ? 0 : beta * y.at(i, j));
    }
  }
  ASSERT_EQ(spress_multiply_block(matrix, count, alpha, x.numbers.data(), x.row_stride, x.col_stride, beta,
                                  y.numbers.data(), y.row_stride, y.col_stride),
            SPRESS_OK);
  EXPECT_EQ(y.numbers, wanted.numbers) << count << " columns, by rows: " << x_by_rows << " " << y_by_rows;
}

TEST(Products, OfBlocksInEveryFormatAndOrder) {
  std::vector<std::int32_t> row_ptr = {0}, col_idx;
  std::vector<double> values;
  for (std::int32_t i = 0; i < 70; ++i) {
    for (std::int32_t c = i % 13; c < 90; c += 4 + i % 9) col_idx.push_back(c), values.push_back(whole_number(c, i));
    row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
  }
  const auto csr = csr_of({70, 90, static_cast<std::int64_t>(col_idx.size()), row_ptr.data(), col_idx.data(),
                           values.data(), SPRESS_INT32, SPRESS_INT32, SPRESS_DOUBLE});
  for (const char* format : {"csr", "opt-csr", "ell", "sell:c=8", "slice-delta", "bmsparse-csr", "coo"}) {
    SCOPED_TRACE(format);
    const auto matrix = encoded(csr, format);
    for (const std::int64_t count : {1, 2, 7, 8, 16, 40})
      for (const int order : {0, 1, 2, 3})
        for (const double beta : {0.0, 2.0})
          check_block(matrix.get(), 70, 90, count, order % 2 == 0, order < 2, beta == 0 ? 1 : -3, beta);
  }
}

TEST(Errors, HaveAStatusAndATextOfTheirThread) {
  spress_csr* csr = nullptr;
  std::int64_t shape[3];
  EXPECT_EQ(spress_read_shape("/nonexistent.spress", &shape[0], &shape[1], &shape[2]), SPRESS_NOT_FOUND);
  EXPECT_EQ(spress_csr_read("/nonexistent.mtx", nullptr, -1, &csr), SPRESS_NOT_FOUND);
  const std::string mine = spress_last_error();
  EXPECT_NE(mine.find("/nonexistent.mtx"), std::string::npos);
  std::thread([] {
    char* json = nullptr;
    EXPECT_EQ(spress_list("nothing", &json), SPRESS_USAGE);
    EXPECT_NE(std::string(spress_last_error()).find("formats, orderings, gallery"), std::string::npos);
  }).join();
  EXPECT_EQ(spress_last_error(), mine);
  EXPECT_EQ(spress_csr_read(nullptr, nullptr, -1, &csr), SPRESS_USAGE);
  EXPECT_EQ(spress_csr_read("gen:poisson2d,nx=3,ny=3", nullptr, -1, nullptr), SPRESS_USAGE);
}

TEST(Errors, OfNumbersThatDoNotExist) {
  const ScratchFolder folder;
  const std::string edges = (folder.path() / "e.el").string();
  std::ofstream(edges) << "1 2\n2 3\n";
  spress_csr* csr = nullptr;
  for (const int base : {-3, 2, 3, 5}) EXPECT_EQ(spress_csr_read(edges.c_str(), nullptr, base, &csr), SPRESS_USAGE);
  ASSERT_EQ(spress_csr_read(edges.c_str(), nullptr, 1, &csr), SPRESS_OK);
  const CsrHandle read(csr);
  for (const char* name : {"a.spress", "a.mtx"})
    for (const int level : {-1, 23})
      EXPECT_EQ(spress_csr_write(read.get(), (folder.path() / name).c_str(), level, 0), SPRESS_USAGE);
  const std::string file = (folder.path() / "rows.spress").string();
  const std::string text = (folder.path() / "other.mtx").string(), unknown = (folder.path() / "other.xyz").string();
  EXPECT_EQ(spress_csr_write(read.get(), text.c_str(), 3, 0), SPRESS_USAGE);
  EXPECT_EQ(spress_csr_write(read.get(), text.c_str(), 0, 1), SPRESS_USAGE);
  EXPECT_FALSE(std::filesystem::exists(text));
  EXPECT_EQ(spress_csr_write(read.get(), unknown.c_str(), 0, 0), SPRESS_USAGE);
  EXPECT_NE(std::string(spress_last_error()).find(".spress"), std::string::npos) << spress_last_error();
  for (const int seekable : {0, 1}) {
    ASSERT_EQ(spress_csr_write(read.get(), file.c_str(), 0, seekable), SPRESS_OK);
    using Range = std::pair<int, int>;
    for (const auto& [first, last] : {Range{-1, 1}, {2, 1}, {0, 4}, {7, 8}})
      EXPECT_EQ(spress_csr_read_rows(file.c_str(), first, last, &csr), SPRESS_OUT_OF_RANGE) << first << ':' << last;
  }
  for (const char* whole : {"gen:poisson2d,nx=3,ny=3", file.c_str()})
    EXPECT_EQ(spress_csr_read(whole, "a", -1, &csr), SPRESS_USAGE) << whole << " has no parts";
  ASSERT_EQ(spress_matrix_write(encoded(read, "csr").get(), file.c_str()), SPRESS_OK);
  EXPECT_EQ(spress_csr_read_rows(file.c_str(), 0, 4, &csr), SPRESS_OUT_OF_RANGE) << "of a format";
}

TEST(Errors, AFormatIsWrittenUnderItsOwnEnding) {
  const ScratchFolder folder;
  const auto a = make_csr({"one", 1, 1, {{0, 0}}, {}});
  const auto csr = csr_of(arrays_of(a));
  const auto matrix = encoded(csr, "csr");
  for (const char* name : {"a.mtx", "a", "a.spress.gz"}) {
    EXPECT_EQ(spress_matrix_write(matrix.get(), (folder.path() / name).c_str()), SPRESS_USAGE);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / name));
  }
}

TEST(Threads, AreNoMoreThanTheSystemCanGive) {
  spress_set_threads(std::numeric_limits<int>::max());
  const std::vector<std::int32_t> row_ptr = {0, 2}, unsorted = {1, 0};
  const std::vector<double> values = {1, 2};
  EXPECT_NE(
      csr_of({1, 2, 2, row_ptr.data(), unsorted.data(), values.data(), SPRESS_INT32, SPRESS_INT32, SPRESS_DOUBLE}),
      nullptr);
  spress_set_threads(0);
}

/// OpenMP's threads do not survive a fork.
TEST(Threads, AProcessForkedAfterAProductMultiplies) {
  spress_csr* csr = nullptr;
  ASSERT_EQ(spress_csr_read("gen:poisson2d,nx=300,ny=300", nullptr, -1, &csr), SPRESS_OK);
  const auto matrix = encoded(CsrHandle(csr), "csr");
  const std::vector<double> x(90000, 1);
  std::vector<double> y(90000), again(90000);
  spress_set_threads(4);
  ASSERT_EQ(spress_multiply(matrix.get(), 1, x.data(), 0, y.data()), SPRESS_OK);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // ends a child that waits for threads
    ::_exit(spress_multiply(matrix.get(), 1, x.data(), 0, again.data()) == SPRESS_OK && again == y ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(spress_multiply(matrix.get(), 1, x.data(), 0, again.data()), SPRESS_OK);
  spress_set_threads(0);
}

TEST(Reorderings, ArePermutations) {
  spress_csr* read = nullptr;
  ASSERT_EQ(spress_csr_read("gen:poisson2d,nx=8,ny=8,shuffle=3", nullptr, -1, &read), SPRESS_OK);
  const CsrHandle csr(read);
  std::vector<std::int32_t> rows(64), cols(64);
  ASSERT_EQ(spress_csr_reorder(csr.get(), "rcm", rows.data(), cols.data()), SPRESS_OK) << spress_last_error();
  EXPECT_EQ(rows, cols);
  std::vector<bool> seen(64);
  for (const auto old : rows) seen[static_cast<std::size_t>(old)] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 64);
  ASSERT_EQ(spress_csr_reorder(csr.get(), "none", rows.data(), cols.data()), SPRESS_OK);
  EXPECT_EQ(rows[63], 63);
  EXPECT_EQ(spress_csr_reorder(csr.get(), "nothing", rows.data(), cols.data()), SPRESS_USAGE);
}

TEST(Device, IsNeededBeforeProductsThere) {
  const auto a = make_csr({"one", 1, 1, {{0, 0}}, {}});
  const auto matrix = encoded(csr_of(arrays_of(a)), "csr");
  const double x = 1;
  double y = 0;
  EXPECT_EQ(spress_multiply_on_device(matrix.get(), 1, &x, 0, &y, nullptr), SPRESS_USAGE);
  EXPECT_NE(std::string(spress_last_error()).find("spress_to_device"), std::string::npos);
}

}  // namespace
}  // namespace spress::tests
