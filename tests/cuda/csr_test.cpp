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

TEST(CsrOnDevice, RowsThatFollowOneAnotherAreTakenByLanes) {
  NEEDS_DEVICE();
  for (std::uint32_t length : {1u, 7u, 16u, 27u, 81u, 900u})
    EXPECT_NE(check(rows_of(40000 / length, 80000, [&](auto r) { return length - (r % 90 == 5 ? 1 : 0); }))
                  .find("lanes per row"),
              std::string::npos)
        << length;
}

/// One row of 64 lies on a side of the grid and is unlike the next: a sample of every 64th row would see nothing else.
TEST(CsrOnDevice, SidesOfGridsDoNotDecide) {
  NEEDS_DEVICE();
  const auto side = [](std::uint32_t r) { return r % 64 == 0; };
  const auto a = tests::make_csr(rows_of(
      1 << 18, 1 << 19, [&](auto r) { return side(r) ? 2u : 3u; }, [&](auto r) { return side(r) ? 90u : 2u; }));
  EXPECT_NE(tests::judged<double>(view_of(a), {"csr", {}}).kernel.find("lanes per row"), std::string::npos);
}

TEST(CsrOnDevice, RowsOfAnyLengthsAreTakenByEntries) {
  NEEDS_DEVICE();
  for (const OfRow& length :
       {OfRow([](auto) { return 8; }), OfRow([](auto r) { return r % 7; }),
        OfRow([](auto r) { return r % 100 == 3 ? 1000 : r % 9; }), OfRow([](auto r) { return 30 + r % 5; })})
    EXPECT_NE(check(rows_of(3000, 90000, length, scattered)).find("sums by row"), std::string::npos);
}

TEST(CsrOnDevice, RowsLongerThanATileAreCut) {
  NEEDS_DEVICE();
  check(rows_of(
      9, 30000, [](auto r) { return 5000 + r; }, always(5)));
  check(rows_of(
      500, 200000, [](auto r) { return r == 300 ? 100000 : r % 20; }, always(2)));
  check(rows_of(
      500, 100000, [](auto r) { return r == 0 || r == 499 ? 40000 : 0; }, always(1)));
  check(rows_of(
      1, 70000, [](auto) { return 70000; }, always(1)));
  for (std::uint32_t length : {1019u, 1020u, 1021u, 1024u, 1535u, 1536u, 1537u, 3073u})
    check(rows_of(
        3, 90000, [&](auto) { return length; }, always(20)));
}

TEST(CsrOnDevice, ManyEmptyRows) {
  NEEDS_DEVICE();
  check(rows_of(100000, 100000, [](auto r) { return r % 7001 == 7000 ? 3 : 0; }));
}

}  // namespace
}  // namespace spress
