// Records and reports run out of memory: wherever the memory ends, std::bad_alloc reaches the caller.
#include <gtest/gtest.h>

#include <sstream>

#include "reports/html/html.hpp"
#include "reports/json/json.hpp"
#include "reports/records/record_file.hpp"
#include "reports/records/summary.hpp"
#include "reports/text/csv.hpp"
#include "tests/failing_allocations.hpp"
#include "tests/reports/sample.hpp"

namespace spress::reports {
namespace {

using failing::check_each_end;

std::vector<AnalyzeRecord> few_records() { return sample_records(2); }

std::string journal() {
  std::string text;
  for (const AnalyzeRecord& record : few_records()) text += to_json_line(record) + "\n";
  return text;
}

TEST(OutOfMemory, ARecordIsWritten) {
  const auto records = few_records();
  EXPECT_GT(check_each_end([&] { static_cast<void>(to_json_line(records[0])); }), 1);
}

TEST(OutOfMemory, AJournalIsReadWholeOrNotAtAll) {
  const std::string text = journal();
  const std::size_t lines = few_records().size();
  EXPECT_GT(check_each_end([&] {
              std::istringstream in(text);
              const auto read = read_analyze_records(in);
              if (read.records.size() != lines) failing::allocations_left = failing::any_number;
              ASSERT_EQ(read.records.size(), lines);
            }),
            100);
}

TEST(OutOfMemory, AFileOfRecordsIsReadWholeOrNotAtAll) {
  const std::string text = journal();
  const std::size_t lines = few_records().size();
  EXPECT_GT(check_each_end([&] {
              std::istringstream in(text);
              const auto read = read_record_file(in);
              if (read.analyze.size() != lines) failing::allocations_left = failing::any_number;
              ASSERT_EQ(read.analyze.size(), lines);
            }),
            100);
}

TEST(OutOfMemory, ASummaryIsToldAndRead) {
  const auto records = few_records();
  EXPECT_GT(check_each_end([&] { static_cast<void>(summary_json(summarize(records))); }), 100);
  EXPECT_GT(check_each_end([&] { static_cast<void>(paper_text(summarize(records))); }), 100);
}

TEST(OutOfMemory, ReportsAreWrittenWholeOrNotAtAll) {
  const auto records = few_records();
  EXPECT_GT(check_each_end([&] {
              std::ostringstream out;
              out.exceptions(std::ios::badbit);
              write_csv(out, records);
            }),
            100);
  EXPECT_GT(check_each_end([&] {
              std::ostringstream out;
              out.exceptions(std::ios::badbit);
              write_html(out, records, {});
            }),
            100);
}

}  // namespace
}  // namespace spress::reports
