// Formats whose kernels work on tiles of rows that warps share: rows cut into pieces, codes of every width and mode,
// lanes that share rows, block rows of one block or thousands, and x infinite where no entry stands.
#include <limits>

#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/kernels/cuda/rows.hpp"

namespace spress {
namespace {

using tests::always;
using tests::itself;
using tests::OfRow;
using tests::rows_of;

std::vector<Spec> specs() {
  std::vector<Spec> all = {{"bmsparse", {}}, {"bmsparse-csr", {}}, {"hybrid-bm-csr", {{"threshold", "3"}}}};
  for (const char* mode : {"delta", "anchored", "diagonal"}) all.push_back({"opt-csr", {{"index", mode}}});
  return all;
}

void check(const tests::Scenario& scenario) {
  const auto a = tests::make_csr(scenario);
  tests::in_every_store(view_of(a), []<class T>(const Csr<Viewed>& stored) {
    const auto x = test_vector<T>(stored.cols);
    std::vector<T> guarded(x.size(), std::numeric_limits<T>::infinity());
    for (std::uint32_t column : stored.col_idx) guarded[column] = x[column];
    for (const Spec& spec : specs()) tests::judged<T>(stored, spec, x, guarded);
  });
}

TEST(TilesOnDevice, RowsOfOneLengthShareTheLanesEvenly) {
  NEEDS_DEVICE();
  for (std::uint32_t length : {1u, 2u, 7u, 16u, 27u, 64u, 81u, 300u})
    check(rows_of(12000 / length + 3, 20000, always(length), always(1), itself));
}

TEST(TilesOnDevice, LongRowsAreCutIntoPieces) {
  NEEDS_DEVICE();
  const OfRow lengths = [](std::uint32_t r) { return r == 3 || r == 70 ? 100000u : r % 9 == 4 ? 700u : r % 13; };
  check(rows_of(90, 100000, lengths, always(1), itself));  // 8 bits
  check(rows_of(
      90, 300000, lengths, [](std::uint32_t r) { return r == 3 ? 3u : 300u; }, always(11)));  // 16 bits
  check(rows_of(90, 300000, lengths, always(1), always(150000)));                             // 32 bits to the diagonal
  check(rows_of(1, 70000, always(70000), always(1), always(0)));
}

TEST(TilesOnDevice, SectionsOfEveryWidthStandSideBySide) {
  NEEDS_DEVICE();
  check(rows_of(
      3000, 400000, [](std::uint32_t r) { return r % 50; },
      [](std::uint32_t r) { return r % 3 == 0   ? 2u
                                   : r % 3 == 1 ? 1000u
                                                : 90000u; },
      [](std::uint32_t r) { return r * 7; }));
}

/// A kernel that was made ready for a matrix of small tiles still serves one of large tiles, made ready before.
TEST(TilesOnDevice, ProductsOfSeveralMatricesLiveSideBySide) {
  NEEDS_DEVICE();
  const auto large = tests::make_csr(rows_of(300, 20000, always(700), always(1), itself));
  const auto small = tests::make_csr(rows_of(300, 20000, always(2), always(1), itself));
  const auto x = test_vector<double>(20000);
  const auto device_x = cuda::upload(std::span<const double>(x), "x");
  ASSERT_TRUE(device_x.ok());
  for (const Spec& spec : specs()) {
    SCOPED_TRACE(spec.text());
    const auto encoded = encode_any(view_of(large), spec);
    ASSERT_TRUE(encoded.ok());
    with_any(*encoded, [&](const auto& f) {
      const auto matrix = cuda::upload(view_of(f));
      ASSERT_TRUE(matrix.ok());
      const auto product = cuda::product<double>(view_of(f), matrix->view);
      ASSERT_TRUE(product.ok()) << product.error().text();
      tests::judged<double>(view_of(small), spec);
      const auto y = tests::poisoned_run(*product, *device_x, large.rows);
      ASSERT_TRUE(y.ok()) << y.error().text();
      const auto verdict = judge(reference_product<double>(view_of(large), x.data()), y->data());
      EXPECT_TRUE(verdict.ok) << verdict.reason;
    });
  }
}

TEST(TilesOnDevice, RowsWithoutEntriesStandAmongOthers) {
  NEEDS_DEVICE();
  check(rows_of(
      30001, 30001, [](std::uint32_t r) { return r % 3001 == 3000 ? 5u : 0u; }, always(1),
      [](std::uint32_t r) { return r / 2; }));
}

TEST(TilesOnDevice, BlocksAreFullOrNearlyEmpty) {
  NEEDS_DEVICE();
  check(rows_of(203, 995, always(100), always(1), [](std::uint32_t r) { return r / 8 * 24; }));
  check(rows_of(203, 50000, always(90), always(500), itself));
  const OfRow one_is_long = [](std::uint32_t r) { return r == 11 ? 60000u : r % 5; };
  check(rows_of(45, 200000, one_is_long, always(3), itself));
  check(rows_of(120, 1000, always(1000), always(1), always(0)));  // every bit of every block
}

}  // namespace
}  // namespace spress
