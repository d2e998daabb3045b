// Rows of chosen lengths for the kernels of csr, coo, bcoo and bccoo: each kernel of csr, rows cut into pieces, rows
// that many shares hold, lanes that begin somewhere in their rows.
#include "tests/cuda/judged.hpp"
#include "tests/cuda/needs_device.hpp"
#include "tests/cuda/rows.hpp"

namespace spress {
namespace {

using tests::always;
using tests::OfRow;
using tests::rows_of;

/// Checks the four formats in every store, double and float, all of which give the same bits each time; returns csr's
/// kernel.
std::string check(const tests::Scenario& scenario) {
  const auto a = tests::make_csr(scenario);
  tests::in_every_store(view_of(a), [&]<class T>(const Csr<Viewed>& stored) {
    for (const Spec& spec :
         {Spec{"csr", {}}, Spec{"coo", {}}, Spec{"bcoo", {{"b", "50"}}}, Spec{"bccoo", {{"b", "9"}}}}) {
      const auto judged = tests::judged<T>(stored, spec);
      EXPECT_TRUE(judged.repeatable || judged.kernel == tests::Judged{}.kernel) << spec.text();
    }
  });
  return tests::judged<double>(view_of(a), {"csr", {}}).kernel;
}

/// Columns as far apart as no neighbour's are.
const OfRow scattered = [](std::uint32_t r) { return 20 + r * 7 % 50; };

/// Entries that make a matrix large for any device.
constexpr std::uint32_t many = 12'000'000;

void expect_kernel(const std::string& kernel, const std::string& part) {
  EXPECT_NE(kernel.find(part), std::string::npos) << kernel;
}
std::string check_csr(const tests::Scenario& scenario) {
  return tests::judged_in_every_store(view_of(tests::make_csr(scenario)), {"csr", {}});
}
/// With values in one store only; returns the kernel.
std::string check_csr(const tests::Scenario& scenario, StoreKind store) {
  const auto a = with_values(view_of(tests::make_csr(scenario)), store);
  if (!a.ok()) return a.error().message;
  return tests::judged<double>(view_of(*a), {"csr", {}}).kernel;
}
const std::string directly = "long rows by warps and blocks";

TEST(CsrOnDevice, RowsThatFollowOneAnotherAreTakenByLanes) {
  NEEDS_DEVICE();
  for (std::uint32_t length : {3u, 27u, 900u}) {
    const auto scenario = rows_of(many / length, 2 * many, [&](auto r) { return length - (r % 90 == 5 ? 1 : 0); });
    expect_kernel(check_csr(scenario, StoreKind::lut8), "tile of rows per block");
    expect_kernel(check_csr(scenario, StoreKind::raw), directly);
  }
}

/// One row of 64 lies on a side of the grid and is unlike the next: a sample of every 64th row would see nothing else.
TEST(CsrOnDevice, SidesOfGridsDoNotDecide) {
  NEEDS_DEVICE();
  const auto side = [](std::uint32_t r) { return r % 64 == 0; };
  const auto grid = rows_of(
      1 << 22, 1 << 23, [&](auto r) { return side(r) ? 2u : 3u; }, [&](auto r) { return side(r) ? 90u : 2u; });
  expect_kernel(check_csr(grid, StoreKind::lut8), "tile of rows per block");
}

TEST(CsrOnDevice, RowsOfAnyLengthsAreTakenByEntries) {
  NEEDS_DEVICE();
  for (const OfRow& length : {OfRow([](auto) { return 8; }), OfRow([](auto r) { return r % 100 == 3 ? 1000 : r % 9; })})
    for (const StoreKind store : {StoreKind::raw, StoreKind::lut8})
      expect_kernel(check_csr(rows_of(many / 8, many, length, scattered), store), "sums by row");
}

TEST(CsrOnDevice, RowsLongerThanATileAreCut) {
  NEEDS_DEVICE();
  for (std::uint32_t length : {1021u, 1537u, 5000u, 300000u})
    for (const StoreKind store : {StoreKind::raw, StoreKind::lut8})
      check_csr(rows_of(
                    many / length, many, [&](auto) { return length; }, always(5)),
                store);
  check_csr(rows_of(many / 4, many, [](auto r) { return r == 300 || r == many / 4 - 1 ? 1'000'000 : r % 8; }),
            StoreKind::raw);
}

// --- Small matrices ---

TEST(SmallCsrOnDevice, AsManyLanesAsARowHasEntries) {
  NEEDS_DEVICE();
  for (std::uint32_t length : {1u, 2u, 3u, 5u, 9u, 17u, 32u, 33u, 200u})
    for (std::uint32_t rows : {1u, 31u, 2000u})
      expect_kernel(check_csr(rows_of(rows, 90000, [&](auto r) { return length - (r % 90 == 5 ? 1 : 0); })), directly);
}

TEST(SmallCsrOnDevice, RowsOfAnyLengths) {
  NEEDS_DEVICE();
  for (const OfRow& length :
       {OfRow([](auto) { return 8; }), OfRow([](auto r) { return r % 7; }),
        OfRow([](auto r) { return r % 100 == 3 ? 1000 : r % 9; }), OfRow([](auto r) { return 30 + r % 5; })})
    expect_kernel(check(rows_of(3000, 90000, length, scattered)), directly);
}

TEST(SmallCsrOnDevice, LongRowsAreTakenByWarpsAndBlocks) {
  NEEDS_DEVICE();
  check(rows_of(
      9, 30000, [](auto r) { return 5000 + r; }, always(5)));
  check(rows_of(
      500, 200000, [](auto r) { return r == 300 ? 100000 : r % 20; }, always(2)));
  check(rows_of(
      500, 100000, [](auto r) { return r == 0 || r == 499 ? 40000 : 0; }, always(1)));
  check(rows_of(
      1, 70000, [](auto) { return 70000; }, always(1)));
  for (std::uint32_t length : {16u, 17u, 127u, 128u, 129u, 1024u, 1025u, 2048u, 2049u, 3073u})
    expect_kernel(check_csr(rows_of(3000, 90000, [&](auto r) { return r % 1000 == 7 ? length : r % 4; })), directly);
}

TEST(SmallCsrOnDevice, ManyEmptyRows) {
  NEEDS_DEVICE();
  check(rows_of(100000, 100000, [](auto r) { return r % 7001 == 7000 ? 3 : 0; }));
}

}  // namespace
}  // namespace spress
