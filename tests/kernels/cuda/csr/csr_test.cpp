// Rows of chosen lengths for the kernels of csr, coo, bcoo and bccoo: each kernel of csr, rows cut into pieces, rows
// that many shares hold, lanes that begin somewhere in their rows.
#include <map>

#include "kernels/cuda/csr/csr_ways.hpp"
#include "kernels/cuda/device/device.hpp"
#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/kernels/cuda/rows.hpp"

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

// --- Each way, whatever the matrix is like ---

/// Each way that can be asked for, and a part of the name of its kernel.
const std::map<std::string, std::string> kernels = {{"thread", "row per thread"},
                                                    {"warp", "row per warp"},
                                                    {"lanes", "tile of rows per block"},
                                                    {"entries", "sums by row"}};

void expect_way(const tests::Judged& judged, const std::string& kernel) {
  EXPECT_NE(judged.kernel.find(kernel), std::string::npos) << judged.kernel;
  EXPECT_TRUE(judged.repeatable) << judged.kernel;
}

/// Judges each way in every store, double and float, all of which give the same bits each time.
void check_ways(const Csr<Viewed>& a) {
  tests::in_every_store(a, [&]<class T>(const Csr<Viewed>& stored) {
    for (const auto& [way, kernel] : kernels) expect_way(tests::judged<T>(stored, {"csr", {{"way", way}}}), kernel);
    const auto x = test_vector<T>(stored.cols);
    const auto encoded = encode<Csr>(stored, {});
    ASSERT_TRUE(encoded.ok());
    const auto judged =
        tests::judged<T>(*encoded, reference_product<T>(stored, x.data()), x, cuda::csr_direct_product<T>);
    expect_way(judged, "long rows by warps and blocks");
  });
}
void check_ways(const tests::Scenario& scenario) { check_ways(view_of(tests::make_csr(scenario))); }

TEST(CsrOnDevice, RowsOfOneLength) {
  NEEDS_DEVICE();
  for (std::uint32_t length : {1u, 2u, 3u, 5u, 7u, 9u, 16u, 17u, 27u, 32u, 33u, 81u, 200u, 900u})
    for (std::uint32_t rows : {1u, 31u, 40000 / length})
      check_ways(rows_of(rows, 90000, [&](auto r) { return length - (r % 90 == 5 ? 1 : 0); }));
}

TEST(CsrOnDevice, RowsOfAnyLengths) {
  NEEDS_DEVICE();
  for (const OfRow& length :
       {OfRow([](auto) { return 8; }), OfRow([](auto r) { return r % 7; }),
        OfRow([](auto r) { return r % 100 == 3 ? 1000 : r % 9; }), OfRow([](auto r) { return 30 + r % 5; })}) {
    check(rows_of(3000, 90000, length, scattered));
    check_ways(rows_of(3000, 90000, length, scattered));
  }
}

TEST(CsrOnDevice, LongRowsAreCut) {
  NEEDS_DEVICE();
  for (const tests::Scenario& scenario :
       {rows_of(
            9, 30000, [](auto r) { return 5000 + r; }, always(5)),
        rows_of(
            500, 200000, [](auto r) { return r == 300 ? 100000 : r % 20; }, always(2)),
        rows_of(
            500, 100000, [](auto r) { return r == 0 || r == 499 ? 40000 : 0; }, always(1)),
        rows_of(
            1, 70000, [](auto) { return 70000; }, always(1))}) {
    check(scenario);
    check_ways(scenario);
  }
  for (std::uint32_t length : {16u, 17u, 127u, 128u, 129u, 1019u, 1020u, 1021u, 1024u, 1025u, 1535u, 1536u, 1537u,
                               2047u, 2048u, 2049u, 3073u}) {
    check_ways(rows_of(
        3, 90000, [&](auto) { return length; }, always(20)));
    check_ways(rows_of(1000, 90000, [&](auto r) { return r % 300 == 7 ? length : r % 4; }));
  }
}

TEST(CsrOnDevice, ManyEmptyRows) {
  NEEDS_DEVICE();
  const auto scenario = rows_of(100000, 100000, [](auto r) { return r % 7001 == 7000 ? 3 : 0; });
  check(scenario);
  check_ways(scenario);
}

TEST(CsrOnDevice, EveryScenarioEachWay) {
  NEEDS_DEVICE();
  for (const auto& scenario : tests::scenarios()) {
    if (scenario.cols > 1000000) continue;  // the vector alone would be gigabytes
    SCOPED_TRACE(scenario.name);
    check_ways(scenario);
    check_ways(view_of(tests::make_csr(scenario, tests::Fill::pattern)));
  }
}

/// As those of a matrix of 2^32 entries are.
TEST(CsrOnDevice, WidePositions) {
  NEEDS_DEVICE();
  auto a = tests::make_csr(rows_of(
      2000, 3000, [](auto r) { return r == 77 ? 2500 : r % 40; }, always(1)));
  Positions<Owned> wide(DType::u64, a.rows + 1);
  for (std::uint64_t r = 0; r <= a.rows; ++r) wide.template as<std::uint64_t>()[r] = a.row_ptr.position(r);
  a.row_ptr = std::move(wide);
  check_ways(view_of(a));
}

// --- Which way is taken ---

/// The kernel for a matrix with values in one store.
std::string kernel_of(const tests::Scenario& scenario, StoreKind store) {
  const auto a = with_values(view_of(tests::make_csr(scenario)), store);
  return a.ok() ? tests::judged<double>(view_of(*a), {"csr", {}}).kernel : a.error().message;
}
void expect_kernel(const tests::Scenario& scenario, StoreKind store, const std::string& part) {
  const std::string kernel = kernel_of(scenario, store);
  EXPECT_NE(kernel.find(part), std::string::npos) << kernel;
}

TEST(CsrOnDevice, FewEntriesAreReadDirectly) {
  NEEDS_DEVICE();
  for (const StoreKind store : {StoreKind::raw, StoreKind::lut8}) {
    expect_kernel(rows_of(3000, 9000, always(8)), store, "long rows by warps and blocks");
    expect_kernel(rows_of(3000, 90000, always(8), scattered), store, "long rows by warps and blocks");
  }
}

TEST(CsrOnDevice, OfManyEntriesAlikeAndWideOnesAre) {
  NEEDS_DEVICE();
  const auto device = cuda::device_info();
  ASSERT_TRUE(device.ok());
  const auto many = static_cast<std::uint32_t>(64 * 1024 * device->multiprocessors + 100'000);
  const auto alike = rows_of(many / 3, 2 * many, always(3));
  expect_kernel(alike, StoreKind::raw, "long rows by warps and blocks");
  expect_kernel(alike, StoreKind::lut8, "tile of rows per block");
  const auto unlike = rows_of(many / 8, many, always(8), scattered);
  for (const StoreKind store : {StoreKind::raw, StoreKind::lut8}) expect_kernel(unlike, store, "sums by row");
  // One row of 64 lies on a side of the grid and is unlike the next: a sample of every 64th row would see nothing else.
  const auto side = [](std::uint32_t r) { return r % 64 == 0; };
  expect_kernel(
      rows_of(
          many / 2, many, [&](auto r) { return side(r) ? 2u : 3u; }, [&](auto r) { return side(r) ? 90u : 2u; }),
      StoreKind::lut8, "tile of rows per block");
}

}  // namespace
}  // namespace spress
