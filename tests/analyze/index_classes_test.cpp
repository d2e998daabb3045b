#include "analyze/index_classes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "tests/panels.hpp"
#include "tests/scenarios.hpp"

namespace spress::analyze {
namespace {

constexpr Width w8 = Width::bits8, w16 = Width::bits16, w32 = Width::bits32;

Width width(Strategy strategy, std::uint64_t row, std::vector<std::uint32_t> cols) {
  return row_width(strategy, row, cols.data(), cols.size());
}

TEST(RowWidth, DirectLimits) {
  EXPECT_EQ(width(Strategy::direct, 0, {0, 255}), w8);
  EXPECT_EQ(width(Strategy::direct, 0, {0, 256}), w16);
  EXPECT_EQ(width(Strategy::direct, 0, {65535}), w16);
  EXPECT_EQ(width(Strategy::direct, 0, {65536}), w32);
  EXPECT_EQ(width(Strategy::direct, 70000, {0}), w8) << "the row does not matter";
  EXPECT_EQ(width(Strategy::direct, 0, {4294967295u}), w32);
}

TEST(RowWidth, DiagonalLimits) {
  const auto at = [](std::int64_t d) {
    return width(Strategy::delta_to_diagonal, 100000, {static_cast<std::uint32_t>(100000 + d)});
  };
  EXPECT_EQ(at(127), w8);
  EXPECT_EQ(at(128), w16);
  EXPECT_EQ(at(-128), w8);
  EXPECT_EQ(at(-129), w16);
  EXPECT_EQ(at(32767), w16);
  EXPECT_EQ(at(32768), w32);
  EXPECT_EQ(at(-32768), w16);
  EXPECT_EQ(at(-32769), w32);
  EXPECT_EQ(width(Strategy::delta_to_diagonal, 200, {72, 200, 328}), w16) << "the last entry counts";
  EXPECT_EQ(width(Strategy::delta_to_diagonal, 200, {71, 200, 327}), w16) << "the first entry counts";
  EXPECT_EQ(width(Strategy::delta_to_diagonal, 200, {72, 200, 327}), w8);
  EXPECT_EQ(width(Strategy::delta_to_diagonal, 0, {4294967295u}), w32) << "no wrap to -1";
  EXPECT_EQ(width(Strategy::delta_to_diagonal, 4294967295u, {0}), w32);
}

TEST(RowWidth, DeltaLimits) {
  EXPECT_EQ(width(Strategy::delta, 0, {10, 265}), w8);
  EXPECT_EQ(width(Strategy::delta, 0, {10, 266}), w16);
  EXPECT_EQ(width(Strategy::delta, 0, {10, 65545}), w16);
  EXPECT_EQ(width(Strategy::delta, 0, {10, 65546}), w32);
  EXPECT_EQ(width(Strategy::delta, 0, {4000000000u}), w8) << "the first entry is not counted";
  EXPECT_EQ(width(Strategy::delta, 0, {0, 4294967295u}), w32);
  EXPECT_EQ(width(Strategy::delta, 0, {0, 300, 301}), w16) << "a gap in the middle";
}

TEST(RowWidth, AnchoredIsTheWiderOfFirstEntryAndGaps) {
  EXPECT_EQ(width(Strategy::delta_anchored, 0, {127, 382}), w8);
  EXPECT_EQ(width(Strategy::delta_anchored, 0, {128, 383}), w16);
  EXPECT_EQ(width(Strategy::delta_anchored, 0, {127, 383}), w16);
  EXPECT_EQ(width(Strategy::delta_anchored, 128, {0}), w8);
  EXPECT_EQ(width(Strategy::delta_anchored, 129, {0}), w16);
  EXPECT_EQ(width(Strategy::delta_anchored, 32769, {0}), w32);
  EXPECT_EQ(width(Strategy::delta_anchored, 0, {0, 65536}), w32);
}

TEST(RowWidth, EmptyRowIsEight) {
  for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(row_width(static_cast<Strategy>(s), 1u << 31, nullptr, 0), w8);
}

TEST(IndexClasses, CountsByHand) {
  // Row 0: {0, 300}; row 1: empty; row 2: {299}.
  const auto a = tests::make_csr({"", 3, 301, {{0, 0}, {0, 300}, {2, 299}}, {}});
  const auto all = index_classes(view_of(a));
  const auto expect = [&](Strategy s, int bits, std::array<std::uint64_t, 2> rows, std::array<std::uint64_t, 2> nnz) {
    const IndexClasses& c = all[static_cast<std::size_t>(s)];
    EXPECT_EQ(c.matrix_bits(), bits) << enum_name(s);
    EXPECT_EQ(c.rows.bits8, rows[0]) << enum_name(s);
    EXPECT_EQ(c.rows.bits16, rows[1]) << enum_name(s);
    EXPECT_EQ(c.nnz.bits8, nnz[0]) << enum_name(s);
    EXPECT_EQ(c.nnz.bits16, nnz[1]) << enum_name(s);
    EXPECT_EQ(c.rows.bits32 + c.nnz.bits32, 0u) << enum_name(s);
  };
  expect(Strategy::direct, 16, {1, 2}, {0, 3});
  expect(Strategy::delta_to_diagonal, 16, {1, 2}, {0, 3});
  expect(Strategy::delta, 16, {2, 1}, {1, 2});
  expect(Strategy::delta_anchored, 16, {1, 2}, {0, 3});
}

TEST(IndexClasses, MatricesWithoutEntriesAreEight) {
  for (const auto& [rows, cols] : {std::pair<std::uint64_t, std::uint64_t>{0, 0}, {0, 70000}, {70000, 0}, {5, 70000}}) {
    const auto a = tests::make_csr({"", rows, cols, {}, {}});
    for (const IndexClasses& c : index_classes(view_of(a))) {
      EXPECT_EQ(c.matrix_bits(), 8);
      EXPECT_EQ(c.rows.bits8, rows);
      EXPECT_EQ(c.nnz.bits8, 0u);
    }
  }
}

/// The rules once more, entry by entry.
Width slow_width(Strategy strategy, std::int64_t row, const std::vector<std::int64_t>& cols) {
  const auto need = [](std::int64_t v, std::int64_t low, std::int64_t high) { return low <= v && v <= high; };
  Width out = w8;
  for (std::size_t k = 0; k < cols.size(); ++k) {
    const bool gap = k > 0 && (strategy == Strategy::delta || strategy == Strategy::delta_anchored);
    if (strategy == Strategy::delta && k == 0) continue;
    const bool is_signed = strategy == Strategy::delta_to_diagonal || (strategy == Strategy::delta_anchored && !gap);
    const std::int64_t v = gap ? cols[k] - cols[k - 1] : is_signed ? cols[k] - row : cols[k];
    const bool in8 = is_signed ? need(v, -128, 127) : need(v, 0, 255);
    const bool in16 = is_signed ? need(v, -32768, 32767) : need(v, 0, 65535);
    out = std::max(out, in8 ? w8 : in16 ? w16 : w32);
  }
  return out;
}

TEST(IndexClasses, AgreesWithEntryByEntryRulesOnAnyNumberOfThreads) {
  std::mt19937_64 random(5);
  for (const std::uint32_t cols : {200u, 1000u, 70000u, 200000u}) {
    const std::uint32_t rows = 300;
    std::set<std::pair<std::uint32_t, std::uint32_t>> entries;
    for (std::uint32_t r = 0; r < rows; ++r) {
      if (random() % 5 == 0) continue;
      const std::uint64_t spread = std::uint64_t{1} << (1 + random() % 18), base = random() % cols;
      for (std::uint64_t k = random() % 6; k-- > 0;)
        entries.emplace(r, static_cast<std::uint32_t>((base + random() % spread) % cols));
    }
    const auto a = tests::make_csr({"", rows, cols, {entries.begin(), entries.end()}, {}});
    std::array<std::array<std::uint64_t, 6>, 4> expected{};
    std::vector<std::vector<std::int64_t>> by_row(rows);
    for (const auto& [r, c] : entries) by_row[r].push_back(c);
    for (std::size_t s = 0; s < 4; ++s)
      for (std::uint32_t r = 0; r < rows; ++r) {
        const auto w = static_cast<std::size_t>(slow_width(static_cast<Strategy>(s), r, by_row[r]));
        ++expected[s][w];
        expected[s][3 + w] += by_row[r].size();
      }
    for (const int threads : {1, 2, 7}) {
      const auto all = index_classes(view_of(a), threads);
      for (std::size_t s = 0; s < 4; ++s) {
        const IndexClasses& c = all[s];
        const std::array<std::uint64_t, 6> got = {c.rows.bits8, c.rows.bits16, c.rows.bits32,
                                                  c.nnz.bits8,  c.nnz.bits16,  c.nnz.bits32};
        EXPECT_EQ(got, expected[s]) << cols << " columns, strategy " << s << ", threads " << threads;
        EXPECT_EQ(c.matrix, c.rows.bits32 ? w32 : c.rows.bits16 ? w16 : w8);
      }
    }
  }
}

TEST(IndexClasses, ManyRowsOfUnevenLength) {
  // Every hundredth row is long; every third is empty.
  std::vector<tests::Entry> entries;
  std::array<std::uint64_t, 3> rows{}, nnz{};  // under delta: long rows are of 16 bits, short ones of 8, empty ones too
  for (std::uint32_t r = 0; r < 100000; ++r) {
    const std::uint32_t n = r % 100 == 0 ? 60 : r % 3 == 0 ? 0 : 2;
    for (std::uint32_t k = 0; k < n; ++k) entries.emplace_back(r, k * (n == 60 ? 300 : 5));
    ++rows[n == 60];
    nnz[n == 60] += n;
  }
  const auto a = tests::make_csr({"", 100000, 20000, entries, {}});
  for (const int threads : {1, 2, 7}) {
    const IndexClasses delta = index_classes(view_of(a), threads)[static_cast<std::size_t>(Strategy::delta)];
    EXPECT_EQ(delta.matrix_bits(), 16);
    EXPECT_EQ((std::array{delta.rows.bits8, delta.rows.bits16, delta.rows.bits32}), rows);
    EXPECT_EQ((std::array{delta.nnz.bits8, delta.nnz.bits16, delta.nnz.bits32}), nnz);
  }
}

TEST(PaperWidths, ClosedIntervals) {
  EXPECT_EQ(paper_width_of_dimension(255), w8);
  EXPECT_EQ(paper_width_of_dimension(256), w16) << "though its columns 0..255 fit";
  EXPECT_EQ(paper_width_of_dimension(65535), w16);
  EXPECT_EQ(paper_width_of_dimension(65536), w32);
  EXPECT_EQ(paper_width_of_bandwidth(127), w8);
  EXPECT_EQ(paper_width_of_bandwidth(128), w16) << "though -128 fits";
  EXPECT_EQ(paper_width_of_bandwidth(32767), w16);
  EXPECT_EQ(paper_width_of_bandwidth(32768), w32);
}

/// Matrices by class (8, 16, 32 bits, unknown) from the rows of a collection's index.
struct IndexCounts {
  std::array<int, 4> direct{}, diagonal{}, diagonal_after_rcm{};
};

IndexCounts count_index(std::istream& in) {
  IndexCounts counts;
  std::map<std::string, std::size_t> column;
  std::string line, field;
  const auto split = [&] {
    std::vector<std::string> fields;
    for (std::istringstream parts(line); std::getline(parts, field, '\t');) fields.push_back(field);
    return fields;
  };
  std::getline(in, line);
  for (const std::string& name : split()) column.emplace(name, column.size());
  while (std::getline(in, line)) {
    const auto fields = split();
    const auto number = [&](const char* name) { return std::stod(fields.at(column.at(name))); };
    if (number("rows") != number("cols") || number("pattern_symmetry") < 1) continue;
    const auto bandwidth = [&](const char* lower, const char* upper) -> std::size_t {
      const auto d = std::max(number(lower), number(upper));
      return d < 0 ? 3 : static_cast<std::size_t>(paper_width_of_bandwidth(static_cast<std::uint64_t>(d)));
    };
    ++counts.direct[static_cast<std::size_t>(paper_width_of_dimension(static_cast<std::uint64_t>(number("rows"))))];
    ++counts.diagonal[bandwidth("lower_bandwidth", "upper_bandwidth")];
    ++counts.diagonal_after_rcm[bandwidth("rcm_lower_bandwidth", "rcm_upper_bandwidth")];
  }
  return counts;
}

constexpr const char* header =
    "name\trows\tcols\tpattern_symmetry\tlower_bandwidth\tupper_bandwidth\trcm_lower_bandwidth\trcm_upper_bandwidth\n";

TEST(PaperWidths, CountsFromAnIndexByHand) {
  std::istringstream in(std::string(header) +
                        "a\t255\t255\t1\t127\t127\t1\t1\n"
                        "b\t256\t256\t1\t128\t3\t127\t127\n"
                        "c\t65536\t65536\t1\t32768\t32768\t32767\t32767\n"
                        "unknown\t70000\t70000\t1\t-2\t-2\t-2\t-2\n"
                        "rectangular\t9\t8\t1\t1\t1\t1\t1\n"
                        "unsymmetric\t9\t9\t1e-05\t1\t1\t1\t1\n");
  const IndexCounts counts = count_index(in);
  EXPECT_EQ(counts.direct, (std::array<int, 4>{1, 1, 2, 0}));
  EXPECT_EQ(counts.diagonal, (std::array<int, 4>{1, 1, 1, 1}));
  EXPECT_EQ(counts.diagonal_after_rcm, (std::array<int, 4>{2, 1, 0, 1}));
}

TEST(PaperWidths, CountsOfTheWholeCollection) {
  const char* corpus = std::getenv("SPRESS_CORPUS");
  if (corpus == nullptr) GTEST_SKIP() << "set SPRESS_CORPUS to a folder with collection_index.tsv";
  std::ifstream in(std::string(corpus) + "/collection_index.tsv");
  ASSERT_TRUE(in.is_open()) << corpus << "/collection_index.tsv";
  const IndexCounts counts = count_index(in);
  EXPECT_EQ(counts.direct, (std::array<int, 4>{101, 931, 375, 0}));
  EXPECT_EQ(counts.diagonal, (std::array<int, 4>{215, 821, 370, 1}));
  EXPECT_EQ(counts.diagonal_after_rcm, (std::array<int, 4>{356, 961, 89, 1}));
}

TEST(IndexClasses, ArePanelByPanelThoseOfTheWhole) {
  for (const auto& scenario : tests::scenarios()) {
    const auto a = tests::make_csr(scenario);
    std::array<IndexClasses, 4> sum;
    tests::for_each_panel(
        a, 24, [&](const RowPanel& panel) { add_classes(sum, index_classes(panel.csr, 2, panel.first_row)); });
    const auto whole = index_classes(view_of(a));
    for (std::size_t s = 0; s < whole.size(); ++s) {
      EXPECT_EQ(sum[s].matrix, whole[s].matrix) << scenario.name;
      EXPECT_EQ(sum[s].rows.bits8, whole[s].rows.bits8) << scenario.name;
      EXPECT_EQ(sum[s].nnz.bits16, whole[s].nnz.bits16) << scenario.name;
      EXPECT_EQ(sum[s].nnz.bits32, whole[s].nnz.bits32) << scenario.name;
    }
  }
}

}  // namespace
}  // namespace spress::analyze
