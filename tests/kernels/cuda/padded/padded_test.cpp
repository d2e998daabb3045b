// ell, sell, hyb and ell-csr on the device, where the scenarios that all formats meet are too small: rows that several
// warps share, and padding that must not be multiplied.
#include <limits>

#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/kernels/cuda/rows.hpp"

namespace spress {
namespace {

/// Rows of length(r) entries, in columns from 1 on.
tests::Scenario rows_of(std::uint32_t rows, std::uint32_t cols, const tests::OfRow& length) {
  return tests::rows_of(rows, cols, length, tests::always(1), tests::always(1));
}

std::string check(const tests::Scenario& scenario, const Spec& spec) {
  return tests::judged_in_every_store(view_of(tests::make_csr(scenario)), spec);
}

TEST(PaddedOnDevice, LongRowsAreSharedByWarps) {
  NEEDS_DEVICE();
  const auto s = rows_of(4000, 40001, [](std::uint32_t r) {
    return r == 7 ? 40000u : r == 2000 ? 5000u : r % 40 == 3 ? 70u : r % 5 == 0 ? 0u : r % 9;
  });
  for (const char* c : {"1", "7", "32", "33"})
    EXPECT_NE(check(s, {"sell", {{"c", c}}}).find("in pieces"), std::string::npos) << c;
  EXPECT_NE(check(s, {"ell-csr", {}}).find("by several"), std::string::npos);
  EXPECT_NE(check(s, {"hyb", {}}).find("the rest"), std::string::npos);
}

TEST(PaddedOnDevice, FewLongRowsAreSharedByWarps) {
  NEEDS_DEVICE();
  for (const std::uint32_t rows : {1u, 3u, 31u, 32u, 40u}) {
    const auto s = rows_of(rows, 9001, [](std::uint32_t r) { return 9000 - 7 * r; });
    for (const char* format : {"ell", "hyb", "sell"})
      EXPECT_NE(check(s, {format, {}}).find("in pieces"), std::string::npos) << format << " of " << rows << " rows";
  }
}

TEST(PaddedOnDevice, SlicesOfEachSize) {
  NEEDS_DEVICE();
  const auto s = rows_of(2500, 60, [](std::uint32_t r) { return r / 50; });
  for (const char* c : {"2", "3", "5", "11", "16", "17", "31", "48", "65", "1000"}) check(s, {"sell", {{"c", c}}});
}

TEST(PaddedOnDevice, EllCsrTakesSeveralShortRowsAtATime) {
  NEEDS_DEVICE();
  // Half of the rows are of 33 to 96 entries, which go to CSR: every number of them left for the last warp.
  for (const std::uint32_t rows : {16u, 18u, 20u, 22u, 24u, 26u, 28u, 30u, 3001u}) {
    const auto s = rows_of(rows, 500, [](std::uint32_t r) { return r % 2 == 0 ? r % 9 : 33 + r % 64; });
    EXPECT_NE(check(s, {"ell-csr", {}}).find("by fewer lanes"), std::string::npos) << rows;
  }
  // A longer row is none of them.
  const auto s = rows_of(300, 500, [](std::uint32_t r) { return r % 2 == 0 ? r % 9 : r == 99 ? 97 : 33 + r % 64; });
  EXPECT_EQ(check(s, {"ell-csr", {}}).find("by fewer lanes"), std::string::npos);
}

TEST(PaddedOnDevice, EllCsrOfAnyParameters) {
  NEEDS_DEVICE();
  const auto s = rows_of(3000, 3001, [](std::uint32_t r) { return r == 99 ? 3000u : r % 7 == 3 ? r % 290 : r % 12; });
  for (const char* text :
       {"ell-csr:t=1", "ell-csr:t=256", "ell-csr:t=256,m=8", "ell-csr:t=33,m=1", "ell-csr:t=8,m=4,l=128",
        "ell-csr:m=1024", "ell-csr:l=32", "ell-csr:t=1,l=32768", "ell-csr:t=64,m=8,l=512"})
    check(s, *parse_spec(text));
  EXPECT_NE(check(s, *parse_spec("ell-csr:l=2048")).find("by several"), std::string::npos);
  EXPECT_EQ(check(s, *parse_spec("ell-csr:l=3072")).find("by several"), std::string::npos);
}

/// 700 rows of length(r) entries, at most `most`.
void expect_padding_is_not_multiplied(std::uint32_t most, const tests::OfRow& length) {
  const auto s = rows_of(700, most + 2, length);
  const auto x = test_vector<double>(s.cols);
  auto spoilt = x;
  spoilt[0] = std::numeric_limits<double>::infinity();  // no row has an entry there
  auto infinite_values = s;
  infinite_values.values.assign(s.entries.size(), std::numeric_limits<double>::infinity());
  for (const auto& scenario : {s, infinite_values})
    for (StoreKind kind : {StoreKind::raw, StoreKind::lut8, StoreKind::iso})
      if (const auto a = with_values(view_of(tests::make_csr(scenario)), kind); a.ok())
        for (const char* format : {"ell", "hyb", "sell", "ell-csr"})
          tests::judged<double>(view_of(*a), {format, {}}, x, spoilt);
}

TEST(PaddedOnDevice, PaddingIsNotMultiplied) {
  NEEDS_DEVICE();
  for (const std::uint32_t most : {36u, 71u})  // sell takes other batches of the longer rows
    expect_padding_is_not_multiplied(most, [most](std::uint32_t r) { return r % 13 * most / 12; });
  // ell-csr takes the batches of long rows, with padding in each warp.
  expect_padding_is_not_multiplied(27, [](std::uint32_t r) { return r % 32 == 5 ? 25u : 27u; });
}

}  // namespace
}  // namespace spress
