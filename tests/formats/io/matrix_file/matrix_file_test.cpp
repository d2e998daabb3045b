#include "formats/io/matrix_file/matrix_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <set>

#include "formats/gallery/gallery.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/descriptor.hpp"
#include "formats/io/matrix_file/values/column_order.hpp"
#include "tests/formats/io/matrix_file/matrix_samples.hpp"
#include "tests/scratch_folder.hpp"

namespace spress::io {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const Csr<Owned>& a, const ContainerInfo& info = {}, const MatrixFileOptions& options = {}) {
  auto bytes = write_matrix_file_bytes(view_of(a), info, options);
  EXPECT_TRUE(bytes.ok()) << bytes.error().text();
  return bytes.ok() ? std::move(bytes).value() : Bytes();
}

Container read_or_fail(const Bytes& bytes, int threads = 0) {
  auto read = read_container_bytes(bytes, threads);
  EXPECT_TRUE(read.ok()) << read.error().text();
  return read.ok() ? std::move(read).value() : Container();
}

const Csr<Owned>& csr_of(const Container& container) { return std::get<Csr<Owned>>(container.matrix); }

std::string scalar(const Bytes& bytes, std::string_view name) {
  const auto head = read_container_head_bytes(bytes);
  EXPECT_TRUE(head.ok());
  for (const auto& [key, value] : head->scalars)
    if (key == name) return value;
  return "";
}

MatrixFileHead head_of(const Bytes& file) {
  const layout::Header header = layout::decode_header(file, file.size()).value();
  return parse_matrix_file_descriptor(std::span(file).subspan(header.descriptor_offset), layout::header_bytes,
                                      header.descriptor_offset)
      .value();
}

MatrixFileOptions in_blocks(std::uint64_t entries, bool seekable = false) {
  MatrixFileOptions options;
  options.level = 1;
  options.seekable = seekable;
  options.block_entries = entries;
  return options;
}

TEST(MatrixFile, RoundTripOfEveryTypeAndScenario) {
  const samples::OneThread one_thread;
  for (const auto& scenario : samples::scenarios())
    for (const ValueType type : {ValueType::none, ValueType::f64, ValueType::c128})
      for (const std::uint64_t entries : {0, 1, 50})
        for (const bool seekable : {false, true}) {
          if (entries == 1 && scenario.places.size() > 400) continue;
          SCOPED_TRACE(scenario.name + "/" + std::string(enum_name(type)) + "/" + std::to_string(entries));
          const auto a = samples::csr_of(scenario, type);
          EXPECT_TRUE(identical(csr_of(read_or_fail(bytes_of(a, {}, in_blocks(entries, seekable)))), a));
        }
}

TEST(MatrixFile, OneTriangleGivesTheOther) {
  constexpr std::array<std::string_view, 5> names = {"none", "symmetric", "skew-symmetric", "hermitian", "pattern"};
  for (const auto& sample : samples::folded_matrices())
    for (const std::uint64_t entries : {0, 40})
      for (const int level : {1, 6}) {
        const std::string name(names[static_cast<std::size_t>(sample.fold)]);
        SCOPED_TRACE(sample.name + "/" + name + "/" + std::to_string(level));
        auto options = in_blocks(entries);
        options.level = level;
        const Bytes bytes = bytes_of(sample.csr, {}, options);
        EXPECT_EQ(scalar(bytes, "triangle_of"), name);
        for (const int threads : {1, 3}) EXPECT_TRUE(identical(csr_of(read_or_fail(bytes, threads)), sample.csr));
        const Bytes seekable = bytes_of(sample.csr, {}, in_blocks(entries, true));
        EXPECT_EQ(scalar(seekable, "triangle_of"), "none");
        EXPECT_TRUE(identical(csr_of(read_or_fail(seekable)), sample.csr));
      }
}

/// The first byte of each block of rows.
std::set<int> first_bytes(const Bytes& bytes) {
  std::set<int> out;
  for (const BlockPlace& block : head_of(bytes).blocks) out.insert(bytes[block.offset] & 0xC0);
  return out;
}

TEST(MatrixFile, ValuesStandByColumnsWhereThatIsSmaller) {
  for (const auto& sample : samples::column_matrices())
    for (const std::uint64_t entries : {0, 700})
      for (const int level : {1, 6, 17})
        for (const bool seekable : {false, true}) {
          SCOPED_TRACE(sample.name + "/" + std::to_string(level) + "/" + std::to_string(seekable));
          auto options = in_blocks(entries, seekable);
          options.level = level;
          const Bytes bytes = bytes_of(sample.csr, {}, options);
          EXPECT_TRUE(identical(csr_of(read_or_fail(bytes)), sample.csr));
          if (entries != 0) continue;  // columns are short in small blocks
          EXPECT_EQ(first_bytes(bytes), std::set<int>{values_by_columns});
        }
  for (const auto& sample : samples::folded_matrices())  // above the diagonal of Fold::pattern numbers ascend by rows
    EXPECT_EQ(first_bytes(bytes_of(sample.csr)), std::set<int>{sample.fold == Fold::pattern ? mirrored_by_columns : 0});
}

TEST(MatrixFile, ColumnOrderKeepsRowsInOrder) {
  std::mt19937_64 random(6);
  for (const unsigned bits : {0u, 1u, 11u, 12u, 22u, 23u, 32u})
    for (const std::size_t count : {0, 1, 5, 40000}) {
      std::vector<std::uint32_t> columns(count), expected(count);
      for (auto& column : columns) column = static_cast<std::uint32_t>(random() & ((std::uint64_t{1} << bits) - 1));
      std::iota(expected.begin(), expected.end(), 0u);
      std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return columns[a] < columns[b]; });
      const auto order = column_order(columns);
      EXPECT_TRUE(std::equal(order.begin(), order.end(), expected.begin(), expected.end())) << bits;
      const auto sample = sample_of_columns(columns, 100);
      EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end(),
                                 [&](auto a, auto b) { return std::pair(columns[a], a) < std::pair(columns[b], b); }));
      EXPECT_EQ(sample.empty(), columns.empty());
      EXPECT_TRUE(bits != 32 || sample.size() <= 200) << sample.size();
    }
}

/// Enough entries for several threads: a band with a gap, and a last row that reaches back to the first.
samples::Scenario wide_band() {
  constexpr std::uint32_t n = 30000;
  samples::Places places;
  const auto both = [&](std::uint32_t r, std::uint32_t c) {
    places.emplace(r, c);
    places.emplace(c, r);
  };
  for (std::uint32_t r = 3; r < n; ++r) {
    if (r > 9000 && r < 12000) continue;
    for (std::uint32_t back = 0; back < 3; ++back) both(r, r - back);
  }
  for (std::uint32_t c = 0; c < n; c += 17) both(n - 1, c);
  return {"band", n, n, std::move(places)};
}

TEST(MatrixFile, OneTriangleGivesTheOtherOnManyThreads) {
  const auto band = wide_band();
  for (const Fold fold : {Fold::skew, Fold::pattern}) {
    const auto a = samples::with_fold<double>(band, fold);
    const Bytes bytes = bytes_of(a, {}, in_blocks(20000));
    EXPECT_NE(scalar(bytes, "triangle_of"), "none");
    for (const int threads : {1, 2, 3, 7}) EXPECT_TRUE(identical(csr_of(read_or_fail(bytes, threads)), a)) << threads;
  }
}

TEST(MatrixFile, ManyThreadsFindTheSameFold) {
  auto band = wide_band();
  const auto expect = [&](const Csr<Owned>& a, Fold fold) {
    for (const int threads : {1, 2, 3, 7}) EXPECT_EQ(fold_of(view_of(a), threads), fold) << threads;
  };
  for (const Fold fold : {Fold::symmetric, Fold::skew, Fold::pattern})
    expect(samples::with_fold<double>(band, fold), fold);
  for (const Fold fold : {Fold::hermitian, Fold::pattern})
    expect(samples::with_fold<std::complex<double>>(band, fold), fold);
  auto a = samples::with_fold<double>(band, Fold::symmetric);
  a.values.codes.memory[8 * a.row_ptr.position(15000) + 1] ^= 1;  // of an entry below the diagonal
  expect(a, Fold::pattern);
  for (const auto& gone :
       {std::pair(3u, 2u), std::pair(20000u, 20001u), std::pair(29999u, 17u), std::pair(17u, 29999u)}) {
    ASSERT_EQ(band.places.erase(gone), 1u);
    expect(samples::csr_of(band, pattern_store(band.places.size())), Fold::none);
    band.places.insert(gone);
  }
}

/// So many entries anywhere that they are sorted before they are put to their places.
TEST(MatrixFile, OneTriangleGivesTheOtherWhereEntriesStandAnywhere) {
  const auto matrix = gallery::generate(*parse_spec("stencil27:n=28,values=noise,shuffle=1"));
  ASSERT_TRUE(matrix.ok());
  const Bytes bytes = bytes_of(matrix->csr, {}, in_blocks(100000));
  EXPECT_NE(scalar(bytes, "triangle_of"), "none");
  for (const int threads : {1, 3}) EXPECT_TRUE(identical(csr_of(read_or_fail(bytes, threads)), matrix->csr)) << threads;
}

TEST(MatrixFile, ATriangleIsLeftWhereAllEntriesTakeLess) {
  const auto a = samples::repeating_matrix();
  for (const int level : {6, 19}) {
    const Bytes bytes = bytes_of(a, {}, {.level = level});
    EXPECT_EQ(scalar(bytes, "triangle_of"), "none");
    EXPECT_LT(bytes.size(), a.nnz * 16 * 6 / 10);  // the values of one half
    EXPECT_TRUE(identical(csr_of(read_or_fail(bytes)), a));
  }
}

TEST(MatrixFile, ASingleBitMakesNoTriangle) {
  auto sample = samples::folded_matrices().front();
  ASSERT_EQ(sample.fold, Fold::symmetric);
  sample.csr.values.codes.memory[8 * 5 + 1] ^= 1;  // of an entry in the second row
  const Bytes bytes = bytes_of(sample.csr);
  EXPECT_EQ(scalar(bytes, "triangle_of"), "pattern");
  EXPECT_TRUE(identical(csr_of(read_or_fail(bytes)), sample.csr));
}

TEST(MatrixFile, GalleryMatricesAreSmall) {
  struct Wanted {
    const char* text;
    double part;  ///< of CSR
  };
  for (const Wanted& wanted :
       {Wanted{"stencil27:n=14", 0.002}, Wanted{"fem3d:n=7", 0.06}, Wanted{"powerlaw:n=3000", 0.7}}) {
    const auto spec = parse_spec(wanted.text);
    ASSERT_TRUE(spec.ok());
    const auto matrix = gallery::generate(*spec);
    ASSERT_TRUE(matrix.ok()) << wanted.text;
    const Bytes bytes = bytes_of(matrix->csr);
    EXPECT_TRUE(identical(csr_of(read_or_fail(bytes)), matrix->csr));
    const auto csr = static_cast<double>(byte_totals(matrix->csr).total());
    EXPECT_LT(static_cast<double>(bytes.size()), wanted.part * csr) << wanted.text;
  }
}

TEST(MatrixFile, KeepsWhatIsKnownOfTheMatrix) {
  const auto a = samples::csr_of(samples::scenarios().back());
  ContainerInfo info;
  info.matrix.name = "a \"name\" with \xC3\xA9";
  info.matrix.field = Field::integer;
  info.matrix.symmetry = Symmetry::skew_symmetric;
  info.matrix.stored_entries = 123456789012u;
  info.matrix.duplicates = 7;
  info.matrix.comments = "% UF Sparse Matrix Collection, Tim Davis\n%\n  % a blank before\r\n\r% a return\n";
  info.made_from = "0123456789abcdef";
  info.ordering = "shuffled";
  info.row_perm = HostArray<std::uint32_t>(a.rows);
  info.col_perm = HostArray<std::uint32_t>(a.cols);
  std::iota(info.row_perm.begin(), info.row_perm.end(), 0u);
  std::iota(info.col_perm.begin(), info.col_perm.end(), 0u);
  std::reverse(info.row_perm.begin(), info.row_perm.end());
  const Container read = read_or_fail(bytes_of(a, info));
  EXPECT_TRUE(identical(csr_of(read), a));
  EXPECT_EQ(read.info.matrix.name, info.matrix.name);
  EXPECT_EQ(read.info.matrix.field, info.matrix.field);
  EXPECT_EQ(read.info.matrix.symmetry, info.matrix.symmetry);
  EXPECT_EQ(read.info.matrix.stored_entries, info.matrix.stored_entries);
  EXPECT_EQ(read.info.matrix.duplicates, info.matrix.duplicates);
  EXPECT_EQ(read.info.matrix.comments, info.matrix.comments);
  EXPECT_EQ(read.info.made_from, info.made_from);
  EXPECT_EQ(read.info.ordering, info.ordering);
  EXPECT_TRUE(std::ranges::equal(read.info.row_perm.span(), info.row_perm.span()));
  EXPECT_TRUE(std::ranges::equal(read.info.col_perm.span(), info.col_perm.span()));
}

TEST(MatrixFile, ThePermutationOfBothSidesIsStoredOnce) {
  const auto sample = samples::folded_matrices().front();
  ContainerInfo info;
  info.row_perm = HostArray<std::uint32_t>(sample.csr.rows);
  std::iota(info.row_perm.begin(), info.row_perm.end(), 0u);
  std::rotate(info.row_perm.begin(), info.row_perm.begin() + 100, info.row_perm.end());
  const std::size_t rows_only = bytes_of(sample.csr, info).size();
  info.col_perm = info.row_perm;
  const Bytes both = bytes_of(sample.csr, info);
  EXPECT_EQ(both.size(), rows_only);
  const Container read = read_or_fail(both);
  EXPECT_TRUE(std::ranges::equal(read.info.col_perm.span(), info.col_perm.span()));
}

TEST(MatrixFile, BytesDoNotDependOnThreads) {
  const auto a = samples::csr_of(samples::scenarios().back());
  auto options = in_blocks(100);
  options.threads = 1;
  const Bytes one = bytes_of(a, {}, options);
  options.threads = 4;
  EXPECT_EQ(bytes_of(a, {}, options), one);
}

TEST(MatrixFile, RefusesWhatItCannotHold) {
  const auto scenario = samples::scenarios().back();
  const auto single = samples::csr_of(scenario, ValueType::f32);
  EXPECT_EQ(write_matrix_file_bytes(view_of(single), {}).error().code, ErrorCode::not_applicable);
  const auto a = samples::csr_of(scenario);
  EXPECT_EQ(write_matrix_file_bytes(view_of(a), {}, {.level = 99}).error().code, ErrorCode::usage);
}

// --- Rows ------------------------------------------------------------------------------------------------------------

class MatrixFileRows : public tests::InScratchFolder<> {};
class MatrixFileCounts : public tests::InScratchFolder<> {};

TEST_F(MatrixFileRows, AreThoseOfTheMatrix) {
  const fs::path path = folder / "a.spress";
  for (const ValueType type : {ValueType::none, ValueType::f64, ValueType::c128}) {
    const auto a = samples::csr_of(samples::scenarios().back(), type);
    ASSERT_TRUE(write_matrix_file(view_of(a), {}, path, in_blocks(60, true)).ok());
    for (const std::vector<RowSpan>& rows : {std::vector<RowSpan>{{0, 300}},
                                             {{0, 0}},
                                             {{17, 18}},
                                             {{299, 300}},
                                             {{40, 260}},
                                             {},
                                             {{250, 251}, {3, 90}, {3, 4}, {3, 4}}}) {
      const auto read = read_rows(InputFile::open(path).value(), rows);
      ASSERT_TRUE(read.ok() && read->has_value());
      const auto expected = rows_of(view_of(a), rows);
      ASSERT_TRUE(expected.ok());
      EXPECT_TRUE(identical((*read)->csr, *expected));
      EXPECT_EQ((*read)->info.symmetry, Symmetry::general);
    }
    EXPECT_EQ(read_rows(InputFile::open(path).value(), std::vector<RowSpan>{{0, 301}}).error().code,
              ErrorCode::out_of_range);
    EXPECT_EQ(rows_of(view_of(a), std::vector<RowSpan>{{5, 4}}).error().code, ErrorCode::out_of_range);
  }
}

/// Whether some of the file's columns are copied from other rows.
bool has_copies(const fs::path& path) {
  const auto head = check_container(path);
  EXPECT_TRUE(head.ok());
  return head.ok() && std::any_of(head->arrays.begin(), head->arrays.end(),
                                  [](const ArrayRecord& array) { return array.name == "row references"; });
}

TEST_F(MatrixFileRows, AreThoseOfCopiedColumns) {
  const fs::path path = folder / "a.spress";
  for (const auto& scenario : samples::copied_scenarios())
    for (const ValueType type : {ValueType::none, ValueType::f64})
      for (const std::uint64_t entries : {0, 9000})
        for (const bool seekable : {false, true}) {
          SCOPED_TRACE(scenario.name + (seekable ? ", seekable, " : ", ") + std::to_string(entries));
          auto options = in_blocks(entries, seekable);
          options.level = 6;
          const auto a =
              samples::csr_of(scenario, type == ValueType::f64 ? samples::few_values(type, scenario.places.size(), true)
                                                               : pattern_store(scenario.places.size()));
          ASSERT_TRUE(write_matrix_file(view_of(a), {}, path, options).ok());
          EXPECT_TRUE(has_copies(path));
          const auto whole = read_container(path, 3);
          ASSERT_TRUE(whole.ok());
          EXPECT_TRUE(identical(csr_of(*whole), a));
          if (!seekable) continue;
          const std::vector<RowSpan> rows = {{900, 1700}, {3, 4}, {0, 2000}};
          const auto read = read_rows(InputFile::open(path).value(), rows);
          ASSERT_TRUE(read.ok() && read->has_value());
          EXPECT_TRUE(identical((*read)->csr, *rows_of(view_of(a), rows)));
        }
}

TEST_F(MatrixFileRows, ReadNoMoreThanHoldsThem) {
  const auto a = gallery::generate(*parse_spec("stencil7:n=40,values=noise"));
  const fs::path path = folder / "a.spress";
  ASSERT_TRUE(write_matrix_file(view_of(a->csr), {}, path, in_blocks(1000, true)).ok());
  const auto read = read_rows(InputFile::open(path).value(), std::vector<RowSpan>{{30000, 30640}});  // a hundredth
  ASSERT_TRUE(read.ok() && read->has_value());
  EXPECT_LT(static_cast<double>((*read)->bytes_read), 0.03 * static_cast<double>(fs::file_size(path)));
}

TEST_F(MatrixFileRows, AreNotReadFromOtherFiles) {
  const auto sample = samples::folded_matrices().front();
  const fs::path path = folder / "a.spress";
  ASSERT_TRUE(write_matrix_file(view_of(sample.csr), {}, path).ok());
  const auto folded = read_rows(InputFile::open(path).value(), std::vector<RowSpan>{{0, 1}});
  EXPECT_TRUE(folded.ok() && !folded->has_value());
  ASSERT_TRUE(write_container<Csr>(view_of(sample.csr), {}, path).ok());
  const auto of_format = read_rows(InputFile::open(path).value(), std::vector<RowSpan>{{0, 1}});
  EXPECT_TRUE(of_format.ok() && !of_format->has_value());
}

// --- Damage ----------------------------------------------------------------------------------------------------------

TEST(MatrixFileDamage, EveryFlippedBitAndEveryCutIsFound) {
  for (const auto& sample : samples::folded_matrices()) {
    const Bytes good = bytes_of(sample.csr, {}, in_blocks(200));
    for (std::size_t at = 0; at < good.size(); ++at) {
      Bytes bad = good;
      bad[at] ^= static_cast<std::uint8_t>(1 << at % 8);
      EXPECT_FALSE(read_container_bytes(bad, 1).ok()) << at;
    }
    for (std::size_t size = 0; size < good.size(); size += 1 + size / 50)
      EXPECT_FALSE(read_container_bytes(std::span(good).first(size), 1).ok()) << size;
  }
}

/// The file with another descriptor.
Bytes with_head(const Bytes& good, const MatrixFileHead& head) {
  const Bytes descriptor = matrix_file_descriptor(head);
  layout::Header header = layout::decode_header(good, good.size()).value();
  header.descriptor_bytes = descriptor.size();
  header.descriptor_checksum = layout::checksum64(descriptor);
  const auto begin = layout::encode_header(header);
  Bytes out(begin.begin(), begin.end());
  out.insert(out.end(), good.begin() + layout::header_bytes,
             good.begin() + static_cast<std::ptrdiff_t>(header.descriptor_offset));
  out.insert(out.end(), descriptor.begin(), descriptor.end());
  return out;
}

/// The file with another content of one of its blocks, whose checksum is made to hold.
Bytes with_block(const Bytes& good, const MatrixFileHead& head, const BlockPlace& place,
                 std::span<const std::uint8_t> block) {
  MatrixFileHead changed = head;
  const auto change = [&](BlockPlace& each) {
    if (each.offset == place.offset) each.checksum = layout::checksum64(block);
  };
  for (auto* part : {&changed.comments, &changed.table, &changed.row_perm})
    if (*part) change(**part);
  for (BlockPlace& each : changed.blocks) change(each);
  Bytes out = with_head(good, changed);
  std::copy(block.begin(), block.end(), out.begin() + static_cast<std::ptrdiff_t>(place.offset));
  return out;
}

bool is_sound(const Bytes& file, const fs::path& path) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(file.data()), std::ssize(file));
  return check_container(path, 1).ok();
}

/// A descriptor that tells of other numbers than the blocks hold is refused, whether the file is read or only checked.
TEST_F(MatrixFileCounts, MustBeThoseOfTheBlocks) {
  const fs::path path = folder / "a.spress";
  for (const auto& sample : samples::folded_matrices()) {
    const Bytes good = bytes_of(sample.csr, {}, in_blocks(200));
    const MatrixFileHead head = head_of(good);
    ASSERT_TRUE(is_sound(with_head(good, head), path));
    const auto refuses = [&](auto change) {
      MatrixFileHead changed = head;
      change(changed);
      const Bytes bad = with_head(good, changed);
      return !read_container_bytes(bad, 1).ok() && !is_sound(bad, path);
    };
    for (const std::uint64_t by : {1, 2, -1, -2}) {
      EXPECT_TRUE(refuses([&](MatrixFileHead& each) { each.nnz += by; })) << by;
      EXPECT_TRUE(refuses([&](MatrixFileHead& each) { each.rows += by; })) << by;
      EXPECT_TRUE(refuses([&](MatrixFileHead& each) { each.blocks.back().rows += by; })) << by;
      EXPECT_TRUE(refuses([&](MatrixFileHead& each) { each.blocks.front().entries += by; })) << by;
      EXPECT_TRUE(refuses([&](MatrixFileHead& each) {
        each.rows += by;
        each.cols += by;
        each.blocks.back().rows += by;
      })) << by;
      EXPECT_TRUE(refuses([&](MatrixFileHead& each) {
        each.nnz += by;
        each.blocks.back().entries += by;
      })) << by;
    }
  }
}

TEST(MatrixFileDamage, AnOrderOfValuesThatAreNotThereIsRefused) {
  const auto all = samples::folded_matrices();
  for (const auto& [sample, bit] : {std::pair(&all.back(), values_by_columns),
                                    {&all.back(), mirrored_by_columns},
                                    {&all.front(), mirrored_by_columns}}) {
    const Bytes good = bytes_of(sample->csr);
    const MatrixFileHead head = head_of(good);
    const BlockPlace place = head.blocks[0];
    Bytes block(good.begin() + static_cast<std::ptrdiff_t>(place.offset),
                good.begin() + static_cast<std::ptrdiff_t>(place.offset + place.stored));
    block[0] |= bit;
    const auto read = read_container_bytes(with_block(good, head, place, block), 1);
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().message.find("orders values"), std::string::npos) << read.error().message;
  }
}

/// A block that cannot be told from a good one gives at least a matrix. Any other one is an error, and no more.
TEST(MatrixFileDamage, BlocksWhoseChecksumsHoldAreStillChecked) {
  std::mt19937_64 random(5);
  std::size_t refused = 0, tried = 0;
  ContainerInfo info;
  info.matrix.comments = "% one\n% two\n";
  for (const auto& sample : samples::folded_matrices())
    for (const int level : {1, 12}) {
      auto options = in_blocks(300);
      options.level = level;
      const Bytes good = bytes_of(sample.csr, info, options);
      const MatrixFileHead head = head_of(good);
      std::vector<BlockPlace> places = head.blocks;
      for (const auto& part : {head.comments, head.table})
        if (part) places.push_back(*part);
      for (const BlockPlace& place : places)
        for (int i = 0; i < 60; ++i) {
          Bytes block(good.begin() + static_cast<std::ptrdiff_t>(place.offset),
                      good.begin() + static_cast<std::ptrdiff_t>(place.offset + place.stored));
          for (std::size_t flips = 1 + random() % 3; flips-- > 0;)
            block[random() % std::min<std::size_t>(block.size(), i < 30 ? 12 : 1u << 20)] ^=
                static_cast<std::uint8_t>(1u << random() % 8);
          const auto read = read_container_bytes(with_block(good, head, place, block), 1);
          ++tried;
          refused += read.ok() ? 0 : 1;
          EXPECT_TRUE(!read.ok() || validate(view_of(csr_of(*read))).ok());
        }
    }
  EXPECT_GT(refused * 3, tried);
}

}  // namespace
}  // namespace spress::io
