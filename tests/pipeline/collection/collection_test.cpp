#include "pipeline/collection/collection.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "reports/json/json.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class Collection : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("spress_" + std::string(info->name()) + "_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  /// Small matrices of several sizes, one that cannot be read, one rectangular.
  void write_matrices(int count) const {
    for (int i = 0; i < count; ++i) write("m/a" + std::to_string(i) + ".mtx", matrix(i + 2));
    write("m/deep/broken.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n");
    write("m/wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 5 2\n1 1\n2 5\n");
  }
  static std::string matrix(int n) {
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n" + std::to_string(n) + " " +
                       std::to_string(n) + " " + std::to_string(n) + "\n";
    for (int k = 1; k <= n; ++k) text += std::to_string(k) + " 1 " + std::to_string(k) + ".5\n";
    return text;
  }
  [[nodiscard]] std::vector<Item> items() const {
    auto found = collect({(folder_ / "m").string()});
    EXPECT_TRUE(found.ok());
    return std::move(found).value();
  }
  [[nodiscard]] CollectionOptions options() const {
    CollectionOptions out;
    out.output = folder_ / "out";
    out.jobs = 2;
    return out;
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::ifstream in(folder_ / "out/results.jsonl", std::ios::binary);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }
  /// Every line is a record, and each matrix of the collection stands there exactly once.
  void expect_complete(std::size_t count) const {
    std::set<std::string> paths;
    for (const auto& line : lines()) {
      const auto record = reports::parse_analyze_record(line);
      ASSERT_TRUE(record) << record.error;
      EXPECT_TRUE(paths.insert(record.record->matrix.path).second) << "twice: " << record.record->matrix.path;
    }
    EXPECT_EQ(paths.size(), count);
  }

  fs::path folder_;
};

TEST_F(Collection, OneRecordPerMatrixAndErrorsAmongThem) {
  write_matrices(3);
  const auto result = run_collection(items(), options());
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result->records.size(), 5u);
  EXPECT_EQ(result->failed, 1u);
  for (const auto& record : result->records)
    if (record.error) {
      EXPECT_EQ(record.matrix.name, "broken");
      EXPECT_NE(record.error->find("broken.mtx"), std::string::npos);
    }
  expect_complete(5);
}

TEST_F(Collection, RecordsTellTheSizeOfTheirFilesAndTheirGenerators) {
  write("m/a.mtx", matrix(3));
  auto what = collect({(folder_ / "m").string(), "gen:tridiag,n=9,upper=-0.5"});
  ASSERT_TRUE(what.ok());
  const auto result = run_collection(*what, options());
  ASSERT_TRUE(result.ok()) << result.error().text();
  const auto& file = result->records[0].matrix;
  EXPECT_EQ(file.file_bytes, matrix(3).size());
  EXPECT_FALSE(file.generator.has_value());
  const auto& generated = result->records[1].matrix;
  EXPECT_FALSE(generated.file_bytes.has_value());
  ASSERT_TRUE(generated.generator.has_value());
  EXPECT_EQ(generated.generator->name, "tridiag");
  const auto value_of = [&](const std::string& key) {
    for (const auto& [name, value] : generated.generator->parameters)
      if (name == key) return value;
    return reports::ParameterValue("missing");
  };
  EXPECT_EQ(value_of("n"), reports::ParameterValue(std::uint64_t{9}));
  EXPECT_EQ(value_of("upper"), reports::ParameterValue(-0.5));
  EXPECT_EQ(value_of("values"), reports::ParameterValue("natural")) << "defaults are told, too";
  EXPECT_EQ(value_of("seed"), reports::ParameterValue(std::uint64_t{1}));
}

TEST_F(Collection, RectangularMatricesHaveNoRcm) {
  write("m/wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 5 2\n1 1\n2 5\n");
  const auto result = run_collection(items(), options());
  ASSERT_TRUE(result.ok());
  const auto& orderings = result->records[0].orderings;
  EXPECT_EQ(orderings[0].second.status, "ok");
  EXPECT_EQ(orderings[1].second.status, "not_applicable");
}

TEST_F(Collection, ASecondRunTakesUpEveryRecordButFailures) {
  write_matrices(4);
  ASSERT_TRUE(run_collection(items(), options()).ok());
  const auto again = run_collection(items(), options());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->resumed, 5u);
  EXPECT_EQ(again->failed, 1u);
  expect_complete(6);
}

TEST_F(Collection, ATornLastLineIsCutOffAndDoneAgain) {
  write_matrices(4);
  ASSERT_TRUE(run_collection(items(), options()).ok());
  const auto file = folder_ / "out/results.jsonl";
  fs::resize_file(file, fs::file_size(file) - 7);
  const auto again = run_collection(items(), options());
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_GE(again->resumed, 4u);
  expect_complete(6);
}

TEST_F(Collection, AChangedFileOrOtherOptionsReplaceTheRecord) {
  write_matrices(3);
  ASSERT_TRUE(run_collection(items(), options()).ok());
  write("m/a0.mtx", matrix(40));
  const auto again = run_collection(items(), options());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->resumed, 3u);
  expect_complete(5);
  auto other = options();
  other.analyze.orderings = {"none"};
  std::size_t during = 0;
  std::string notes;
  other.on_record = [&](const reports::AnalyzeRecord&) { during = std::max(during, lines().size()); };
  other.on_note = [&](const std::string& note) { notes += note; };
  const auto changed = run_collection(items(), other);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed->resumed, 0u);
  expect_complete(5);
  EXPECT_EQ(during, 10u) << "the replaced records stay until the run has ended";
  EXPECT_NE(notes.find("4 records made with other options are replaced"), std::string::npos) << notes;
}

TEST_F(Collection, RecordsOfOtherMatricesAreKept) {
  write_matrices(3);
  ASSERT_TRUE(run_collection(items(), options()).ok());
  fs::remove(folder_ / "m/a1.mtx");
  const auto again = run_collection(items(), options());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->others, 1u);
  EXPECT_EQ(again->records.size(), 4u);
  EXPECT_EQ(lines().size(), 5u);
}

TEST_F(Collection, FreshStartsOver) {
  write_matrices(2);
  ASSERT_TRUE(run_collection(items(), options()).ok());
  auto fresh = options();
  fresh.fresh = true;
  const auto again = run_collection(items(), fresh);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->resumed, 0u);
  expect_complete(4);
}

TEST_F(Collection, AForeignLineIsAnErrorNotALoss) {
  write_matrices(1);
  ASSERT_TRUE(run_collection(items(), options()).ok());
  {
    std::ofstream out(folder_ / "out/results.jsonl", std::ios::app);
    out << "not a record\n";
  }
  const auto again = run_collection(items(), options());
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::damaged);
  EXPECT_EQ(again.error().line, 4u);
  EXPECT_EQ(lines().size(), 4u);
}

TEST_F(Collection, TwoRunsCannotShareAJournal) {
  write_matrices(1);
  auto how = options();
  Status inner = Ok{};
  how.jobs = 1;
  how.on_record = [&](const reports::AnalyzeRecord&) {
    const auto other = run_collection(items(), options());
    if (!other.ok()) inner = other.error();
  };
  ASSERT_TRUE(run_collection(items(), how).ok());
  EXPECT_FALSE(inner.ok());
}

/// A fresh run beside one in work must not touch what that one writes.
TEST_F(Collection, FreshWaitsForTheLock) {
  write_matrices(3);
  auto how = options();
  how.jobs = 1;
  std::size_t refused = 0;
  how.on_record = [&](const reports::AnalyzeRecord&) {
    auto fresh = options();
    fresh.fresh = true;
    refused += !run_collection(items(), fresh).ok();
  };
  ASSERT_TRUE(run_collection(items(), how).ok());
  EXPECT_EQ(refused, 5u);
  expect_complete(5);
}

TEST_F(Collection, NamesThatAreNoTextAreToldApart) {
  write("m/b\xfe.mtx", matrix(3));
  write("m/b\xff.mtx", matrix(4));
  for (int run = 0; run < 3; ++run) {
    const auto result = run_collection(items(), options());
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->resumed, run == 0 ? 0u : 2u);
    ASSERT_EQ(result->records.size(), 2u);
    EXPECT_EQ(result->records[0].matrix.rows + result->records[1].matrix.rows, 7u);
    EXPECT_EQ(lines().size(), 2u);
  }
}

TEST_F(Collection, ARecordHasOnePlaceForEachName) {
  write_matrices(1);
  auto how = options();
  how.analyze.orderings = {"none", "none"};
  EXPECT_EQ(run_collection(items(), how).error().code, ErrorCode::usage);
  how = options();
  how.analyze.formats = {{"opt-csr", {{"index", "delta"}}}, {"opt-csr", {{"index", "diagonal"}}}};
  EXPECT_EQ(run_collection(items(), how).error().code, ErrorCode::usage);
}

TEST_F(Collection, CsrIsMeasuredAsTheBaselineInAnyCase) {
  write_matrices(1);
  auto how = options();
  how.analyze.formats = {{"coo", {}}};
  const auto result = run_collection(items(), how);
  ASSERT_TRUE(result.ok());
  for (const auto& record : result->records)
    EXPECT_TRUE(record.error || record.orderings[0].second.footprint[0].first == "csr");
}

TEST_F(Collection, PathsAreCheckedFirst) {
  EXPECT_EQ(collect({(folder_ / "none").string()}).error().code, ErrorCode::not_found);
  fs::create_directories(folder_ / "empty");
  EXPECT_EQ(collect({(folder_ / "empty").string()}).error().code, ErrorCode::usage);
  write("m/a.mtx", matrix(3));
  const auto twice = collect({(folder_ / "m").string(), (folder_ / "m/a.mtx").string()});
  ASSERT_TRUE(twice.ok());
  EXPECT_EQ(twice->size(), 1u);
}

TEST_F(Collection, ResultsDoNotReplaceAFile) {
  write("m/a.mtx", matrix(3));
  write("out", "kept");
  const auto result = run_collection(items(), options());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::unwritable);
  EXPECT_NE(result.error().message.find("is a file"), std::string::npos) << result.error().message;
  EXPECT_EQ(fs::file_size(folder_ / "out"), 4u);
}

TEST(Size, ReadsSuffixes) {
  EXPECT_EQ(*parse_size("1000"), 1000u);
  EXPECT_EQ(*parse_size("2K"), 2048u);
  EXPECT_EQ(*parse_size("1.5G"), 1610612736u);
  EXPECT_EQ(*parse_size("8GiB"), std::uint64_t{8} << 30);
  EXPECT_EQ(*parse_size("8GB"), std::uint64_t{8} << 30);
  EXPECT_EQ(*parse_size("8gib"), std::uint64_t{8} << 30);
  for (const char* bad : {"", "x", "-1", "0", "1Q", "1 G", "1GG", "nan", "1e30"})
    EXPECT_FALSE(parse_size(bad).ok()) << bad;
}

}  // namespace
}  // namespace spress::pipeline
