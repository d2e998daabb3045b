#include "kernels/cpu/shared/row_sums.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "formats/values/values.hpp"

namespace spress::cpu {
namespace {

/// Rows of the given lengths, walked from row `first` on.
void expect_narrowed(const std::vector<std::uint64_t>& lengths, std::uint64_t first) {
  std::vector<std::uint64_t> row_ptr = {0};
  for (const std::uint64_t n : lengths) row_ptr.push_back(row_ptr.back() + n);
  std::uint64_t row = first;
  portable::with_narrow_positions(
      row_ptr.data(), first, lengths.size(),
      [&](const std::uint32_t* narrow, std::uint64_t at, std::uint64_t rows, std::uint64_t skip) {
        ASSERT_EQ(at, row);
        ASSERT_GT(rows, 0u);
        for (std::uint64_t i = 0; i <= rows; ++i) ASSERT_EQ(narrow[i] + skip, row_ptr[at + i]) << at << " " << i;
        row += rows;
      });
  EXPECT_EQ(row, lengths.size());
}

TEST(RowSums, WidePositionsAreNarrowedInPieces) {
  constexpr std::uint64_t longest = 0xFFFFFFFF;
  expect_narrowed({}, 0);
  expect_narrowed(std::vector<std::uint64_t>(3000, 7), 0);
  expect_narrowed(std::vector<std::uint64_t>(3000, 7), 1500);
  expect_narrowed(std::vector<std::uint64_t>(20, longest), 3);
  expect_narrowed(std::vector<std::uint64_t>(2000, longest / 600), 1);
  expect_narrowed({1, longest, 0, 0, 1, longest - 1, 1, 1, 0}, 0);
}

TEST(RowSums, NarrowPositionsStayWhereTheyAre) {
  const std::vector<std::uint32_t> row_ptr = {0, 2, 2, 5};
  int calls = 0;
  portable::with_narrow_positions(row_ptr.data(), 1, 3,
                                  [&](const std::uint32_t* same, std::uint64_t at, std::uint64_t rows, auto skip) {
                                    EXPECT_EQ(same, row_ptr.data() + 1);
                                    EXPECT_EQ(at, 1u);
                                    EXPECT_EQ(rows, 2u);
                                    EXPECT_EQ(skip, 0u);
                                    ++calls;
                                  });
  EXPECT_EQ(calls, 1);
}

/// A product reads where no value is, too, and takes no lane of it: that has to lie in the window.
TEST(RowSums, WindowsOfAPieceBeginInTheirMemory) {
  constexpr std::uint64_t count = 3000;
  ValueStore<Owned> store;
  store.type = ValueType::f64;
  store.count = count;
  HostArray<double> numbers(count);
  for (std::uint64_t k = 0; k < count; ++k) numbers.data()[k] = static_cast<double>(k % 100);
  store.codes = AnyArray<Owned>(numbers);
  const auto narrow = with_store(view_of(store), StoreKind::narrow);
  ASSERT_TRUE(narrow.ok());
  const auto view = view_of(*narrow);
  portable::Windows<double> windows(view, 0, count);
  EXPECT_EQ(*windows.at(2000, 10), 0);
  windows.count_from(150);
  const double* const none = windows.at(0, 0);
  EXPECT_EQ(windows.at(0, 1), none);
  EXPECT_EQ(windows.at(0, 1)[0], 50);
  EXPECT_EQ(windows.at(2849, 1)[0], 99);
}

}  // namespace
}  // namespace spress::cpu
