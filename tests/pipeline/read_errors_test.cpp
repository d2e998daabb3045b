// Records, calibrations and matrices on a disk that fails: errors that name the file, and nothing cut or forgotten.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "pipeline/calibrate/calibration.hpp"
#include "pipeline/collection/collection.hpp"
#include "pipeline/collection/journal.hpp"
#include "pipeline/collection/line_file.hpp"
#include "pipeline/compress.hpp"
#include "pipeline/source.hpp"
#include "tests/failing_reads.hpp"
#include "tests/scratch_folder.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

class ReadErrors : public tests::InScratchFolder<> {
 protected:
  static std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] fs::path matrix() const {
    const fs::path path = folder / "a.mtx";
    std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 -3\n";
    return path;
  }
};

/// work() fails as long as a read of the system does, naming the file. least: the reads that it takes.
template <class Work>
void sweep(const fs::path& path, Work work, long least = 2) {
  const long reads = tests::sweep_failing_reads([&](long k) {
    const auto result = work();
    ASSERT_EQ(result.ok(), !tests::read_failed) << path << " at read " << k;
    if (result.ok()) return;
    EXPECT_EQ(result.error().file, path.string()) << k;
    EXPECT_NE(result.error().message.find("Input/output error"), std::string::npos) << result.error().text();
  });
  EXPECT_GE(reads, least) << path;
}

TEST_F(ReadErrors, leave_the_journal_as_it_is) {
  const fs::path file = folder / "results.jsonl";
  CollectionOptions options;
  options.output = folder;
  options.analyze.formats = {{"csr", {}}};
  ASSERT_TRUE(run_collection({{matrix().string(), 1}}, options).ok());
  for (const std::string& torn : {std::string(), std::string("{\"schema_version\":1,")}) {
    std::ofstream(file, std::ios::app) << torn;
    const std::string before = bytes_of(file);
    const long reads = tests::sweep_failing_reads([&](long k) {
      const auto journal = Journal::open(file);
      ASSERT_EQ(journal.ok(), !tests::read_failed) << k;
      if (journal.ok()) {
        EXPECT_EQ(journal->records().size(), 1u);
        return;
      }
      EXPECT_EQ(journal.error().file, file.string());
      EXPECT_NE(journal.error().message.find("Input/output error"), std::string::npos) << journal.error().text();
      tests::good_reads = -1;
      const std::string now = bytes_of(file);
      // A torn line may be cut off before a second reading fails; whole ones stay.
      EXPECT_EQ(now, now.size() == before.size() ? before : before.substr(0, before.size() - torn.size())) << k;
      tests::read_failed = true;
    });
    EXPECT_GE(reads, 2);
  }
}

TEST_F(ReadErrors, leave_files_of_records_as_they_are) {
  const fs::path file = folder / "bench.jsonl";
  const std::string whole = "{\"schema_version\":1}\n{\"schema_version\":1}\n", torn = whole + "{\"schema_ver";
  std::ofstream(file) << torn;
  const auto open = [&] {
    EXPECT_EQ(fs::file_size(file), torn.size());
    return LineFile::open(file);
  };
  sweep(file, open, 1);
  EXPECT_EQ(bytes_of(file), whole);
}

TEST_F(ReadErrors, fail_calibrations) {
  const fs::path file = folder / "calibration.json";
  std::ofstream(file) << "{}";
  const long reads = tests::sweep_failing_reads([&](long k) {
    const auto read = read_calibration(file, DeviceKind::cpu);
    ASSERT_FALSE(read.ok()) << k;
    EXPECT_EQ(read.error().file, file.string());
    const bool said = read.error().message.find("Input/output error") != std::string::npos;
    EXPECT_EQ(said, tests::read_failed) << read.error().text() << " at read " << k;
  });
  EXPECT_GE(reads, 2);
}

TEST_F(ReadErrors, fail_matrices_and_containers) {
  const fs::path path = matrix(), container = folder / "a.spress";
  const auto loaded = load(path.string());
  ASSERT_TRUE(loaded.ok());
  ASSERT_TRUE(compress(*loaded, {}, container.string()).ok());
  sweep(path, [&] { return load(path.string()); });
  sweep(container, [&] { return load(container.string()); });
  sweep(container, [&] { return load_container(container.string()); });
}

}  // namespace
}  // namespace spress::pipeline
