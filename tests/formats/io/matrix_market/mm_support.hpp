// Helpers of the Matrix Market tests: scratch folders, matrices as lists of entries.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/description.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "tests/data.hpp"
#include "tests/scratch_folder.hpp"

namespace spress::io::mm_tests {

namespace fs = std::filesystem;

using tests::ScratchFolder;

inline void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
inline std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_gzip(const fs::path& path, std::string_view bytes) {
  gzFile out = gzopen(path.c_str(), "wb1");
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size())), static_cast<int>(bytes.size()));
  gzclose(out);
}

struct Entry {
  std::uint64_t row, col;  ///< from 1
  std::complex<double> value;
};

inline std::vector<Entry> entries_of(const Csr<Owned>& a) {
  std::vector<Entry> entries;
  std::uint64_t k = 0;
  for (std::uint64_t r = 0; r < a.rows; ++r)
    for (; k < a.row_ptr.position(r + 1); ++k) {
      std::complex<double> value = 1;
      if (a.values.type == ValueType::f64) value = a.values.codes.as<double>()[k];
      if (a.values.type == ValueType::c128) value = a.values.codes.as<std::complex<double>>()[k];
      entries.push_back({r + 1, std::uint64_t{a.col_idx[k]} + 1, value});
    }
  return entries;
}

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Both matrices hold the same arrays, byte for byte.
inline void expect_identical(const Csr<Owned>& a, const Csr<Owned>& b, const std::string& what) {
  const auto same = [](const auto& x, const auto& y) {
    return x.dtype() == y.dtype() && x.bytes() == y.bytes() &&
           (x.bytes() == 0 || std::memcmp(x.raw(), y.raw(), x.bytes()) == 0);
  };
  EXPECT_EQ(a.rows, b.rows) << what;
  EXPECT_EQ(a.cols, b.cols) << what;
  EXPECT_EQ(a.nnz, b.nnz) << what;
  EXPECT_TRUE(same(a.row_ptr, b.row_ptr)) << what;
  EXPECT_TRUE(same(a.col_idx, b.col_idx)) << what;
  EXPECT_EQ(a.values.type, b.values.type) << what;
  EXPECT_EQ(a.values.count, b.values.count) << what;
  EXPECT_TRUE(a.values.type == ValueType::none || same(a.values.codes, b.values.codes)) << what;
}

inline Matrix read_or_die(const fs::path& path, int threads = 0) {
  auto matrix = read_matrix_market(path, {threads});
  if (!matrix.ok()) {
    ADD_FAILURE() << matrix.error().text();
    return {};
  }
  EXPECT_TRUE(validate(view_of(matrix->csr)).ok()) << path;
  return std::move(matrix).value();
}

}  // namespace spress::io::mm_tests
