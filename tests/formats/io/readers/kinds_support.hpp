// What the tests of kinds of files share: files of data/kinds, matrices in all their bits.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/io/readers/file_kinds.hpp"
#include "tests/formats/io/matrix_market/mm_support.hpp"

namespace spress::io::kind_tests {

using namespace mm_tests;

inline constexpr const char* expected_ending = ".expected.mtx";

/// Those of a folder below data/kinds, without the matrices that they are expected to be.
inline std::vector<fs::path> files_of(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(data_folder() / "kinds" / folder))
    if (!file.path().string().ends_with(expected_ending)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

inline void expect_same_matrix(const Matrix& read, const Matrix& expected, const std::string& what) {
  EXPECT_TRUE(validate(view_of(read.csr)).ok()) << what;
  expect_identical(read.csr, expected.csr, what);
  EXPECT_EQ(enum_name(read.info.field), enum_name(expected.info.field)) << what;
  EXPECT_EQ(enum_name(read.info.symmetry), enum_name(expected.info.symmetry)) << what;
  EXPECT_EQ(read.info.duplicates, expected.info.duplicates) << what;
}

}  // namespace spress::io::kind_tests
