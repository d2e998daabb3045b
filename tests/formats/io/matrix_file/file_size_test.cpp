// Sizes of files by levels and blocks.
#include <gtest/gtest.h>

#include <string>

#include "formats/gallery/gallery.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/matrix_file/matrix_file_writer.hpp"
#include "formats/values/distinct.hpp"

namespace spress::io {
namespace {

std::size_t file_bytes(const char* generated, int level, const ContainerInfo& info) {
  const auto matrix = gallery::generate(*parse_spec(generated));
  EXPECT_TRUE(matrix.ok()) << generated;
  MatrixFileOptions options;
  options.level = level;
  const auto bytes = write_matrix_file_bytes(view_of(matrix->csr), info, options);
  EXPECT_TRUE(bytes.ok()) << generated;
  return bytes->size();
}

/// Level 19 of zstd makes nearly twice the bytes of level 6 of these lines.
TEST(FileSize, PatientLevelsAreNoLargerThanTheUsualOne) {
  ContainerInfo info;
  for (int line = 0; line < 20000; ++line) info.matrix.comments += "% line " + std::to_string(line) + '\n';
  const std::size_t usual = file_bytes("tridiag:n=5", 6, info);
  for (int level = 16; level <= 22; ++level) EXPECT_LE(file_bytes("tridiag:n=5", level, info), usual) << level;
}

/// Low levels of zstd do not shrink random letters.
TEST(FileSize, CommentsAreCompressedPatientlyAtEveryLevel) {
  ContainerInfo info;
  std::uint64_t state = 1;
  for (int line = 0; line < 1500; ++line) {
    info.matrix.comments += '%';
    for (int k = 0; k < 8; ++k) info.matrix.comments += static_cast<char>('a' + (state = hash_bits(state + 1)) % 26);
    info.matrix.comments += '\n';
  }
  const std::size_t patient = file_bytes("tridiag:n=5", 19, info);
  EXPECT_EQ(file_bytes("tridiag:n=5", 1, info), patient);
  EXPECT_EQ(file_bytes("tridiag:n=5", 6, info), patient);
}

TEST(FileSize, BlocksToSeekInGrowWithTheMatrix) {
  const auto entries = [](std::uint64_t nnz) { return block_entries({.seekable = true}, nnz); };
  EXPECT_EQ(entries(1'000'000), 32768u);
  EXPECT_EQ(entries(40'000'000), 78125u);
  EXPECT_EQ(entries(1'000'000'000), 131072u);
  EXPECT_EQ(block_entries({}, 40'000'000), 1048576u);
  const auto blocks_of = [](const char* text) {
    const auto matrix = gallery::generate(*parse_spec(text));
    MatrixFileOptions options;
    options.level = 1;
    options.seekable = true;
    const auto head = read_container_head_bytes(write_matrix_file_bytes(view_of(matrix->csr), {}, options).value());
    for (const auto& [key, value] : head->scalars)
      if (key == "blocks") return std::stoi(value);
    return 0;
  };
  EXPECT_EQ(blocks_of("tridiag:n=10000"), 1);
  EXPECT_EQ(blocks_of("tridiag:n=100000"), 10);
}

}  // namespace
}  // namespace spress::io
