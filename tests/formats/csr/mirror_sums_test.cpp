#include "formats/csr/mirror_sums.hpp"

#include <gtest/gtest.h>

#include "formats/io/matrix_file/triangle/fold.hpp"
#include "tests/formats/io/matrix_file/matrix_samples.hpp"
#include "tests/panels.hpp"

namespace spress {
namespace {

using tests::for_each_panel;

bool balanced(const Csr<Owned>& a, Mirror mirror, std::uint64_t rows_of_panel) {
  MirrorSums sums(mirror);
  for_each_panel(a, rows_of_panel, [&](const RowPanel& panel) { sums.add(panel); });
  return sums.balanced();
}

TEST(MirrorSums, AgreeWithTheWalkOverPairs) {
  for (const auto& sample : io::samples::folded_matrices()) {
    SCOPED_TRACE(sample.name + " " + std::string(enum_name(sample.fold)));
    const bool real = sample.csr.values.type != ValueType::c128;
    EXPECT_TRUE(balanced(sample.csr, Mirror::pattern, 16));
    EXPECT_EQ(balanced(sample.csr, Mirror::symmetric, 16), sample.fold == io::Fold::symmetric);
    EXPECT_EQ(balanced(sample.csr, Mirror::skew, 1000),
              sample.fold == io::Fold::skew || sample.csr.values.type == ValueType::none);
    if (!real) {
      EXPECT_EQ(balanced(sample.csr, Mirror::hermitian, 8), sample.fold == io::Fold::hermitian);
    }
  }
}

TEST(MirrorSums, SeeOneBit) {
  for (auto& sample : io::samples::folded_matrices()) {
    if (sample.fold != io::Fold::symmetric || sample.csr.values.type == ValueType::none) continue;
    SCOPED_TRACE(sample.name);
    std::uint64_t k = 0;  // the first entry of row 0 right of the diagonal
    while (sample.csr.col_idx[k] == 0) ++k;
    reinterpret_cast<std::uint8_t*>(sample.csr.values.codes.memory.data())[k * size_of(sample.csr.values.type)] ^= 1;
    EXPECT_FALSE(balanced(sample.csr, Mirror::symmetric, 16));
    EXPECT_TRUE(balanced(sample.csr, Mirror::pattern, 16));
  }
}

TEST(MirrorSums, SeeOneEntryOnTheWrongSide) {
  const auto of = [](const io::samples::Places& places) {
    return io::samples::csr_of({"", 4, 4, places}, pattern_store(places.size()));
  };
  EXPECT_TRUE(balanced(of({{0, 2}, {1, 1}, {2, 0}, {2, 3}, {3, 2}}), Mirror::pattern, 8));
  EXPECT_FALSE(balanced(of({{0, 2}, {1, 1}, {2, 0}, {2, 3}, {3, 1}}), Mirror::pattern, 8));
  EXPECT_FALSE(balanced(of({{0, 2}, {1, 3}}), Mirror::pattern, 8));
}

}  // namespace
}  // namespace spress
