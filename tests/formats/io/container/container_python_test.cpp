// A reader in another language, written from container.md and container_v2.md alone, must see the same matrices.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <tuple>

#include "formats/io/container/container.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "tests/data.hpp"
#include "tests/formats/io/matrix_file/matrix_samples.hpp"
#include "tests/scratch_folder.hpp"

namespace spress::io {
namespace {

namespace fs = std::filesystem;

/// Numbers as the hexadecimal digits of their bits.
std::string hexadecimal(const std::uint8_t* value, std::size_t width, std::size_t part) {
  std::string text;
  for (std::size_t begin = 0; begin < width; begin += part) {
    text += ' ';
    for (std::size_t i = part; i-- > 0;) {
      text += "0123456789abcdef"[value[begin + i] >> 4];
      text += "0123456789abcdef"[value[begin + i] & 15];
    }
  }
  return text;
}

/// What read_container.py prints for the matrix whose rows and columns were permuted to give `a`.
std::string dump(const Csr<Owned>& a, const ContainerInfo& info) {
  const auto raw = with_store(view_of(a).values, StoreKind::raw);
  const std::size_t width = size_of(a.values.type);
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> entries;
  for (std::uint64_t r = 0; r < a.rows; ++r)
    for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k)
      entries.emplace_back(info.row_perm.empty() ? r : info.row_perm[r],
                           info.col_perm.empty() ? a.col_idx[k] : info.col_perm[a.col_idx[k]],
                           hexadecimal(raw->codes.memory.data() + k * width, width, std::min<std::size_t>(width, 8)));
  std::sort(entries.begin(), entries.end());
  std::string text = std::to_string(a.rows) + " " + std::to_string(a.cols) + " " + std::to_string(a.nnz) + " " +
                     std::string(enum_name(a.values.type)) + "\n";
  for (const auto& [row, col, value] : entries) text += std::to_string(row) + " " + std::to_string(col) + value + "\n";
  return text;
}

class ContainerPython : public tests::InScratchFolder<> {
 protected:
  template <template <class> class F>
  void write(const Csr<Owned>& a, const ParamsOf<F>& params, const ContainerInfo& info) {
    const auto f = encode<F>(view_of(a), params);
    if (!f.ok() && f.error().code == ErrorCode::not_applicable) return;  // a store that a format does not take
    ASSERT_TRUE(f.ok()) << f.error().text();
    const fs::path path = folder / (std::to_string(files++) + ".spress");
    WriteOptions options;
    options.block_bytes = files % 2 == 0 ? 1u << 20 : 600;
    ASSERT_TRUE(write_container<F>(view_of(*f), info, path, options).ok());
    std::ofstream(fs::path(path).replace_extension(".txt")) << dump(a, info);
  }

  void write_matrix(const Csr<Owned>& a, const ContainerInfo& info, const MatrixFileOptions& options) {
    const fs::path path = folder / (std::to_string(files++) + ".spress");
    ASSERT_TRUE(write_matrix_file(view_of(a), info, path, options).ok());
    std::ofstream(fs::path(path).replace_extension(".txt")) << dump(a, info);
  }
  /// The matrix in files of version 2.
  void write_matrices(const Csr<Owned>& a, ContainerInfo info = {}) {
    info.matrix.comments = "% kind: a matrix of the tests\n%\n";
    for (const int level : {1, 6, 12})
      for (const bool seekable : {false, true})
        for (const std::uint64_t entries : {0, 90})
          write_matrix(a, info, {.level = level, .threads = 0, .seekable = seekable, .block_entries = entries});
  }

  /// The matrix in every format of the list, opt-csr and amb in each of their modes.
  void write_all(const Csr<Owned>& a, const ContainerInfo& info) {
    for_each_format([&]<template <class> class F>(Tag<F>) { write<F>(a, {}, info); });
    for (const IndexMode mode : {IndexMode::delta, IndexMode::anchored, IndexMode::diagonal})
      write<OptCsr>(a, {mode}, info);
    for (const std::uint32_t sigma : {1u, 64u}) write<SliceDelta>(a, {.sigma = sigma, .block = 3}, info);
    for (const ColumnBase base : {ColumnBase::step, ColumnBase::none}) write<Amb>(a, {.base = base}, info);
  }

  int files = 0;
};

ContainerInfo shuffled(const Csr<Owned>& a) {
  ContainerInfo info;
  info.ordering = "shuffled";
  info.row_perm = HostArray<std::uint32_t>(a.rows);
  info.col_perm = HostArray<std::uint32_t>(a.cols);
  std::mt19937_64 random(3);
  for (auto* perm : {&info.row_perm, &info.col_perm}) {
    std::iota(perm->begin(), perm->end(), 0u);
    for (std::size_t i = perm->size(); i > 1; --i) std::swap((*perm)[i - 1], (*perm)[random() % i]);
  }
  return info;
}

/// Hundredths, and now and then a number that is none.
ValueStore<Owned> decimals(std::size_t count) {
  HostArray<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = k % 37 == 5 ? 1e300 / 3 : (static_cast<double>(k) - 40) / 100;
  return raw_store(std::move(values));
}

TEST_F(ContainerPython, SeesTheSameMatrices) {
  if (std::system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no python3 of version 3.10 or newer here";
  const samples::OneThread one_thread;
  const auto all = samples::scenarios();
  for (const auto& scenario : all) write_all(samples::csr_of(scenario, ValueType::f64), {});
  for (const ValueType type : {ValueType::none, ValueType::f32, ValueType::c128})
    write_all(samples::csr_of(all.back(), type), shuffled(samples::csr_of(all.back())));
  for (const bool all_equal : {false, true}) {
    auto a = samples::csr_of(all.back(), samples::few_values(ValueType::f64, all.back().places.size(), all_equal));
    const auto raw = a;
    for (const StoreKind kind : all_stores)
      if (auto store = with_store(view_of(raw).values, kind); store.ok()) {
        a.values = std::move(store).value();
        write_all(a, {});
      }
  }
  write_all(samples::csr_of(all.back(), decimals(all.back().places.size())), {});
  for (const auto& scenario : all)
    for (const ValueType type : {ValueType::none, ValueType::f64, ValueType::c128})
      write_matrices(samples::csr_of(scenario, type));
  for (const auto& scenario : samples::copied_scenarios())
    for (const bool seekable : {false, true}) {
      const auto a = samples::csr_of(scenario, pattern_store(scenario.places.size()));
      write_matrix(a, {}, {.level = 6, .threads = 0, .seekable = seekable, .block_entries = 9000});
    }
  for (const auto& folded : samples::folded_matrices()) write_matrices(folded.csr, shuffled(folded.csr));
  for (const auto& ordered : samples::column_matrices()) write_matrices(ordered.csr);
  write_matrices(samples::csr_of(all.back(), decimals(all.back().places.size())));
  write_matrices(samples::repeating_matrix());
  const fs::path reader = tests_folder() / "formats" / "io" / "container" / "read_container.py";
  const std::string command = "python3 '" + reader.string() + "' --check-folder '" + folder.string() + "'";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no zstd for Python here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace spress::io
