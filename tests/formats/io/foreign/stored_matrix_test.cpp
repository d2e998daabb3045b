#include "formats/io/foreign/stored_matrix.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/formats/io/matrix_market/mm_support.hpp"

namespace spress::io {
namespace {

using mm_tests::entries_of;

template <class T>
StoredArray seen(const std::vector<T>& values) {
  return {dtype_of<T>(), {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)}};
}

/// 2 x 3:  1 . 2
///         . 3 .
struct Sample {
  std::vector<std::int32_t> row_ptr = {0, 2, 3}, cols = {0, 2, 1}, rows = {0, 0, 1};
  std::vector<double> values = {1, 2, 3};
  StoredMatrix matrix;
  Sample() {
    matrix.rows = 2;
    matrix.cols = 3;
    bind();
  }
  void bind() {
    matrix.pointers = seen(row_ptr);
    matrix.minor_ids = seen(cols);
    matrix.values = seen(values);
  }
};

std::string text_of(const StoredMatrix& stored, const StoredMatrix* zeros = nullptr) {
  const auto matrix = assemble_stored(stored, zeros, 1);
  if (!matrix.ok()) return std::string(to_string(matrix.error().code)) + ": " + matrix.error().message;
  std::string text = std::string(enum_name(matrix->info.field)) + ' ' + std::to_string(matrix->csr.rows) + 'x' +
                     std::to_string(matrix->csr.cols);
  for (const auto& entry : entries_of(matrix->csr)) {
    text += ' ' + std::to_string(entry.row) + ',' + std::to_string(entry.col) + '=' +
            std::to_string(static_cast<int>(entry.value.real()));
    if (entry.value.imag() != 0) text += 'i' + std::to_string(static_cast<int>(entry.value.imag()));
  }
  return text;
}

constexpr const char* sample_text = "real 2x3 1,1=1 1,3=2 2,2=3";

TEST(StoredMatrix, CompressedRows) { EXPECT_EQ(text_of(Sample().matrix), sample_text); }

TEST(StoredMatrix, CompressedColumns) {
  Sample sample;
  sample.row_ptr = {0, 1, 2, 3};
  sample.cols = {0, 1, 0};
  sample.values = {1, 3, 2};
  sample.bind();
  sample.matrix.by_columns = true;
  EXPECT_EQ(text_of(sample.matrix), sample_text);
}

TEST(StoredMatrix, ListedRows) {
  Sample sample;
  const std::vector<std::uint8_t> listed = {3, 5};
  sample.matrix.rows = 6;
  sample.matrix.major_ids = seen(listed);
  sample.matrix.majors_listed = true;
  EXPECT_EQ(text_of(sample.matrix), "real 6x3 4,1=1 4,3=2 6,2=3");
}

TEST(StoredMatrix, Coordinates) {
  Sample sample;
  sample.matrix.arrangement = Arrangement::coordinates;
  sample.matrix.major_ids = seen(sample.rows);
  EXPECT_EQ(text_of(sample.matrix), sample_text);
  sample.matrix.by_columns = true;
  std::swap(sample.matrix.rows, sample.matrix.cols);
  EXPECT_EQ(text_of(sample.matrix), "real 3x2 1,1=1 2,2=3 3,1=2");
}

TEST(StoredMatrix, DenseKeepsWhatIsNotZero) {
  StoredMatrix dense;
  dense.arrangement = Arrangement::dense;
  dense.rows = 2;
  dense.cols = 3;
  const std::vector<double> by_rows = {1, 0, 2, 0, 3, 0}, by_columns = {1, 0, 0, 3, 2, 0};
  dense.values = seen(by_rows);
  EXPECT_EQ(text_of(dense), sample_text);
  dense.values = seen(by_columns);
  dense.by_columns = true;
  EXPECT_EQ(text_of(dense), sample_text);
}

TEST(StoredMatrix, EveryNumberType) {
  const auto check = [](auto type) {
    using T = decltype(type);
    const std::vector<T> pointers = {0, 2, 3}, cols = {0, 2, 1}, values = {1, 2, 3};
    Sample sample;
    sample.matrix.pointers = seen(pointers);
    sample.matrix.minor_ids = seen(cols);
    sample.matrix.values = seen(values);
    EXPECT_EQ(text_of(sample.matrix), sample_text);
  };
  check(std::uint8_t{}), check(std::int8_t{}), check(std::uint16_t{}), check(std::int16_t{}), check(std::uint32_t{});
  check(std::int32_t{}), check(std::uint64_t{}), check(std::int64_t{}), check(float{}), check(double{});
}

TEST(StoredMatrix, ComplexValues) {
  Sample sample;
  sample.matrix.field = Field::complex;
  const std::vector<double> imaginary = {0, 5, 6}, pairs = {1, 0, 2, 5, 3, 6};
  sample.matrix.imaginary = seen(imaginary);
  EXPECT_EQ(text_of(sample.matrix), "complex 2x3 1,1=1 1,3=2i5 2,2=3i6");
  sample.matrix.values = seen(pairs);
  sample.matrix.paired = true;
  EXPECT_EQ(text_of(sample.matrix), "complex 2x3 1,1=1 1,3=2i5 2,2=3i6");
}

TEST(StoredMatrix, OneValueAndTruths) {
  Sample sample;
  const std::vector<std::uint8_t> one = {1}, seven = {7}, truths = {1, 1, 1}, some = {1, 0, 9};
  sample.matrix.field = Field::integer;
  sample.matrix.one_value = true;
  sample.matrix.values = seen(one);
  EXPECT_EQ(text_of(sample.matrix), "pattern 2x3 1,1=1 1,3=1 2,2=1");
  sample.matrix.values = seen(seven);
  EXPECT_EQ(text_of(sample.matrix), "integer 2x3 1,1=7 1,3=7 2,2=7");
  sample.matrix.one_value = false;
  sample.matrix.boolean = true;
  sample.matrix.values = seen(truths);
  EXPECT_EQ(text_of(sample.matrix), "pattern 2x3 1,1=1 1,3=1 2,2=1");
  sample.matrix.values = seen(some);
  EXPECT_EQ(text_of(sample.matrix), "integer 2x3 1,1=1 1,3=0 2,2=1");
}

TEST(StoredMatrix, ExplicitZerosJoin) {
  Sample sample, zeros;
  zeros.cols = {1, 1, 0};
  zeros.row_ptr = {0, 1, 3};
  zeros.bind();
  EXPECT_EQ(text_of(sample.matrix, &zeros.matrix), "real 2x3 1,1=1 1,2=0 1,3=2 2,1=0 2,2=3");
}

TEST(StoredMatrix, ExplicitZerosHaveTheShapeOfTheMatrix) {
  for (const auto& [rows, cols] : {std::pair(2u, 100u), std::pair(50000000u, 3u), std::pair(1u, 3u)}) {
    Sample sample, zeros;
    zeros.matrix.arrangement = Arrangement::coordinates;
    const std::vector<std::uint32_t> far = {rows - 1}, right = {cols - 1};
    zeros.matrix.rows = rows;
    zeros.matrix.cols = cols;
    zeros.matrix.major_ids = seen(far);
    zeros.matrix.minor_ids = seen(right);
    EXPECT_NE(text_of(sample.matrix, &zeros.matrix)
                  .find("Zeros is " + std::to_string(rows) + " x " + std::to_string(cols) + ", A is 2 x 3"),
              std::string::npos);
  }
}

TEST(StoredMatrix, OneTriangleGivesBoth) {
  Sample sample;
  sample.matrix.rows = 3;
  sample.matrix.symmetry = Symmetry::symmetric;
  sample.matrix.triangle = Triangle::upper;
  sample.row_ptr = {0, 2, 3, 3};
  sample.bind();
  EXPECT_EQ(text_of(sample.matrix), "real 3x3 1,1=1 1,3=2 2,2=3 3,1=2");
  sample.matrix.triangle = Triangle::lower;
  EXPECT_NE(text_of(sample.matrix).find("damaged: entry 1 at row 0, column 2 (from 0) is outside the lower triangle"),
            std::string::npos);
  sample.matrix.triangle = Triangle::upper;
  sample.matrix.symmetry = Symmetry::skew_symmetric;
  EXPECT_NE(text_of(sample.matrix).find("is not 0"), std::string::npos);
  sample.matrix.symmetry = Symmetry::hermitian;
  EXPECT_NE(text_of(sample.matrix).find("not complex"), std::string::npos);
}

TEST(StoredMatrix, WrongArraysAreNamed) {
  const auto message = [](auto change) {
    Sample sample;
    change(sample);
    return text_of(sample.matrix);
  };
  const auto has = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  has(message([](Sample& s) { s.row_ptr = {0, 2}, s.bind(); }), "there are 2 pointers, and 3 are wanted for 2 rows");
  has(message([](Sample& s) { s.row_ptr = {0, 4, 3}, s.bind(); }), "pointer 2 is 3; pointers ascend");
  has(message([](Sample& s) { s.row_ptr = {1, 2, 3}, s.bind(); }), "pointer 0 is 1; the first one must be 0");
  has(message([](Sample& s) { s.row_ptr = {0, -1, 3}, s.bind(); }), "pointer 1 is -1");
  has(message([](Sample& s) {
        s.row_ptr = {0, 2, 2}, s.bind();
      }),
      "2 entries that the pointers count, and 3 column ids");
  has(message([](Sample& s) { s.cols = {0, 3, 1}, s.bind(); }), "out_of_range: the column id of entry 1 is 3");
  has(message([](Sample& s) { s.cols = {0, -7, 1}, s.bind(); }), "the column id of entry 1 is -7");
  has(message([](Sample& s) { s.values = {0, 1}, s.bind(); }), "there are 2 values, and 3 entries");
  has(message([](Sample& s) { s.matrix.field = Field::complex; }), "there are 0 imaginary parts, and 3 real parts");
  has(message([](Sample& s) { s.matrix.field = Field::complex, s.matrix.paired = true; }), "no pairs");
  has(message([](Sample& s) { s.matrix.arrangement = Arrangement::coordinates; }), "0 row ids, and 3 column ids");
  has(message([](Sample& s) { s.matrix.arrangement = Arrangement::dense; }), "there are 3 values, and 6 entries");
  has(message([](Sample& s) { s.matrix.rows = std::uint64_t{1} << 31; }), "too_large");
}

TEST(StoredMatrix, FractionsAreNoIds) {
  Sample sample;
  const std::vector<double> ids = {0, 1.5, 1};
  sample.matrix.minor_ids = seen(ids);
  EXPECT_NE(text_of(sample.matrix).find("out_of_range: the column id of entry 1"), std::string::npos);
}

TEST(StoredMatrix, IntegersBeyondDoubleAreRefused) {
  Sample sample;
  sample.matrix.field = Field::integer;
  constexpr std::int64_t limit = std::int64_t{1} << 53;
  const std::vector<std::int64_t> fits = {limit, -limit, 0}, above = {1, limit + 1, 0};
  const std::vector<std::uint64_t> largest = {1, 2, ~std::uint64_t{0}};
  sample.matrix.values = seen(fits);
  EXPECT_TRUE(assemble_stored(sample.matrix, nullptr, 1).ok());
  sample.matrix.values = seen(above);
  EXPECT_NE(text_of(sample.matrix).find("not_representable: the value of entry 1 is 9007199254740993"),
            std::string::npos);
  sample.matrix.values = seen(largest);
  EXPECT_NE(text_of(sample.matrix).find("not_representable: the value of entry 2"), std::string::npos);
}

TEST(StoredMatrix, NothingAtAll) {
  Sample sample;
  sample.row_ptr = {0};
  sample.cols = {};
  sample.values = {};
  sample.matrix.rows = 0;
  sample.bind();
  EXPECT_EQ(text_of(sample.matrix), "real 0x3");
}

/// More entries than fit one block: the same on any number of threads.
TEST(StoredMatrix, ManyEntriesOnSeveralThreads) {
  constexpr std::uint32_t n = 100000;
  std::vector<std::uint64_t> pointers(n + 1);
  std::vector<std::uint32_t> ids(n);
  std::vector<float> values(n);
  for (std::uint32_t k = 0; k < n; ++k) {
    pointers[k + 1] = k / 3 * 3 + 3 > n ? n : k / 3 * 3 + 3;
    ids[k] = (k * 7919u) % n;
    values[k] = static_cast<float>(k);
  }
  pointers[n] = n;
  StoredMatrix stored;
  stored.rows = stored.cols = n;
  stored.pointers = seen(pointers);
  stored.minor_ids = seen(ids);
  stored.values = seen(values);
  const auto one = assemble_stored(stored, nullptr, 1), four = assemble_stored(stored, nullptr, 4);
  ASSERT_TRUE(one.ok() && four.ok());
  EXPECT_TRUE(identical(view_of(one->csr), view_of(four->csr)));
  ids[70000] = ids[99000] = n;
  EXPECT_NE(text_of(stored).find("entry 70000"), std::string::npos);
  const auto wrong = assemble_stored(stored, nullptr, 4);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("entry 70000"), std::string::npos) << wrong.error().message;
}

}  // namespace
}  // namespace spress::io
