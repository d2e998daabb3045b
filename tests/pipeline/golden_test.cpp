// Containers that earlier versions wrote, each read bit for bit as the matrix it was written from. The folder is the
// version (0.1.0: commit 005c568): data/golden/VERSION/FORMAT/SOURCE-STORE.spress. In `orderings` and `parameters` the
// name holds the ordering or the format. In `matrix`, the files are of version 2 of the container. The source is
// data/golden/VERSION/SOURCE.mtx.
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
    } else if (folder == "matrix") {
      EXPECT_EQ(name.ends_with("-rcm"), !container->info.row_perm.empty()) << file;
      EXPECT_EQ(name.starts_with("structural"), !container->info.matrix.comments.empty()) << file;
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
    EXPECT_EQ(head->version, head->format == "matrix" ? 2 : 1) << file;
    if (head->version == 2) continue;
    formats.insert(head->format);
    orderings.insert(head->info.ordering);
    for (const auto& [key, value] : head->scalars)
      if (key == "value_store") stores.insert(value);
  }
  EXPECT_EQ(formats.size(), 17U);
  EXPECT_EQ(stores, (std::set<std::string>{"raw", "narrow", "lut8", "lut16", "iso"}));
  EXPECT_EQ(orderings.size(), 16U);
}

TEST(Golden, EveryKindOfFileOfVersion2IsThere) {
  std::set<std::string> streams, folds, codings;
  std::set<bool> seekable;
  for (const fs::path& file : golden_files()) {
    const auto head = io::check_container(file);
    ASSERT_TRUE(head.ok()) << head.error().text();
    if (head->version != 2) continue;
    for (const auto& array : head->arrays) {
      streams.insert(array.name);
      for (const auto& block : array.blocks) codings.insert(block.transform);
    }
    for (const auto& [key, value] : head->scalars) {
      if (key == "triangle_of") folds.insert(value);
      if (key == "seekable") seekable.insert(value == "yes");
    }
  }
  for (const char* name : {"comments", "order of rows", "row lengths", "row gaps", "first columns", "column gaps",
                           "columns", "values", "value numbers", "digits", "exponents", "other numbers"})
    EXPECT_TRUE(streams.contains(name)) << name;
  EXPECT_EQ(folds, (std::set<std::string>{"none", "symmetric", "skew-symmetric", "hermitian", "pattern"}));
  EXPECT_EQ(seekable, (std::set<bool>{false, true}));
  for (const char* coding : {"same", "plain", "plain+zstd", "planes+zstd", "bits", "coded"})
    EXPECT_TRUE(codings.contains(coding)) << coding;
}

}  // namespace
}  // namespace spress::pipeline
