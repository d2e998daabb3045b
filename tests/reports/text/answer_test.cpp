// Tests the text of `spress analyze` for one matrix and for a collection: the answer comes first, and the lines fit.
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/records/summary.hpp"
#include "reports/text/collection_text.hpp"
#include "reports/text/matrix_text.hpp"
#include "reports/text/text_table.hpp"
#include "reports/text/wording.hpp"
#include "tests/reports/sample.hpp"

namespace spress::reports {
namespace {

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    longest = std::max(longest, characters(text.substr(begin, end - begin)));
  return longest;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

FootprintRecord bytes(std::uint64_t index, std::uint64_t raw, std::uint64_t lut8) {
  FootprintRecord f;
  f.index_bytes = index;
  f.total_bytes = index + raw;
  f.values = {{"raw", raw}, {"lut8", lut8}};
  return f;
}

/// 1000 entries: CSR takes 12,404 bytes; nine toys of 100 to 900 bytes of indices; one that does not fit.
AnalyzeRecord one_matrix() {
  AnalyzeRecord r;
  MatrixRecord& m = r.matrix;
  m.name = "grid";
  m.path = "dir/grid.mtx.gz";
  m.file_bytes = 4321;
  m.rows = m.cols = 100;
  m.nnz = 1000;
  m.stored_entries = 550;
  m.field = "real";
  m.symmetry = "symmetric";
  m.pattern_symmetric = true;
  m.distinct_values = 7;
  m.explicit_zeros = 1;
  m.values = {7, 1, 1, 0.5};
  m.max_row_nnz = 12;
  OrderingRecord none;
  none.bandwidth = 90;
  none.index_classes = {{"direct", {8, {}, {}}}, {"delta-to-diagonal", {16, {}, {}}}, {"delta", {8, {}, {}}}};
  none.footprint = {{"csr", bytes(4404, 8000, 1056)}};
  for (std::uint64_t k = 9; k >= 1; --k)
    none.footprint.push_back({"toy" + std::to_string(k), bytes(100 * k, 8000, 1056)});
  none.footprint[1].second.parameters = "c=9";
  FootprintRecord unfit;
  unfit.reason = "rows are too long";
  none.footprint.push_back({"square", unfit});
  OrderingRecord rcm = none;
  rcm.bandwidth = 11;
  rcm.footprint[9].second = bytes(50, 8000, 1006);
  r.orderings = {{"none", none}, {"rcm", rcm}};
  r.best = {"toy1", "rcm", "lut8", 1056, ""};
  ChoiceRecord choice;
  choice.goal = "size";
  choice.candidates = {{"rcm", "toy1", "", "lut8", 1056, true}, {"none", "toy1", "", "lut8", 1156, true}};
  r.choice = choice;
  return r;
}

TEST(MatrixText, SaysWhatItIsWhatItCostsAndWhatToTake) {
  EXPECT_EQ(matrix_text(one_matrix()),
            "grid\n"
            "from       dir/grid.mtx.gz, 4.32 kB\n"
            "shape      100 x 100, 1,000 entries\n"
            "rows       10.0 entries on average, 12 at most, 0 empty rows\n"
            "symmetry   symmetric; the file holds one triangle, 550 entries\n"
            "values     real, 7 distinct, 1 explicit zero, 50.0% exact in float\n"
            "indices    8 bits for columns, 16 for distances to the diagonal, 8 for gaps\n"
            "\n"
            "Bytes in the original order, each format with its smallest value store:\n"
            "format  values   bytes  of csr\n"
            "------  ------  ------  ------\n"
            "csr     raw     12,404  100.0%\n"
            "toy1    lut8     1,156    9.3%\n"
            "toy2    lut8     1,256   10.1%\n"
            "toy3    lut8     1,356   10.9%\n"
            "toy4    lut8     1,456   11.7%\n"
            "toy5    lut8     1,556   12.5%\n"
            "toy6    lut8     1,656   13.4%\n"
            "(4 larger formats, 1 format cannot hold this matrix: --all shows them)\n"
            "\n"
            "auto takes toy1 with lut8 values in rcm order: 1,056 bytes, 8.5% of csr. It has\n"
            "the fewest bytes in memory of the 2 combinations of order, format and values\n"
            "compared.\n"
            "rcm order: bandwidth 11 instead of 90; smallest 1.06 kB (-8.7%)\n");
}

TEST(MatrixText, ShowsEveryFormatWhereAskedFor) {
  const std::string text = matrix_text(one_matrix(), true);
  EXPECT_TRUE(has(text, "\ntoy9:c=9  lut8     1,956   15.8%\n")) << text;
  EXPECT_TRUE(has(text, "\ncsr       lut8     5,460   44.0%\n")) << "besides with raw values\n" << text;
  EXPECT_TRUE(has(text, "\nsquare does not fit: rows are too long\n")) << text;
  EXPECT_FALSE(has(text, "--all"));
}

TEST(MatrixText, SaysWhatDoesNotApply) {
  AnalyzeRecord r = one_matrix();
  r.matrix.cols = 200;
  r.matrix.symmetry = "general";
  r.matrix.field = "pattern";
  r.matrix.duplicates = 3;
  r.matrix.empty_rows = 2;
  r.orderings[1].second = {};
  r.orderings[1].second.status = "not_applicable";
  r.orderings[1].second.reason = "the matrix is not square";
  const std::string text = matrix_text(r);
  EXPECT_TRUE(has(text, "1,000 entries, 3 duplicates summed\n")) << text;
  EXPECT_TRUE(has(text, "12 at most, 2 empty rows\n")) << text;
  EXPECT_TRUE(has(text, "symmetry   general, not square\n")) << text;
  EXPECT_TRUE(has(text, "values     none: a pattern\n")) << text;
  EXPECT_TRUE(has(text, "rcm does not apply: the matrix is not square\n")) << text;
  r.error = "grid.mtx:3: no number";
  EXPECT_EQ(matrix_text(r), "grid could not be analysed\n");
}

TEST(MatrixText, FitsItsLinesWhateverTheMatrix) {
  AnalyzeRecord r = one_matrix();
  const std::string wide(300, 'w');
  constexpr std::uint64_t most = ~std::uint64_t{0};
  r.matrix.name = r.matrix.path = wide;
  r.matrix.rows = r.matrix.cols = r.matrix.nnz = r.matrix.max_row_nnz = r.matrix.empty_rows = most;
  r.matrix.duplicates = r.matrix.distinct_values = r.matrix.explicit_zeros = most;
  r.matrix.stored_entries = most - 1;
  r.matrix.symmetry = "skew-symmetric";
  for (auto& [name, f] : r.orderings[0].second.footprint) {
    if (!f.reason.empty()) continue;
    f = bytes(most / 4 - f.index_bytes, most / 4, most / 4);
    f.parameters = wide;
  }
  for (int k = 0; k < 20; ++k) r.orderings.push_back({wide + std::to_string(k), r.orderings[0].second});
  r.best = {wide, wide, "lut8", 1, wide};
  CandidateRecord& c = r.choice->candidates[0];
  c.ordering = c.format = c.parameters = c.values = wide;
  c.total_bytes = most / 2;
  r.choice->left_out = most / 2;
  for (const std::string declined : {"", wide.c_str()})
    for (const char* goal : {"size", "memory", "file", "spmv", "transfer", "another"}) {
      r.choice->goal = goal;
      r.choice->declined = declined;
      r.choice->not_considered = {wide};
      const std::string text = matrix_text(r);
      EXPECT_LE(lines_of(text), matrix_lines) << text;
      EXPECT_LE(longest_line(text), answer_columns) << text;
      EXPECT_TRUE(has(text, "more orderings: --all shows them")) << text;
    }
}

TEST(MatrixText, FitsItsLinesOfSamples) {
  for (const AnalyzeRecord& r : sample_records(60)) {
    const std::string text = matrix_text(r);
    EXPECT_LE(lines_of(text), matrix_lines) << text;
    EXPECT_LE(longest_line(text), answer_columns) << text;
  }
}

TEST(CollectionText, BeginsWithTheBytes) {
  const std::string text = collection_text(summarize({one_matrix(), one_matrix()}));
  EXPECT_EQ(text,
            "2 matrices analysed; 2 square, 2 of them with a symmetric pattern\n"
            "2,000 entries in all\n"
            "\n"
            "                                                  bytes  of csr\n"
            "----------------------------------------------  -------  ------\n"
            "csr, raw values, original order                 24.8 kB  100.0%\n"
            "the smallest format, values and order for each  2.11 kB    8.5%\n"
            "auto, for the fewest bytes in memory            2.11 kB    8.5%\n"
            "\n"
            "auto takes (format / order / values)  matrices   share\n"
            "------------------------------------  --------  ------\n"
            "toy1 / rcm / lut8                            2  100.0%\n"
            "\n"
            "smallest formats (raw values, original order)  matrices    bytes  of csr\n"
            "---------------------------------------------  --------  -------  ------\n"
            "toy1                                                  2  16.2 kB   65.3%\n"
            "toy2                                                  2  16.4 kB   66.1%\n"
            "toy3                                                  2  16.6 kB   66.9%\n"
            "toy4                                                  2  16.8 kB   67.7%\n"
            "toy5                                                  2  17.0 kB   68.5%\n"
            "toy6                                                  2  17.2 kB   69.3%\n"
            "toy7                                                  2  17.4 kB   70.1%\n"
            "toy8                                                  2  17.6 kB   70.9%\n"
            "(and 2 more formats: --papers shows them)\n"
            "\n"
            "8 / 16 / 32 bits needed for the  the original order  rcm order\n"
            "-------------------------------  ------------------  ---------\n"
            "column number                             2 / 0 / 0  2 / 0 / 0\n"
            "distance to the diagonal                  0 / 2 / 0  0 / 2 / 0\n"
            "gap to the entry before                   2 / 0 / 0  2 / 0 / 0\n"
            "\n"
            "reordered, each matrix in its smallest format:\n"
            "order  matrices  narrower band    bytes  of original  smaller  larger\n"
            "-----  --------  -------------  -------  -----------  -------  ------\n"
            "rcm           2              2  2.11 kB        91.3%        2       0\n");
}

TEST(CollectionText, FitsItsLinesWhateverTheCollection) {
  std::vector<AnalyzeRecord> records = sample_records(400);
  const std::string wide(200, 'w');
  for (std::size_t i = 0; i < records.size(); ++i) {
    AnalyzeRecord& r = records[i];
    if (i % 3 == 0) {
      r.error = wide + "\n" + wide;
      r.matrix.name = wide;
    }
    for (std::size_t k = 0; r.choice && k < r.choice->candidates.size(); ++k) {
      CandidateRecord& c = r.choice->candidates[k];
      c.parameters = wide + std::to_string(i % 50);
      c.exact = false;
      r.choice->goal = "transfer";
    }
    for (auto& [name, o] : r.orderings) {
      const auto formats = o.footprint;
      for (int k = 0; k < 20; ++k)
        for (const auto& [format, f] : formats) {
          o.footprint.push_back({format + wide + std::to_string(k), f});
          o.footprint.back().second.parameters = wide;
        }
      for (int k = 0; k < 20; ++k)
        if (!o.index_classes.empty()) o.index_classes.push_back({wide + std::to_string(k), o.index_classes[0].second});
    }
    for (int k = 0; !r.orderings.empty() && k < 20; ++k)
      r.orderings.push_back({wide + std::to_string(k), r.orderings[1].second});
  }
  const std::string text = collection_text(summarize(records));
  EXPECT_LE(lines_of(text), collection_lines) << text;
  EXPECT_LE(longest_line(text), answer_columns) << text;
  for (const char* cut : {"more combinations", "more formats", "more ways to store", "more orderings", "more failures"})
    EXPECT_TRUE(has(text, cut)) << cut << "\n" << text;
}

TEST(CollectionText, SaysWhatFailed) {
  std::vector<AnalyzeRecord> records = {one_matrix(), one_matrix()};
  records[1].error = "grid.mtx:3: no number";
  const std::string text = collection_text(summarize(records));
  EXPECT_EQ(text.find("1 matrix analysed, 1 failed; "), 0u) << text;
  EXPECT_TRUE(has(text, "\n1 matrix could not be analysed:\n- grid: grid.mtx:3: no number\n")) << text;
  records[1].error = records[1].matrix.path + ":3: no number";
  EXPECT_TRUE(has(collection_text(summarize(records)), ":\n- grid:3: no number\n")) << "without the path";
}

}  // namespace
}  // namespace spress::reports
