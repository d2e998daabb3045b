// Reading Matrix Market: every file of data/valid and data/invalid, compression, archives, and threads.
#include "formats/io/matrix_market/matrix_market.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <random>
#include <sstream>
#include <thread>
#include <tuple>

#include "formats/io/readers/file_kinds.hpp"
#include "tests/formats/io/matrix_market/mm_support.hpp"

namespace spress::io {
namespace {

using namespace mm_tests;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

// --- data/valid: lines "%expect FIELD SYMMETRY ROWS COLS STORED DUPLICATES" and "%entry ROW COL [RE [IM]]".
// -------------

class ValidFile : public testing::TestWithParam<fs::path> {};

struct Expected {
  std::string field, symmetry;
  std::uint64_t rows = 0, cols = 0, stored = 0, duplicates = 0;
  std::vector<Entry> entries;
};

Expected expectations(const fs::path& path) {
  Expected expected;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind, re, im;
    words >> kind;
    if (kind == "%expect")
      words >> expected.field >> expected.symmetry >> expected.rows >> expected.cols >> expected.stored >>
          expected.duplicates;
    if (kind != "%entry") continue;
    Entry entry{0, 0, 1};
    words >> entry.row >> entry.col;
    if (words >> re) entry.value = std::strtod(re.c_str(), nullptr);
    if (words >> im) entry.value.imag(std::strtod(im.c_str(), nullptr));
    expected.entries.push_back(entry);
  }
  return expected;
}

TEST_P(ValidFile, reads_as_expected) {
  const Expected expected = expectations(GetParam());
  ASSERT_FALSE(expected.field.empty());
  for (const int threads : {1, 2, 5}) {
    const Matrix matrix = read_or_die(GetParam(), threads);
    EXPECT_EQ(enum_name(matrix.info.field), expected.field);
    EXPECT_EQ(enum_name(matrix.info.symmetry), expected.symmetry);
    EXPECT_EQ(matrix.info.stored_entries, expected.stored);
    EXPECT_EQ(matrix.info.duplicates, expected.duplicates);
    EXPECT_EQ(matrix.info.name, GetParam().stem().string());
    EXPECT_EQ(matrix.csr.rows, expected.rows);
    EXPECT_EQ(matrix.csr.cols, expected.cols);
    const auto entries = entries_of(matrix.csr);
    ASSERT_EQ(entries.size(), expected.entries.size());
    for (std::size_t k = 0; k < entries.size(); ++k) {
      EXPECT_EQ(entries[k].row, expected.entries[k].row) << "entry " << k;
      EXPECT_EQ(entries[k].col, expected.entries[k].col) << "entry " << k;
      EXPECT_TRUE(same_bits(entries[k].value.real(), expected.entries[k].value.real())) << "entry " << k;
      EXPECT_TRUE(same_bits(entries[k].value.imag(), expected.entries[k].value.imag())) << "entry " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(data, ValidFile, testing::ValuesIn(files_in(data_folder() / "valid")), test_name);

// --- data/invalid: the names are CODE.LINE.WHAT.mtx.
// ---------------------------------------------------------------------

class InvalidFile : public testing::TestWithParam<fs::path> {};

TEST_P(InvalidFile, is_refused_with_code_and_line) {
  std::istringstream name(GetParam().filename().string());
  std::string code, line;
  std::getline(name, code, '.');
  std::getline(name, line, '.');
  ScratchFolder folder;
  write_gzip(folder / "copy.mtx.gz", read_file(GetParam()));
  for (const fs::path& path : {GetParam(), folder / "copy.mtx.gz"})
    for (const int threads : {1, 2, 5}) {
      const auto matrix = read_matrix_market(path, {threads});
      ASSERT_FALSE(matrix.ok()) << path;
      EXPECT_EQ(to_string(matrix.error().code), code) << matrix.error().text();
      EXPECT_EQ(std::to_string(matrix.error().line), line) << matrix.error().text();
      EXPECT_EQ(matrix.error().file, path.string());
      EXPECT_FALSE(matrix.error().message.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(data, InvalidFile, testing::ValuesIn(files_in(data_folder() / "invalid")), test_name);

// --- Files of many blocks
// --------------------------------------------------------------------------------------------------

/// About 4 MB of text with entries in every order, duplicates, blank lines and comments.
struct LargeText {
  std::string text;
  std::uint64_t lines = 0;

  void line(const std::string& words) {
    text += words + '\n';
    ++lines;
  }
  LargeText(const std::string& symmetry, std::uint64_t entries, bool sorted) {
    std::mt19937_64 random(7);
    line("%%MatrixMarket matrix coordinate real " + symmetry);
    line("% made by a test");
    line("20000 20000 " + std::to_string(entries));
    for (std::uint64_t k = 0; k < entries; ++k) {
      std::uint64_t col = sorted ? k * 20000 / entries + 1 : random() % 20000 + 1;
      std::uint64_t row = random() % 20000 + 1;
      if (symmetry != "general" && row < col) std::swap(row, col);
      if (symmetry == "skew-symmetric" && row == col) continue_below_diagonal(row, col);
      line(std::to_string(row) + ' ' + std::to_string(col) + ' ' +
           std::to_string(static_cast<double>(random() % 1000000) / 1000 - 500));
      if (random() % 100 == 0) line(random() % 2 == 0 ? "" : "% a comment in between");
    }
  }
  static void continue_below_diagonal(std::uint64_t& row, std::uint64_t& col) { row == 20000 ? --col : ++row; }
};

class ManyBlocks : public testing::TestWithParam<std::tuple<std::string, bool>> {};

TEST_P(ManyBlocks, come_out_alike_for_any_number_of_threads_and_source) {
  const auto& [symmetry, sorted] = GetParam();
  const LargeText large(symmetry, 100000, sorted);
  ScratchFolder folder;
  write_file(folder / "a.mtx", large.text);
  write_gzip(folder / "a.mtx.gz", large.text);
  const Matrix one = read_or_die(folder / "a.mtx", 1);
  EXPECT_EQ(one.info.stored_entries, 100000u);
  if (!sorted) {
    EXPECT_GT(one.info.duplicates, 0u);
  }
  const std::uint64_t expanded = one.csr.nnz + one.info.duplicates;
  if (symmetry == "general") {
    EXPECT_EQ(expanded, 100000u);
  }
  if (symmetry == "skew-symmetric") {
    EXPECT_EQ(expanded, 200000u);
  }
  for (const int threads : {2, 5})
    for (const auto* name : {"a.mtx", "a.mtx.gz"}) {
      const Matrix other = read_or_die(folder / name, threads);
      expect_identical(one.csr, other.csr, std::string(name) + " with " + std::to_string(threads));
      EXPECT_EQ(one.info.duplicates, other.info.duplicates);
    }
}

INSTANTIATE_TEST_SUITE_P(shapes, ManyBlocks,
                         testing::Combine(testing::Values("general", "symmetric", "skew-symmetric"), testing::Bool()));

/// Replaces line `n` (from 1) of a text.
std::string with_line(const std::string& text, std::uint64_t n, const std::string& words) {
  std::size_t begin = 0;
  for (std::uint64_t line = 1; line < n; ++line) begin = text.find('\n', begin) + 1;
  const std::size_t end = text.find('\n', begin);
  return text.substr(0, begin) + words + text.substr(end);
}

void expect_error(const fs::path& path, ErrorCode code, std::uint64_t line) {
  for (const int threads : {1, 2, 5}) {
    const auto matrix = read_matrix_market(path, {threads});
    ASSERT_FALSE(matrix.ok()) << path;
    EXPECT_EQ(to_string(matrix.error().code), to_string(code)) << matrix.error().text();
    EXPECT_EQ(matrix.error().line, line) << matrix.error().text();
  }
}

TEST(MatrixMarketLines, are_exact_far_into_the_file) {
  const LargeText large("general", 200000, false);
  ScratchFolder folder;
  for (const std::uint64_t wrong : {std::uint64_t{4}, std::uint64_t{30000}, std::uint64_t{123457}, large.lines}) {
    // A later error must not win, whichever thread meets it first.
    std::string text = with_line(large.text, wrong, "1 1 oops");
    if (wrong + 1000 < large.lines) text = with_line(text, wrong + 1000, "0 1 1");
    write_file(folder / "a.mtx", text);
    write_gzip(folder / "a.mtx.gz", text);
    expect_error(folder / "a.mtx", ErrorCode::syntax, wrong);
    expect_error(folder / "a.mtx.gz", ErrorCode::syntax, wrong);
  }
}

TEST(MatrixMarketLines, are_exact_for_bodies_too_short_or_too_long) {
  const LargeText large("general", 200000, false);
  ScratchFolder folder;
  write_file(folder / "short.mtx", with_line(large.text, 3, "20000 20000 200001"));
  expect_error(folder / "short.mtx", ErrorCode::truncated, large.lines);
  // The line of entry 150001 is found by counting lines that hold words and are no comments.
  std::istringstream text(large.text);
  std::uint64_t lines = 0, entries = 0;
  for (std::string line; entries < 150002 && std::getline(text, line);) {
    ++lines;
    entries += !line.empty() && line[0] != '%';  // the size line counts as one
  }
  write_file(folder / "long.mtx", with_line(large.text, 3, "20000 20000 150000"));
  expect_error(folder / "long.mtx", ErrorCode::syntax, lines);
}

TEST(MatrixMarketLines, of_any_length_up_to_a_megabyte) {
  ScratchFolder folder;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  write_file(folder / "comment.mtx",
             head + '%' + std::string(900000, 'x') + "\n1 1 1\n%" + std::string(900000, 'y') + "\n1 1 5\n");
  EXPECT_EQ(read_or_die(folder / "comment.mtx").csr.nnz, 1u);
  write_file(folder / "blanks.mtx", head + "2 2 2\n1 1" + std::string(700000, ' ') + "5\n2 2 6\n");
  EXPECT_EQ(read_or_die(folder / "blanks.mtx").csr.nnz, 2u);
  write_file(folder / "head.mtx", head + '%' + std::string(2 << 20, 'x') + "\n1 1 1\n1 1 5\n");
  EXPECT_EQ(read_matrix_market(folder / "head.mtx").error().code, ErrorCode::syntax);
  const std::string endless = head + "2 2 2\n\n1 1 5\n" + std::string(3 << 20, 'x') + '\n';
  write_file(folder / "body.mtx", endless);
  write_gzip(folder / "body.mtx.gz", endless);
  expect_error(folder / "body.mtx", ErrorCode::syntax, 5);
  expect_error(folder / "body.mtx.gz", ErrorCode::syntax, 5);
}

/// Line ends at, before and behind the borders between blocks must neither lose nor double a line.
TEST(MatrixMarketBlocks, have_borders_that_lose_nothing) {
  ScratchFolder folder;
  constexpr std::size_t block = 256 << 10;
  for (std::size_t shift = 0; shift < 12; ++shift) {
    std::string body;
    std::uint64_t entries = 0;
    body += std::string(shift, ' ') + "7 1 1\n", ++entries;
    while (body.size() < 3 * block) body += "7 1 1\n1 7 2\n", entries += 2;
    write_file(folder / "a.mtx",
               "%%MatrixMarket matrix coordinate integer general\n7 7 " + std::to_string(entries) + '\n' + body);
    const Matrix matrix = read_or_die(folder / "a.mtx", 3);
    ASSERT_EQ(matrix.csr.nnz, 2u) << shift;
    EXPECT_EQ(matrix.info.duplicates, entries - 2);
    EXPECT_EQ(matrix.csr.values.codes.as<double>()[0], static_cast<double>(entries - 1)) << shift;
    EXPECT_EQ(matrix.csr.values.codes.as<double>()[1], static_cast<double>(entries + 1) / 2) << shift;
  }
}

// --- Compression and archives
// ----------------------------------------------------------------------------------------------

constexpr std::string_view small = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 1 2.5\n";

/// A tar archive of regular files.
std::string tar_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string archive;
  for (const auto& [name, bytes] : members) {
    char header[512] = {};
    std::snprintf(header, 100, "%s", name.c_str());
    std::snprintf(header + 100, 24, "0000644");
    std::snprintf(header + 108, 8, "0000000");
    std::snprintf(header + 116, 8, "0000000");
    std::snprintf(header + 124, 12, "%011o", static_cast<unsigned>(bytes.size()));
    std::snprintf(header + 136, 12, "00000000000");
    std::memset(header + 148, ' ', 8);
    header[156] = '0';
    std::memcpy(header + 257,
                "ustar\0"
                "00",
                8);
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(header + 148, 8, "%06o", sum);
    archive.append(header, sizeof header).append(bytes).append((512 - bytes.size() % 512) % 512, '\0');
  }
  return archive.append(1024, '\0');
}

TEST(MatrixMarketArchives, give_the_main_matrix) {
  ScratchFolder folder;
  const std::string main(small), other = "%%MatrixMarket matrix array real general\n1 1\n9\n";
  const auto rows_of = [&](const std::string& name, const std::vector<std::pair<std::string, std::string>>& members) {
    write_gzip(folder / name, tar_of(members));
    return read_or_die(folder / name).csr.rows;
  };
  EXPECT_EQ(rows_of("ex.tar.gz", {{"ex/ex_b.mtx", other}, {"ex/ex.mtx", main}, {"ex/ex_coord.mtx", other}}), 2u);
  EXPECT_EQ(rows_of("renamed.tar.gz", {{"ex/ex_b.mtx", other}, {"ex/ex.mtx", main}, {"ex/ex_x.mtx", other}}), 2u);
  EXPECT_EQ(rows_of("single.tar.gz", {{"readme.txt", "text"}, {"some/matrix.mtx", main}}), 2u);
  EXPECT_EQ(read_or_die(folder / "ex.tar.gz").info.name, "ex");
}

TEST(MatrixMarketArchives, without_a_clear_matrix_are_refused) {
  ScratchFolder folder;
  write_gzip(folder / "two.tar.gz", tar_of({{"a.mtx", std::string(small)}, {"b.mtx", std::string(small)}}));
  const auto two = read_matrix_market(folder / "two.tar.gz");
  ASSERT_FALSE(two.ok());
  EXPECT_EQ(two.error().code, ErrorCode::not_found);
  EXPECT_NE(two.error().message.find("a.mtx, b.mtx"), std::string::npos) << two.error().message;
  write_gzip(folder / "boeing.tar.gz", tar_of({{"x/x.rb", "text"}}));
  EXPECT_EQ(read_matrix_market(folder / "boeing.tar.gz").error().code, ErrorCode::syntax);
  write_gzip(folder / "none.tar.gz", tar_of({}));
  EXPECT_EQ(read_matrix_market(folder / "none.tar.gz").error().code, ErrorCode::not_found);
}

TEST(MatrixMarketArchives, hold_matrices_of_any_kind) {
  ScratchFolder folder;
  const std::string boeing = read_file(data_folder() / "kinds/valid/real_unsymmetric.rb");
  write_gzip(folder / "x.tar.gz", tar_of({{"x/readme.txt", "text"}, {"x/x.rb", boeing}}));
  const auto read = read_matrix(folder / "x.tar.gz");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->csr.nnz, 5u);
  write_gzip(folder / "y.tar.gz", tar_of({{"y/y.rb", boeing}, {"y/y.mtx", std::string(small)}}));
  EXPECT_EQ(read_matrix(folder / "y.tar.gz")->csr.nnz, 2u);
  for (const auto* part : {"y/y.rb", "y.rb"}) EXPECT_EQ(read_matrix(folder / "y.tar.gz", {.part = part})->csr.nnz, 5u);
  EXPECT_EQ(read_matrix(folder / "y.tar.gz", {.part = "z.rb"}).error().code, ErrorCode::not_found);
}

TEST(MatrixMarketArchives, report_the_line_of_a_member) {
  ScratchFolder folder;
  write_gzip(folder / "ex.tar.gz", tar_of({{"ex/ex.mtx", with_line(std::string(small), 4, "3 1 1")}}));
  expect_error(folder / "ex.tar.gz", ErrorCode::out_of_range, 4);
}

TEST(MatrixMarketCompressed, members_follow_each_other) {
  ScratchFolder folder;
  const std::string text(small);
  write_gzip(folder / "a.gz", text.substr(0, 60));
  write_gzip(folder / "b.gz", text.substr(60));
  write_file(folder / "c.mtx.gz", read_file(folder / "a.gz") + read_file(folder / "b.gz") + std::string(100, '\0'));
  EXPECT_EQ(read_or_die(folder / "c.mtx.gz").csr.nnz, 2u);
  write_file(folder / "junk.mtx.gz", read_file(folder / "a.gz") + read_file(folder / "b.gz") + "junk");
  EXPECT_EQ(read_matrix_market(folder / "junk.mtx.gz").error().code, ErrorCode::damaged);
  fs::copy_file(folder / "c.mtx.gz", folder / "unmarked.mtx");  // what it is, not what it is called, decides
  EXPECT_EQ(read_or_die(folder / "unmarked.mtx").csr.nnz, 2u);
}

TEST(MatrixMarketCompressed, damage_and_cuts_are_reported) {
  ScratchFolder folder;
  const LargeText large("general", 20000, false);
  write_file(folder / "plain.mtx", large.text);
  const Matrix matrix = read_or_die(folder / "plain.mtx");
  const Csr<Viewed> view = view_of(matrix.csr);
  write_gzip(folder / "a.tar.gz", tar_of({{"a/a.mtx", large.text}}));
  for (const auto* name : {"a.mtx.gz", "a.mtx.zst", "a.tar.gz"}) {
    if (std::string_view(name) != "a.tar.gz") {
      ASSERT_TRUE(write_matrix_market(view, matrix.info, folder / name).ok());
    }
    const std::string good = read_file(folder / name);
    ASSERT_TRUE(read_matrix_market(folder / name).ok()) << name;
    const auto code_of = [&](const std::string& bytes) {
      write_file(folder / name, bytes);
      const auto read = read_matrix_market(folder / name);
      return read.ok() ? std::string("accepted") : std::string(to_string(read.error().code));
    };
    for (const std::size_t keep : {good.size() - 1, good.size() - 9, good.size() / 2, std::size_t{20}, std::size_t{5}})
      EXPECT_EQ(code_of(good.substr(0, keep)), "truncated") << name << " cut to " << keep;
    for (std::size_t at = 20; at < good.size(); at += good.size() / 23) {
      std::string flipped = good;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
      const std::string code = code_of(flipped);
      EXPECT_TRUE(code == "damaged" || code == "truncated") << name << " flipped at " << at << ": " << code;
    }
    EXPECT_EQ(code_of("no such data"), "damaged") << name;
    EXPECT_EQ(code_of(""), "damaged") << name;
  }
}

// --- Other inputs
// ------------------------------------------------------------------------------------------------------------

TEST(MatrixMarketInput, that_is_no_file_is_refused) {
  ScratchFolder folder;
  EXPECT_EQ(read_matrix_market(folder / "absent.mtx").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_matrix_market(folder / "absent.tar.gz").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_matrix_market(folder.path()).error().code, ErrorCode::unreadable);
  fs::create_directory(folder / "folder.mtx.gz");
  EXPECT_EQ(read_matrix_market(folder / "folder.mtx.gz").error().code, ErrorCode::unreadable);
  EXPECT_EQ(read_matrix_market(folder / "absent.mtx").error().file, (folder / "absent.mtx").string());
}

TEST(MatrixMarketInput, may_be_a_pipe) {
  ScratchFolder folder;
  const fs::path pipe = folder / "pipe.mtx";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { write_file(pipe, small); });
  EXPECT_EQ(read_or_die(pipe).csr.nnz, 2u);
  writer.join();
}

TEST(MatrixMarketInput, may_be_hypersparse) {
  ScratchFolder folder;
  write_file(
      folder / "a.mtx",
      "%%MatrixMarket matrix coordinate real general\n3000000 2000000000 3\n3000000 2000000000 1\n1 1 2\n7 70000 3\n");
  const Matrix matrix = read_or_die(folder / "a.mtx");
  EXPECT_EQ(matrix.csr.nnz, 3u);
  EXPECT_EQ(matrix.csr.row_ptr.dtype(), DType::u32);
  const auto entries = entries_of(matrix.csr);
  EXPECT_EQ(entries[2].row, 3000000u);
  EXPECT_EQ(entries[2].col, 2000000000u);
}

TEST(MatrixNames, lose_their_endings) {
  EXPECT_EQ(matrix_name("folder/bcsstk13.mtx"), "bcsstk13");
  EXPECT_EQ(matrix_name("bcsstk13.mtx.gz"), "bcsstk13");
  EXPECT_EQ(matrix_name("bcsstk13.mtx.zst"), "bcsstk13");
  EXPECT_EQ(matrix_name("bcsstk13.tar.gz"), "bcsstk13");
  EXPECT_EQ(matrix_name("bcsstk13.rb.gz"), "bcsstk13");
  for (const auto* name : {"a.mtx.xz", "a.mtx.bz2", "a.zip", "a.mtx.zip", "a.tar", "a.tar.zst", "a.tar.xz", "a.tar.bz2",
                           "a.tgz", "a.tzst", "a.txz", "a.tbz2", "a.xz", "a"})
    EXPECT_EQ(matrix_name(name), "a") << name;
  EXPECT_EQ(matrix_name("a.zip.gz"), "a.zip");
  EXPECT_EQ(matrix_name("n1024-l1.mtx"), "n1024-l1");
  EXPECT_EQ(matrix_name("a.b.mtx"), "a.b");
  for (const auto* name : {"a.npz", "a.npy", "a.rua", "a.petsc", "a.graph.gz", "a.el.zst", "a.csv", "a.mat", "a.h5ad"})
    EXPECT_EQ(matrix_name(name), "a") << name;
  EXPECT_EQ(matrix_name("a.png"), "a.png");
}

TEST(MatrixNames, tell_which_files_a_walk_takes) {
  for (const auto* name :
       {"a.mtx", "a.mtx.gz", "a.mtx.zst", "a.tar.gz", "a.rb", "a.rb.gz", "a.mtx.xz", "a.mtx.bz2", "a.zip", "a.tar",
        "a.tar.xz", "a.tar.bz2", "a.tgz", "a.txz", "a.npz", "a.graph", "a.el.gz", "a.petsc"})
    EXPECT_TRUE(looks_like_matrix(name)) << name;
  for (const auto* name : {"a.txt", "a.gz", "mtx", "a.mtx.bak", "README.md", "a.spress", "a.xz", "zip", "a.zip.bak",
                           "a.csv", "a.tsv.gz", "a.npy"})
    EXPECT_FALSE(looks_like_matrix(name)) << name;
}

}  // namespace
}  // namespace spress::io
