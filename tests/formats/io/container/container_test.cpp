#include "formats/io/container/container.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

#include "formats/gallery/gallery.hpp"
#include "tests/formats/io/container/container_samples.hpp"
#include "tests/scratch_folder.hpp"

namespace spress::io {
namespace {

namespace fs = std::filesystem;
using samples::csr_of;

ContainerInfo info_for(std::string name) {
  ContainerInfo info;
  info.matrix.name = std::move(name);
  info.matrix.path = "somewhere/a.mtx";
  info.matrix.field = Field::real;
  info.matrix.symmetry = Symmetry::skew_symmetric;
  info.matrix.stored_entries = 123456789012u;
  info.matrix.duplicates = 7;
  return info;
}

void expect_same(const ContainerInfo& a, const ContainerInfo& b) {
  EXPECT_EQ(a.matrix.name, b.matrix.name);
  EXPECT_EQ(a.matrix.path, b.matrix.path);
  EXPECT_EQ(a.matrix.field, b.matrix.field);
  EXPECT_EQ(a.matrix.symmetry, b.matrix.symmetry);
  EXPECT_EQ(a.matrix.stored_entries, b.matrix.stored_entries);
  EXPECT_EQ(a.matrix.duplicates, b.matrix.duplicates);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.ordering, b.ordering);
  EXPECT_TRUE(std::ranges::equal(a.row_perm.span(), b.row_perm.span()));
  EXPECT_TRUE(std::ranges::equal(a.col_perm.span(), b.col_perm.span()));
}

/// Writes `f`, reads it back and compares everything.
template <template <class> class F>
void expect_round_trip(const F<Owned>& f, const ContainerInfo& info, const WriteOptions& options = {}) {
  const auto bytes = write_container_bytes<F>(view_of(f), info, options);
  ASSERT_TRUE(bytes.ok()) << bytes.error().text();
  const auto read = read_container_bytes(*bytes);
  ASSERT_TRUE(read.ok()) << read.error().text();
  const auto* back = std::get_if<F<Owned>>(&read->matrix);
  ASSERT_NE(back, nullptr);
  EXPECT_TRUE(identical(f, *back));
  expect_same(info, read->info);
}

/// Calls use(f, label) with the matrix in each format of the list, in each store that can hold its values.
template <class Use>
void for_each_encoding(const Csr<Owned>& csr, Use use) {
  const samples::OneThread one_thread;
  for (const StoreKind kind : all_stores) {
    auto values = with_store(view_of(csr).values, kind);
    if (!values.ok()) continue;
    Csr<Owned> a = csr;
    a.values = std::move(values).value();
    for_each_format([&]<template <class> class F>(Tag<F>) {
      const auto f = encode<F>(view_of(a), {});
      if (!f.ok() && f.error().code == ErrorCode::not_applicable) return;  // a store that a format does not take
      ASSERT_TRUE(f.ok()) << f.error().text();
      use.template operator()<F>(*f, std::string(F<Owned>::name) + "/" + std::string(enum_name(kind)));
    });
  }
}

const std::vector<ValueType> all_types = {ValueType::none, ValueType::f32, ValueType::f64, ValueType::c128};

TEST(Container, RoundTripOfEveryFormatStoreTypeAndScenario) {
  int trips = 0;
  WriteOptions quick;
  quick.level = 1;
  for (const auto& scenario : samples::scenarios())
    for (const ValueType type : all_types)
      for_each_encoding(csr_of(scenario, type),
                        [&]<template <class> class F>(const F<Owned>& f, const std::string& label) {
                          SCOPED_TRACE(scenario.name + "/" + std::string(enum_name(type)) + "/" + label);
                          expect_round_trip<F>(f, info_for(scenario.name), quick);
                          ++trips;
                        });
  EXPECT_GT(trips, 200);
}

TEST(Container, RoundTripOfEveryStore) {
  const auto scenario = samples::scenarios().back();
  std::set<StoreKind> seen;
  for (const ValueType type : {ValueType::f32, ValueType::f64, ValueType::c128})
    for (const bool all_equal : {false, true}) {
      const auto csr = csr_of(scenario, samples::few_values(type, scenario.places.size(), all_equal));
      for_each_encoding(csr, [&]<template <class> class F>(const F<Owned>& f, const std::string& label) {
        SCOPED_TRACE(label);
        if constexpr (requires { f.values.kind; }) seen.insert(f.values.kind);
        expect_round_trip<F>(f, info_for("few"));
      });
    }
  EXPECT_EQ(seen.size(), all_stores.size());
}

TEST(Container, RoundTripInManyBlocks) {
  for (const std::size_t block_bytes : {1u, 100u})
    for (const ValueType type : all_types)
      for_each_encoding(csr_of(samples::scenarios().back(), type),
                        [&]<template <class> class F>(const F<Owned>& f, const std::string& label) {
                          if (block_bytes == 1 && type != ValueType::c128) return;  // one element a block
                          SCOPED_TRACE(label + " in blocks of " + std::to_string(block_bytes));
                          WriteOptions options;
                          options.level = 1;
                          options.block_bytes = block_bytes;
                          expect_round_trip<F>(f, info_for("blocks"), options);
                        });
}

TEST(Container, KeepsOrderingsAndOddTexts) {
  const auto csr = csr_of(samples::scenarios().back());
  ContainerInfo info = info_for("a \"name\"\twith \\ and \xC3\xA9");
  info.parameters = "index=auto";
  info.ordering = "rcm";
  info.row_perm = HostArray<std::uint32_t>(csr.rows);
  info.col_perm = HostArray<std::uint32_t>(csr.cols);
  std::iota(info.row_perm.begin(), info.row_perm.end(), 0u);
  std::iota(info.col_perm.begin(), info.col_perm.end(), 0u);
  std::reverse(info.row_perm.begin(), info.row_perm.end());
  std::rotate(info.col_perm.begin(), info.col_perm.begin() + 5, info.col_perm.end());
  expect_round_trip<Csr>(csr, info);
  info.row_perm = {};
  expect_round_trip<Csr>(csr, info);
}

TEST(Container, StoresASymmetricPermutationOnce) {
  samples::Scenario square = {"square", 5, 5, {{0, 1}, {4, 4}}};
  const auto csr = csr_of(square);
  ContainerInfo info = info_for("square");
  info.row_perm = {4, 2, 0, 1, 3};
  info.col_perm = info.row_perm;
  expect_round_trip<Csr>(csr, info);
  const auto bytes = write_container_bytes<Csr>(view_of(csr), info);
  const auto head = read_container_head_bytes(*bytes);
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->row_perm_array, "ordering_row_perm");
  EXPECT_EQ(head->col_perm_array, "ordering_row_perm");
  EXPECT_TRUE(head->info.row_perm.empty());
}

TEST(Container, TextThatIsNotUtf8IsMadeReadable) {
  const auto csr = csr_of(samples::scenarios()[4]);
  ContainerInfo info = info_for("name");
  info.matrix.path = "folder/\xFF\xFE.mtx";
  const auto bytes = write_container_bytes<Csr>(view_of(csr), info);
  ASSERT_TRUE(bytes.ok());
  const auto read = read_container_bytes(*bytes);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->info.matrix.path.substr(0, 7), "folder/");
}

TEST(Container, HeadTellsWhatIsInside) {
  const auto csr = csr_of(samples::scenarios().back());
  const auto f = encode<OptCsr>(view_of(csr), {});
  ASSERT_TRUE(f.ok());
  ContainerInfo info = info_for("m");
  info.parameters = "index=auto";
  WriteOptions options;
  options.block_bytes = 1000;
  const auto bytes = write_container_bytes<OptCsr>(view_of(*f), info, options);
  const auto head = read_container_head_bytes(*bytes);
  ASSERT_TRUE(head.ok()) << head.error().text();
  EXPECT_EQ(head->version, 1);
  EXPECT_EQ(head->format, "opt-csr");
  EXPECT_EQ(head->info.parameters, "index=auto");
  EXPECT_EQ(head->file_bytes, bytes->size());
  EXPECT_EQ(head->scalars[0], std::pair(std::string("rows"), std::string("300")));
  EXPECT_EQ(head->scalars[3].first, "index");
  EXPECT_EQ(head->scalars[3].second, enum_name(f->index));
  std::uint64_t next = 48;
  const auto breakdown = byte_breakdown(*f);
  ASSERT_EQ(head->arrays.size(), breakdown.size());
  for (std::size_t i = 0; i < breakdown.size(); ++i) {
    EXPECT_EQ(head->arrays[i].name, breakdown[i].name);
    EXPECT_EQ(head->arrays[i].role, to_string(breakdown[i].role));
    EXPECT_EQ(head->arrays[i].type, to_string(breakdown[i].type));
    EXPECT_EQ(head->arrays[i].count, breakdown[i].count);
    std::uint64_t raw = 0;
    for (const auto& block : head->arrays[i].blocks) {
      EXPECT_EQ(block.offset, next);
      EXPECT_LE(block.bytes, 1000u);
      next += block.stored_bytes;
      raw += block.bytes;
    }
    EXPECT_EQ(raw, breakdown[i].bytes);
  }
}

TEST(Container, BytesDoNotDependOnThreads) {
  const auto csr = csr_of(samples::scenarios().back());
  WriteOptions options;
  options.block_bytes = 500;
  options.threads = 1;
  const auto one = write_container_bytes<Csr>(view_of(csr), info_for("m"), options);
  for (const int threads : {2, 3, 7}) {
    options.threads = threads;
    const auto many = write_container_bytes<Csr>(view_of(csr), info_for("m"), options);
    ASSERT_TRUE(one.ok() && many.ok());
    EXPECT_EQ(*one, *many);
    const auto read = read_container_bytes(*many, threads);
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(identical(csr, std::get<Csr<Owned>>(read->matrix)));
  }
}

TEST(Container, RefusesLevelsAndBlocksThatDoNotExist) {
  const auto csr = csr_of(samples::scenarios()[4]);
  for (const auto& [level, block_bytes] :
       {std::pair(23, std::size_t{1} << 20), {-131073, 1 << 20}, {6, 0}, {6, (64u << 20) + 1}}) {
    WriteOptions options;
    options.level = level;
    options.block_bytes = block_bytes;
    const auto bytes = write_container_bytes<Csr>(view_of(csr), {}, options);
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.error().code, ErrorCode::usage);
    EXPECT_NE(bytes.error().message.find("to"), std::string::npos);
  }
}

TEST(Container, ExampleOfTheSpecification) {
  Csr<Owned> a;
  a.rows = 2;
  a.cols = 3;
  a.nnz = 3;
  a.row_ptr = Positions<Owned>(HostArray<std::uint32_t>{0, 2, 3});
  a.col_idx = {0, 2, 1};
  a.values = pattern_store(3);
  const auto bytes = write_container_bytes<Csr>(view_of(a), {});
  ASSERT_TRUE(bytes.ok());
  const std::vector<std::uint8_t> begin = {0x89, 'S', 'P', 'R', 0x0D, 0x0A, 0x1A, 0x0A, 1, 0,
                                           0,    0,   0,   0,   0,    0,    68,   0,    0, 0};
  const std::vector<std::uint8_t> blocks = {1, 0, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_TRUE(std::equal(begin.begin(), begin.end(), bytes->begin()));
  EXPECT_TRUE(std::equal(blocks.begin(), blocks.end(), bytes->begin() + 48));
  const auto head = read_container_head_bytes(*bytes);
  ASSERT_TRUE(head.ok());
  ASSERT_EQ(head->arrays[0].blocks.size(), 1u);
  EXPECT_EQ(head->arrays[0].blocks[0].checksum, 0xd798b6865139244cu);
  EXPECT_EQ(head->arrays[1].blocks[0].checksum, 0x5ca930752e6b37b7u);
}

struct Golden {
  const char* spec;
  const char* format;
  std::size_t bytes;  ///< of the whole file with zstd 1.5.4
};

TEST(Container, SizesStayWhatTheyAre) {
  const Golden goldens[] = {
      {"stencil27:n=16", "csr", 1879}, {"stencil27:n=16", "opt-csr", 2423}, {"stencil27:n=16", "bmsparse", 2355},
      {"stencil27:n=16", "coo", 1951}, {"trefethen:n=2000", "csr", 4946},   {"trefethen:n=2000", "opt-csr", 5313},
  };
  for (const Golden& golden : goldens) {
    const auto spec = parse_spec(golden.spec);
    const auto matrix = gallery::generate(*spec);
    ASSERT_TRUE(matrix.ok()) << matrix.error().text();
    ASSERT_TRUE(with_format(golden.format, [&]<template <class> class F>(Tag<F>) {
      const auto f = encode<F>(view_of(matrix->csr), {});
      const auto bytes = write_container_bytes<F>(view_of(*f), {});
      ASSERT_TRUE(bytes.ok());
      // Another version of zstd may compress a little better or worse.
      EXPECT_NEAR(static_cast<double>(bytes->size()), static_cast<double>(golden.bytes),
                  static_cast<double>(golden.bytes) * 0.02)
          << golden.spec << " as " << golden.format << ": " << bytes->size();
    }));
  }
}

class ContainerFiles : public tests::InScratchFolder<> {
 protected:
  Csr<Owned> csr = csr_of(samples::scenarios().back());
};

TEST_F(ContainerFiles, FileHoldsTheSameBytes) {
  const fs::path path = folder / "a.spress";
  ASSERT_TRUE(write_container<Csr>(view_of(csr), info_for("a"), path).ok());
  std::ifstream in(path, std::ios::binary);
  const std::vector<std::uint8_t> written{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(written, *write_container_bytes<Csr>(view_of(csr), info_for("a")));
  EXPECT_TRUE(is_container(**InputFile::open(path)));
  const auto read = read_container(path);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_TRUE(identical(csr, std::get<Csr<Owned>>(read->matrix)));
  const auto head = read_container_head(path);
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->file_bytes, written.size());
  EXPECT_EQ(files(), 1);
}

TEST_F(ContainerFiles, PassesThroughAPipe) {
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Result<std::uint64_t> written = std::uint64_t{0};
  std::thread writer([&] { written = write_container<Csr>(view_of(csr), info_for("a"), pipe); });
  const auto file = InputFile::open(pipe);
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_TRUE(is_container(**file));
  const auto read = read_container(*file);
  writer.join();
  ASSERT_TRUE(written.ok());
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_TRUE(identical(csr, std::get<Csr<Owned>>(read->matrix)));
}

TEST_F(ContainerFiles, UnwritablePlacesLeaveNothing) {
  for (const fs::path& path : {folder, folder / "missing" / "a.spress", fs::path("/dev/full")}) {
    const auto status = write_container<Csr>(view_of(csr), info_for("a"), path);
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_EQ(status.error().code, ErrorCode::unwritable);
    EXPECT_EQ(status.error().file, path.string());
  }
  WriteOptions wrong;
  wrong.level = 1000;
  EXPECT_FALSE(write_container<Csr>(view_of(csr), {}, folder / "a.spress", wrong).ok());
  EXPECT_EQ(files(), 0);
}

TEST_F(ContainerFiles, UnreadablePlaces) {
  const auto code_of = [](const fs::path& path) {
    const auto read = read_container(path);
    const auto head = read_container_head(path);
    const auto file = InputFile::open(path);
    EXPECT_FALSE(file.ok() && is_container(**file));
    if (read.ok() || head.ok()) return ErrorCode::usage;
    EXPECT_EQ(read.error().text(), head.error().text());
    EXPECT_EQ(read.error().file, path.string());
    return read.error().code;
  };
  std::ofstream(folder / "empty");
  std::ofstream(folder / "text") << "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(code_of(folder / "no such file"), ErrorCode::not_found);
  EXPECT_EQ(code_of(folder / "text" / "below"), ErrorCode::not_found);
  EXPECT_EQ(code_of(folder), ErrorCode::unreadable);
  EXPECT_EQ(code_of(folder / "empty"), ErrorCode::truncated);
  EXPECT_EQ(code_of(folder / "text"), ErrorCode::damaged);
}

}  // namespace
}  // namespace spress::io
