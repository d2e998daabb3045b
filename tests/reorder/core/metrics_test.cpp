#include "reorder/core/metrics.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "formats/csr/mirror_sums.hpp"
#include "reorder/core/symmetry.hpp"
#include "tests/panels.hpp"
#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;

Csr<Owned> general(std::uint64_t rows, std::uint64_t cols, std::vector<Entry> entries) {
  return make_csr({"", rows, cols, std::move(entries), {}}, Fill::pattern);
}

/// As the definitions say, with no thought for cost.
EnvelopeMetrics by_definition(const Csr<Owned>& a) {
  EnvelopeMetrics m;
  std::vector<std::int64_t> first(a.rows, -1);
  for (const auto& [r, c] : entries_of(a)) {
    m.bandwidth = std::max<std::uint64_t>(m.bandwidth, r > c ? r - c : c - r);
    if (c <= r && first[r] < 0) first[r] = c;
  }
  for (std::size_t r = 0; r < a.rows; ++r)
    if (first[r] >= 0) m.profile += r - static_cast<std::size_t>(first[r]);
  if (a.rows != a.cols || a.rows == 0) return m;
  double sum = 0, squares = 0;
  const auto edges = edges_of(a);
  for (std::uint32_t step = 0; step < a.rows; ++step) {
    std::set<std::uint32_t> active = {step};
    for (const auto& [r, c] : edges)
      if (r > step && c <= step) active.insert(r);
    m.max_wavefront = std::max<std::uint64_t>(m.max_wavefront, active.size());
    sum += static_cast<double>(active.size());
    squares += static_cast<double>(active.size() * active.size());
  }
  m.mean_wavefront = sum / static_cast<double>(a.rows);
  m.rms_wavefront = std::sqrt(squares / static_cast<double>(a.rows));
  return m;
}

void expect_metrics(const Csr<Owned>& a, const EnvelopeMetrics& expected, const std::string& name) {
  SCOPED_TRACE(name);
  const EnvelopeMetrics m = envelope_metrics(view_of(a));
  EXPECT_EQ(m.bandwidth, expected.bandwidth);
  EXPECT_EQ(m.profile, expected.profile);
  EXPECT_EQ(m.max_wavefront, expected.max_wavefront);
  EXPECT_DOUBLE_EQ(m.mean_wavefront, expected.mean_wavefront);
  EXPECT_DOUBLE_EQ(m.rms_wavefront, expected.rms_wavefront);
}

TEST(Metrics, ByHand) {
  expect_metrics(pattern_of(0, {}), {}, "0x0");
  expect_metrics(pattern_of(4, {}), {0, 0, 1, 1, 1}, "diagonal");
  expect_metrics(pattern_of(4, {}, false), {0, 0, 1, 1, 1}, "no entries");
  // 0-1-2-3: the front holds a row and the next one, but for the last.
  expect_metrics(pattern_of(4, path(4)), {1, 3, 2, 7.0 / 4, std::sqrt(13.0 / 4)}, "path");
  // A hub first: every row is active from the beginning. A hub last: only the hub and the row in work.
  expect_metrics(pattern_of(4, star(4, 0)), {3, 6, 4, 10.0 / 4, std::sqrt(30.0 / 4)}, "arrow to the upper left");
  expect_metrics(pattern_of(4, star(4, 3)), {3, 3, 2, 7.0 / 4, std::sqrt(13.0 / 4)}, "arrow to the lower right");
}

TEST(Metrics, ProfileCountsOnlyWhatLiesLeftOfTheDiagonal) {
  // Upper triangle only: no row has anything left of the diagonal, though the wavefront sees A + A^T.
  expect_metrics(general(3, 3, {{0, 1}, {0, 2}, {1, 2}}), {2, 0, 3, 2, std::sqrt(14.0 / 3)}, "upper");
  expect_metrics(general(3, 3, {{1, 0}, {2, 0}, {2, 1}}), {2, 3, 3, 2, std::sqrt(14.0 / 3)}, "lower");
}

TEST(Metrics, RectangularHasNoWavefront) {
  expect_metrics(general(2, 9, {{0, 8}, {1, 0}}), {8, 1, 0, 0, 0}, "wide");
  expect_metrics(general(9, 2, {{8, 0}, {8, 1}}), {8, 8, 0, 0, 0}, "tall");
  expect_metrics(general(0, 5, {}), {}, "0xn");
  expect_metrics(general(5, 0, {}), {}, "nx0");
}

TEST(Metrics, ExplicitZerosCount) {
  const Csr<Owned> a = make_csr({"", 3, 3, {{0, 0}, {2, 0}}, {1.0, 0.0}});
  EXPECT_EQ(envelope_metrics(view_of(a)).bandwidth, 2u);
  EXPECT_EQ(envelope_metrics(view_of(a)).profile, 2u);
}

TEST(Metrics, AgreeWithTheirDefinitions) {
  for (const auto& [name, matrix] : square_patterns()) expect_metrics(matrix, by_definition(matrix), name);
  for (std::uint32_t seed = 1; seed < 20; ++seed) {
    const Csr<Owned> a = random_pattern(30, 17 + seed, 7, seed);
    expect_metrics(a, by_definition(a), "30 rows, seed " + std::to_string(seed));
  }
}

TEST(Metrics, SameWithThreads) {  // large enough for more than one
  const std::uint32_t n = 20000;
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t k = 0; k < 12; ++k) entries.emplace_back(r, (r * 7919u + k * 1663u) % n);
  std::sort(entries.begin(), entries.end());
  std::vector<std::uint32_t> first(n);
  EnvelopeMetrics expected;
  for (std::uint32_t r = 0; r < n; ++r) first[r] = r;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto [r, c] = entries[k];
    expected.bandwidth = std::max<std::uint64_t>(expected.bandwidth, r > c ? r - c : c - r);
    if (k % 12 == 0 && c < r) expected.profile += r - c;
    first[std::max(r, c)] = std::min(first[std::max(r, c)], std::min(r, c));
  }
  std::uint64_t sum = 0;
  for (std::uint32_t r = 0; r < n; ++r) sum += r - first[r] + 1;
  const EnvelopeMetrics m = envelope_metrics(view_of(general(n, n, entries)));
  EXPECT_EQ(m.bandwidth, expected.bandwidth);
  EXPECT_EQ(m.profile, expected.profile);
  EXPECT_DOUBLE_EQ(m.mean_wavefront, static_cast<double>(sum) / n);
}

TEST(PatternSymmetric, ByHand) {
  EXPECT_TRUE(pattern_symmetric(view_of(pattern_of(0, {}))));
  EXPECT_TRUE(pattern_symmetric(view_of(pattern_of(5, {}))));
  EXPECT_TRUE(pattern_symmetric(view_of(pattern_of(9, star(9), false))));
  EXPECT_TRUE(pattern_symmetric(view_of(general(3, 3, dense(3, 3)))));
  EXPECT_FALSE(pattern_symmetric(view_of(general(2, 2, {{0, 1}}))));
  EXPECT_FALSE(pattern_symmetric(view_of(general(2, 2, {{1, 0}}))));  // nothing right of the diagonal to look up
  EXPECT_FALSE(pattern_symmetric(view_of(general(3, 3, {{0, 1}, {1, 2}, {2, 0}}))));
  EXPECT_FALSE(pattern_symmetric(view_of(general(3, 3, {{0, 1}, {1, 0}, {2, 0}}))));
  EXPECT_FALSE(pattern_symmetric(view_of(general(2, 3, {{0, 1}, {1, 0}}))));
  EXPECT_FALSE(pattern_symmetric(view_of(general(2, 3, {}))));
}

TEST(PatternSymmetric, IsToldByAnyNumberOfThreads) {
  constexpr std::uint32_t n = 30000, half = 4;  // entries enough for several threads
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t c = r < half ? 0 : r - half; c <= std::min(n - 1, r + half); ++c) entries.emplace_back(r, c);
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 5}) {
    SCOPED_TRACE(threads);
    omp_set_num_threads(threads);
    EXPECT_TRUE(pattern_symmetric(view_of(general(n, n, entries))));
    for (const std::uint32_t r : {1u, n / 2, n - 2}) {
      std::vector<Entry> fewer = entries, moved;
      std::erase(fewer, Entry{r, r - 1});
      EXPECT_FALSE(pattern_symmetric(view_of(general(n, n, fewer)))) << r;
      moved = fewer;  // as many on either side, but not where the images are
      moved.emplace_back(std::max(r, half + 2), std::max(r, half + 2) - half - 1);
      EXPECT_FALSE(pattern_symmetric(view_of(general(n, n, moved)))) << r;
    }
  }
  omp_set_num_threads(before);
}

TEST(PatternSymmetric, AgreesWithItsDefinition) {
  for (const auto& [name, matrix] : square_patterns()) {
    const auto entries = entries_of(matrix);
    const bool expected = std::all_of(entries.begin(), entries.end(), [&](const Entry& e) {
      return entries.contains({e.second, e.first});
    });
    EXPECT_EQ(pattern_symmetric(view_of(matrix)), expected) << name;
  }
}

TEST(Metrics, ArePanelByPanelThoseOfTheWhole) {
  for (const auto& scenario : scenarios()) {
    const auto a = make_csr(scenario, Fill::pattern);
    if (a.rows == a.cols && a.rows > 1u << 20) continue;
    const auto whole = envelope_metrics(view_of(a));
    EnvelopeCounter counter(a.rows, a.cols);
    MirrorSums sides;
    for_each_panel(a, 16, [&](const RowPanel& panel) {
      counter.add(panel);
      sides.add(panel);
    });
    const auto metrics = counter.metrics();
    EXPECT_EQ(metrics.bandwidth, whole.bandwidth) << scenario.name;
    EXPECT_EQ(metrics.profile, whole.profile) << scenario.name;
    EXPECT_EQ(metrics.max_wavefront, whole.max_wavefront) << scenario.name;
    EXPECT_EQ(metrics.rms_wavefront, whole.rms_wavefront) << scenario.name;
    if (a.rows == a.cols) {
      EXPECT_EQ(sides.balanced(), pattern_symmetric(view_of(a))) << scenario.name;
    }
  }
}

TEST(Metrics, MoreRowsThanABandOfSteps) {
  constexpr std::uint32_t n = (3u << 20) + 5;  // arrow: each row behind the first is adjacent to it
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < n; r += 7) entries.emplace_back(r, 0);
  const auto metrics = envelope_metrics(view_of(general(n, n, std::move(entries))));
  EXPECT_EQ(metrics.max_wavefront, (n + 6) / 7);
  EXPECT_GT(metrics.mean_wavefront, n / 15.0);
}

}  // namespace
}  // namespace spress::reorder
