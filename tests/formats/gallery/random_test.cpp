// The source of random numbers, and the matrices whose patterns come from it.
#include "formats/gallery/random.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "formats/gallery/sampling.hpp"
#include "tests/formats/gallery/support.hpp"

namespace spress::tests {
namespace {

using Counts = std::map<std::uint64_t, std::uint64_t>;

TEST(Random, MixIsSplitmix64) {
  EXPECT_EQ(gallery::mix(0), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(gallery::mix(0x9E3779B97F4A7C15u), 0x6E789E6AA1B965F4u);
}

TEST(Random, EndsOfItsRanges) {
  EXPECT_EQ(gallery::below(0, 10), 0u);
  EXPECT_EQ(gallery::below(~std::uint64_t{0}, 10), 9u);
  EXPECT_EQ(gallery::below(~std::uint64_t{0}, std::uint64_t{1} << 32), 0xFFFFFFFFu);
  EXPECT_EQ(gallery::noise(0), 0x1p-63);
  EXPECT_EQ(gallery::noise(~std::uint64_t{0}), -1.0);
  EXPECT_EQ(gallery::short_decimal(0), -99.99);
  EXPECT_EQ(gallery::short_decimal(~std::uint64_t{0}), 99.99);
  EXPECT_FALSE(gallery::chance(0, 0.0));
  EXPECT_TRUE(gallery::chance(~std::uint64_t{0}, 1.0));
}

TEST(Random, StreamsAndSeedsDiffer) {
  using namespace gallery;
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {0u, 1u, 2u})
    for (const auto stream : {Stream::values, Stream::columns, Stream::lengths})
      for (std::uint64_t a = 0; a < 10; ++a)
        for (std::uint64_t b = 0; b < 10; ++b) seen.insert(Random(seed, stream)(a, b));
  EXPECT_EQ(seen.size(), 900u);
}

TEST(Random, PowersByRootsAgreeWithTheLibrary) {
  EXPECT_EQ(gallery::inverse_power(4.0, 32), 0.5);
  EXPECT_EQ(gallery::inverse_power(3.0, 0), 1.0);
  for (const std::uint64_t e : {1u, 38u, 58u, 64u, 160u, 319u})
    for (const double x : {1.0, 2.0, 17.0, 1e6})
      EXPECT_NEAR(gallery::inverse_power(x, e) * std::pow(x, static_cast<double>(e) / 64.0), 1.0, 1e-13);
}

TEST(Random, WeightedDrawsFollowTheWeights) {
  const gallery::Weighted draw(4, [](std::uint64_t i) { return i == 2 ? 0.0 : 1.0 / static_cast<double>(i + 1); });
  const gallery::Random random(1, gallery::Stream::choice);
  std::array<double, 4> share{};
  for (std::uint64_t i = 0; i < 100000; ++i) share[draw(random(i))] += 1e-5;
  const double sum = 1.0 + 0.5 + 0.25;
  EXPECT_NEAR(share[0], 1.0 / sum, 0.01);
  EXPECT_NEAR(share[1], 0.5 / sum, 0.01);
  EXPECT_NEAR(share[2], 0.0, 1e-4);
  EXPECT_NEAR(share[3], 0.25 / sum, 0.01);
}

TEST(Band, StaysInsideWithItsEntriesPerRow) {
  const auto m = generated("band:n=500,half=40,per_row=16");
  EXPECT_EQ(lengths(m), (Counts{{16, 500}}));
  std::uint64_t widest = 0;
  for_each_entry(m, [&](std::uint64_t row, std::uint64_t col, double) {
    widest = std::max(widest, row > col ? row - col : col - row);
  });
  EXPECT_EQ(widest, 40u);
  EXPECT_EQ(lengths(generated("band:n=5,half=1,per_row=9")), (Counts{{2, 2}, {3, 3}}));
  EXPECT_EQ(lengths(generated("band:n=5,half=18446744073709551615,per_row=9")), (Counts{{5, 5}}));
}

TEST(Uniform, SpreadsItsColumnsEvenly) {
  for (const std::string k : {"3", "40", "100"}) {  // both ways of choosing, and all
    const auto m = generated("uniform:n=2000,m=100,k=" + k);
    std::vector<double> counts(100);
    for_each_entry(m, [&](std::uint64_t, std::uint64_t col, double) { counts[col] += 1.0; });
    const double p = std::stod(k) / 100.0, expected = 2000.0 * p;
    for (const double count : counts) EXPECT_NEAR(count, expected, 5 * std::sqrt(expected * (1 - p)) + 1e-9) << k;
    EXPECT_EQ(lengths(m), (Counts{{std::stoull(k), 2000}}));
  }
  EXPECT_EQ(generated("uniform:n=5,k=0").csr.nnz, 0u);
}

TEST(Density, HasThePapersShares) {
  const double first[] = {0.60, 0.38, 0.15}, last[] = {0.10, 0.32, 0.55};
  for (const std::uint64_t max : {64u, 96u, 128u})
    for (std::size_t f = 0; f < 3; ++f) {
      const auto m =
          generated("density:n=32768,values=pattern,max=" + std::to_string(max) + ",f=" + std::to_string(f + 1));
      double low = 0, high = 0;
      for (const auto& [length, count] : lengths(m)) {
        if (length <= max / 4) low += static_cast<double>(count) / 32768.0;
        if (length > max - max / 4) high += static_cast<double>(count) / 32768.0;
      }
      EXPECT_NEAR(low, first[f], 0.01);
      EXPECT_NEAR(high, last[f], 0.01);
      EXPECT_EQ(lengths(m).begin()->first, 1u);
      EXPECT_EQ(lengths(m).rbegin()->first, max);
    }
}

/// Entries per column.
std::vector<std::uint64_t> column_lengths(const Matrix& m) {
  std::vector<std::uint64_t> out(m.csr.cols);
  for_each_entry(m, [&](std::uint64_t, std::uint64_t col, double) { ++out[col]; });
  return out;
}

TEST(PowerLaw, HasHubsTailsAndIdleRows) {
  const auto m = generated("powerlaw:n=20000,average=8");
  EXPECT_NEAR(static_cast<double>(m.csr.nnz), 160000.0, 1600.0);
  EXPECT_NEAR(static_cast<double>(lengths(m)[0]), 2000.0, 200.0);
  EXPECT_GT(lengths(m).rbegin()->first, 200u);
  const auto columns = column_lengths(m);
  EXPECT_GT(*std::ranges::max_element(columns), 1000u);
  std::uint64_t near = 0;
  for_each_entry(m, [&](std::uint64_t row, std::uint64_t col, double) {
    near += row - std::min(row, col) <= 256 && col - std::min(row, col) <= 256;
  });
  EXPECT_NEAR(static_cast<double>(near) / static_cast<double>(m.csr.nnz), 0.5, 0.1);
  EXPECT_EQ(lengths(generated("powerlaw:n=100,idle=0,gamma_out=10,average=4")).count(0), 0u);
}

TEST(PowerLaw, EndsEvenWhereFewColumnsArePopular) {
  EXPECT_GT(generated("powerlaw:n=1000,average=300,gamma_in=1.2,local=0,idle=0").csr.nnz, 200000u);
  EXPECT_EQ(generated("powerlaw:n=1,average=1,idle=0").csr.nnz, 1u);
}

TEST(Circuit, HasItsDiagonalAndPositiveRowSums) {
  for (const char* spec : {"circuit:n=2000", "circuit:n=2000,structure=symmetric", "circuit:n=1,dense=0"}) {
    const auto m = generated(spec);
    std::vector<double> sums(m.csr.rows), diagonal(m.csr.rows);
    for_each_entry(m, [&](std::uint64_t row, std::uint64_t col, double v) {
      sums[row] += v;
      if (row == col)
        diagonal[row] = v;
      else
        ASSERT_LT(v, 0.0);
    });
    for (std::size_t i = 0; i < sums.size(); ++i) {
      ASSERT_GT(diagonal[i], 0.0) << spec;
      ASSERT_GT(sums[i], 0.0) << spec;
    }
  }
}

TEST(Circuit, HasAFewDenseRowsAndColumns) {
  const auto m = generated("circuit:n=6000,dense=3,share=0.2,longest=20");
  const auto columns = column_lengths(m);
  for (const std::uint64_t hub : {1000u, 3000u, 5000u}) {
    EXPECT_NEAR(static_cast<double>(row_length(m, hub)), 0.2 * 0.8 * 6000, 100.0);
    EXPECT_NEAR(static_cast<double>(columns[hub]), 0.2 * 0.8 * 6000, 100.0);
  }
  EXPECT_EQ(std::ranges::count_if(columns, [](std::uint64_t n) { return n > 500; }), 3);
  const auto entries = entries_of(m);
  std::uint64_t one_way = 0;
  for (const auto& [place, bits] : entries) one_way += entries.contains({place.second, place.first}) ? 0 : 1;
  EXPECT_GT(one_way, m.csr.nnz / 10);
}

}  // namespace
}  // namespace spress::tests
