// Containers that earlier versions wrote, each read bit for bit as the matrix it was written from. The folder is the
// version (0.1.0: commit 005c568): data/golden/VERSION/FORMAT/SOURCE-STORE.spress. In `orderings` and `parameters` the
// name holds the ordering or the format. The source is data/golden/VERSION/SOURCE.mtx.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/io/container/container.hpp"
#include "pipeline/measure/verify.hpp"
#include "pipeline/source.hpp"
#include "reorder/orderings.hpp"
#include "tests/data.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> golden_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(data_folder() / "golden"))
    if (entry.path().extension() == ".spress") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The matrix that a container was written from: the first part of its name or the last that is a matrix beside it.
fs::path source_of(const fs::path& container) {
  const fs::path folder = container.parent_path().parent_path();
  const std::string name = container.stem().string();
  const fs::path first = folder / (name.substr(0, name.find('-')) + ".mtx");
  return fs::exists(first) ? first : folder / (name.substr(name.rfind('-') + 1) + ".mtx");
}

Csr<Owned> csr_at(const fs::path& path) {
  auto matrix = load(path.string());
  EXPECT_TRUE(matrix.ok()) << matrix.error().text();
  return matrix.ok() ? std::move(matrix->csr) : Csr<Owned>();
}

TEST(Golden, EveryContainerEverWrittenHoldsItsMatrixBitForBit) {
  for (const fs::path& file : golden_files()) EXPECT_TRUE(identical(csr_at(file), csr_at(source_of(file)))) << file;
}

TEST(Golden, TheNamesSayWhatIsInTheFiles) {
  for (const fs::path& file : golden_files()) {
    const auto container = io::read_container(file);
    ASSERT_TRUE(container.ok()) << container.error().text();
    const std::string folder = file.parent_path().filename(), name = file.stem();
    const std::string format(name_of(container->matrix));
    if (folder == "orderings") {
      EXPECT_TRUE(name.ends_with("-" + container->info.ordering)) << file;
    } else if (folder == "parameters") {
      EXPECT_TRUE(name.starts_with(format)) << file;
      EXPECT_FALSE(container->info.parameters.empty()) << file;
    } else {
      EXPECT_EQ(format, folder) << file;
      with_any(container->matrix, [&](const auto& f) {
        if constexpr (requires { f.values.kind; }) {  // bccoo and bccoo-gpu have a table of their own
          EXPECT_TRUE(name.ends_with("-" + std::string(enum_name(f.values.kind)))) << file;
        }
      });
    }
  }
}

TEST(Golden, EveryFormatStoreAndOrderingOf010IsThere) {
  std::set<std::string> formats, stores, orderings;
  for (const fs::path& file : golden_files()) {
    const auto head = io::read_container_head(file);
    ASSERT_TRUE(head.ok()) << head.error().text();
    formats.insert(head->format);
    orderings.insert(head->info.ordering);
    for (const auto& [key, value] : head->scalars)
      if (key == "value_store") stores.insert(value);
  }
  EXPECT_EQ(formats.size(), 15U);
  EXPECT_EQ(stores, (std::set<std::string>{"raw", "narrow", "lut8", "lut16", "iso"}));
  EXPECT_EQ(orderings.size(), 16U);
}

}  // namespace
}  // namespace spress::pipeline
