// Rows read in bounded memory are those of the readers that keep the whole matrix, bit for bit.
#include "formats/io/rows/row_stream.hpp"

#include <sys/resource.h>

#include <csignal>
#include <random>

#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/readers/file_kinds.hpp"
#include "tests/formats/io/matrix_file/matrix_samples.hpp"
#include "tests/formats/io/matrix_market/mm_support.hpp"

namespace spress::io {
namespace {

using mm_tests::expect_identical;
using mm_tests::write_file;

/// The panels of a stream put together, and what the stream said.
struct Gathered {
  Csr<Owned> csr;
  MatrixInfo info;
  std::size_t panels = 0;
  bool mirrored = false;
};

template <class T>
HostArray<T> as_array(const std::vector<T>& from) {
  return HostArray<T>(std::span<const T>(from));
}

Result<Gathered> gather(const std::filesystem::path& path, const RowStreamOptions& options,
                        const ReadOptions& reading = {}) {
  SPRESS_TRY(const auto stream, open_rows(path, reading, options));
  Gathered out;
  std::vector<std::uint64_t> row_ptr = {0};
  std::vector<std::uint32_t> columns;
  std::vector<std::uint8_t> values;
  RowPanel panel;
  for (;;) {
    SPRESS_TRY(const bool more, stream->next(panel));
    if (!more) break;
    ++out.panels;
    EXPECT_TRUE(validate(panel.csr).ok());
    EXPECT_EQ(panel.first_row, row_ptr.size() - 1);
    EXPECT_EQ(panel.first_row % panel_unit, 0u);
    EXPECT_EQ(panel.csr.values.type, stream->type());
    const std::uint64_t before = row_ptr.back();
    for (std::uint64_t r = 0; r < panel.csr.rows; ++r) row_ptr.push_back(before + panel.csr.row_ptr.position(r + 1));
    columns.insert(columns.end(), panel.csr.col_idx.begin(), panel.csr.col_idx.end());
    const auto* bytes = static_cast<const std::uint8_t*>(panel.csr.values.codes.raw());
    values.insert(values.end(), bytes, bytes + panel.csr.values.codes.bytes());
  }
  EXPECT_EQ(row_ptr.size(), stream->rows() + 1);
  EXPECT_LE(columns.size(), stream->most_entries());
  Csr<Owned>& a = out.csr;
  a.rows = stream->rows();
  a.cols = stream->cols();
  a.nnz = columns.size();
  a.row_ptr = Positions<Owned>(position_type(a.nnz), row_ptr.size());
  fill_positions(a.row_ptr, [&]<class P>(P* to) {
    std::transform(row_ptr.begin(), row_ptr.end(), to, [](std::uint64_t p) { return static_cast<P>(p); });
  });
  a.col_idx = as_array(columns);
  if (stream->type() == ValueType::none) {
    a.values = pattern_store(a.nnz);
  } else {
    a.values = uninitialised_raw_store(stream->type(), a.nnz);
    std::copy(values.begin(), values.end(), a.values.codes.memory.data());
  }
  out.info = stream->info();
  out.mirrored = stream->mirrored();
  return out;
}

class RowStreams : public tests::InScratchFolder<> {
 protected:
  [[nodiscard]] RowStreamOptions with_memory(std::uint64_t bytes) const { return {bytes, folder}; }

  /// Compares with the matrix read at once, in much memory and in little, on one thread and on several.
  void expect_same(const std::filesystem::path& path, const Matrix& whole) {
    for (const std::uint64_t memory : {std::uint64_t{256} << 20, std::uint64_t{1} << 16, std::uint64_t{1}})
      for (const int threads : {1, 3}) {
        const std::string what = path.filename().string() + " in " + std::to_string(memory) + " bytes";
        const auto got = gather(path, with_memory(memory), {threads});
        ASSERT_TRUE(got.ok()) << what << ": " << got.error().text();
        expect_identical(got->csr, whole.csr, what);
        EXPECT_EQ(got->info.duplicates, whole.info.duplicates) << what;
        EXPECT_EQ(got->info.stored_entries, whole.info.stored_entries) << what;
        EXPECT_EQ(got->info.field, whole.info.field) << what;
        EXPECT_EQ(got->info.symmetry, whole.info.symmetry) << what;
        EXPECT_EQ(got->info.comments, whole.info.comments) << what;
        EXPECT_EQ(got->info.name, whole.info.name) << what;
        EXPECT_EQ(got->mirrored, whole.info.symmetry != Symmetry::general) << what;
      }
  }
  void expect_same_text(const std::string& name, const std::string& text) {
    const auto path = folder / name;
    write_file(path, text);
    const auto whole = read_matrix(path);
    ASSERT_TRUE(whole.ok()) << whole.error().text();
    expect_same(path, *whole);
  }
};

/// Entries in any order, many of them duplicates, of a matrix of n rows; in the lower triangle where there is a
/// symmetry.
std::string random_text(const std::string& field, const std::string& symmetry, std::uint32_t n, std::uint32_t entries) {
  std::minstd_rand random(5);
  std::string body;
  for (std::uint32_t k = 0; k < entries; ++k) {
    auto row = static_cast<std::uint32_t>(random() / 7 % n), col = static_cast<std::uint32_t>(random() / 7 % n);
    if (row % 400 == 2) row = 0;  // one long row and empty ones
    if (k % 3 == 0) col = row / 2;
    if (symmetry != "general" && col > row) std::swap(row, col);
    if (symmetry == "skew-symmetric" && row == col) row == 0 ? row = 1 : col = 0;
    body += std::to_string(row + 1) + ' ' + std::to_string(col + 1);
    const std::string number = std::to_string(static_cast<int>(random() % 2001) - 1000);
    if (field == "integer") body += ' ' + number;
    if (field == "real" || field == "complex") body += ' ' + number + ".125e-3";
    if (field == "complex")
      body += row == col && symmetry == "hermitian" ? " 0" : " 0." + std::to_string(random() % 99);
    body += '\n';
  }
  const std::string size = std::to_string(n);
  return "%%MatrixMarket matrix coordinate " + field + ' ' + symmetry + "\n% a comment\n" + size + ' ' + size + ' ' +
         std::to_string(entries) + '\n' + body;
}

TEST_F(RowStreams, AreThoseOfTextsOfEveryFieldAndSymmetry) {
  for (const std::string field : {"real", "integer", "complex", "pattern"})
    for (const std::string symmetry : {"general", "symmetric", "skew-symmetric", "hermitian"}) {
      if (symmetry == "hermitian" && field != "complex") continue;
      if (symmetry == "skew-symmetric" && field == "pattern") continue;
      expect_same_text(field + '-' + symmetry + ".mtx", random_text(field, symmetry, 3000, 30000));
    }
}

TEST_F(RowStreams, AreThoseOfArrays) {
  expect_same_text("general.mtx", "%%MatrixMarket matrix array real general\n3 2\n1\n0\n3\n-0.0\n5\n6\n");
  expect_same_text("skew.mtx", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
  expect_same_text("hermitian.mtx", "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 5\n3 0\n");
}

TEST_F(RowStreams, AreThoseOfTinyTexts) {
  const std::string general = "%%MatrixMarket matrix coordinate real general\n";
  expect_same_text("0x0.mtx", general + "0 0 0\n");
  expect_same_text("0xn.mtx", general + "0 7 0\n");
  expect_same_text("nx0.mtx", general + "7 0 0\n");
  expect_same_text("empty.mtx", general + "20000 3 0\n");
  expect_same_text("corner.mtx", general + "20000 3 1\n20000 3 -0.0\n");
  expect_same_text("wide.mtx", general + "3 2000000000 2\n3 2000000000 1\n1 1 nan\n");
}

TEST_F(RowStreams, ReadCompressedTexts) {
  const auto path = folder / "packed.mtx.gz";
  mm_tests::write_gzip(path, random_text("real", "symmetric", 1000, 5000));
  const auto whole = read_matrix(path);
  ASSERT_TRUE(whole.ok());
  expect_same(path, *whole);
}

TEST_F(RowStreams, AreThoseOfContainers) {
  for (const auto& sample : samples::folded_matrices())
    for (const bool seekable : {false, true}) {
      ContainerInfo info;
      info.matrix.name = sample.name;
      const auto path = folder / (sample.name + ".spress");
      ASSERT_TRUE(write_matrix_file(view_of(sample.csr), info, path, {6, 0, seekable, 300}).ok());
      for (const std::uint64_t memory : {1u << 26, 1u << 16}) {
        const auto got = gather(path, with_memory(memory), {2});
        ASSERT_TRUE(got.ok()) << got.error().text();
        expect_identical(got->csr, sample.csr, sample.name);
        EXPECT_EQ(got->mirrored, !seekable);
      }
    }
}

TEST_F(RowStreams, UndoTheOrderOfAContainer) {
  const Csr<Owned> stored = samples::repeating_matrix();
  ContainerInfo info;
  info.row_perm = HostArray<std::uint32_t>(stored.rows);
  for (std::uint32_t r = 0; r < stored.rows; ++r) info.row_perm[r] = static_cast<std::uint32_t>(stored.rows - 1 - r);
  const auto path = folder / "a.spress";
  ASSERT_TRUE(write_matrix_file(view_of(stored), info, path).ok());
  const auto got = gather(path, with_memory(1 << 18));
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_FALSE(got->mirrored);
  const std::uint64_t n = stored.rows;
  for (std::uint64_t r = 0; r < n; ++r) {
    const std::uint64_t from = stored.row_ptr.position(n - 1 - r), to = got->csr.row_ptr.position(r);
    const std::uint64_t length = stored.row_ptr.position(n - r) - from;
    ASSERT_EQ(got->csr.row_ptr.position(r + 1) - to, length);
    EXPECT_TRUE(std::equal(stored.col_idx.begin() + from, stored.col_idx.begin() + from + length,
                           got->csr.col_idx.begin() + to));
  }
}

TEST_F(RowStreams, GoOnAtAnyRow) {
  write_file(folder / "a.mtx", random_text("real", "general", 900, 20000));
  const auto whole = read_matrix(folder / "a.mtx");
  ASSERT_TRUE(whole.ok());
  ContainerInfo info;
  info.matrix = whole->info;
  ASSERT_TRUE(write_matrix_file(view_of(whole->csr), info, folder / "a.spress", {6, 0, true, 300}).ok());
  for (const char* name : {"a.mtx", "a.spress"}) {
    const auto rows = open_rows(folder / name, {1}, with_memory(1 << 16));
    ASSERT_TRUE(rows.ok()) << rows.error().text();
    for (std::uint64_t seed = 0; seed < 900; seed += seed < 24 || seed > 880 ? 1 : 13) {
      const std::uint64_t row = seed % 2 == 0 ? seed : 899 - seed;  // back and forth
      SCOPED_TRACE(std::string(name) + " row " + std::to_string(row));
      (*rows)->seek(row);
      RowPanel panel;
      std::uint64_t expected = row;
      for (bool first = true;; first = false) {
        const auto more = (*rows)->next(panel);
        ASSERT_TRUE(more.ok()) << more.error().text();
        if (!*more) break;
        const std::uint64_t end = panel.first_row + panel.csr.rows;
        if (first) {
          ASSERT_LE(panel.first_row, row);
        }
        for (std::uint64_t r = std::max(row, panel.first_row); r < end; ++r, ++expected) {
          ASSERT_EQ(r, expected);
          const std::uint64_t begin = panel.csr.row_ptr.position(r - panel.first_row);
          const std::uint64_t entries = panel.csr.row_ptr.position(r - panel.first_row + 1) - begin;
          const std::uint64_t from = whole->csr.row_ptr.position(r);
          ASSERT_EQ(entries, whole->csr.row_ptr.position(r + 1) - from);
          ASSERT_TRUE(std::equal(panel.csr.col_idx.begin() + begin, panel.csr.col_idx.begin() + begin + entries,
                                 whole->csr.col_idx.begin() + from));
        }
      }
      EXPECT_EQ(expected, 900u);
      if (row == 0) {
        EXPECT_EQ((*rows)->info().duplicates, whole->info.duplicates);
      }
    }
  }
}

TEST_F(RowStreams, HaveTheErrorsOfTheReaders) {
  const std::string general = "%%MatrixMarket matrix coordinate real general\n";
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"banner", "nothing\n"},
      {"short", general + "2 2 3\n1 1 1\n"},
      {"long", general + "2 2 1\n1 1 1\n% c\n2 2 1\n"},
      {"word", general + "2 2 2\n1 1 1\n1 2 x\n"},
      {"row", general + "2 2 1\n3 1 1\n"},
      {"overflow", general + "900 2 4\n1 1 1\n801 2 1e308\n801 2 1e308\n801 2 1e308\n"},
      {"diagonal", "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 5\n\n3 1\n"},
  };
  for (const auto& [name, text] : texts) {
    const auto path = folder / (name + ".mtx");
    write_file(path, text);
    const auto whole = read_matrix(path);
    const auto got = gather(path, with_memory(1));
    ASSERT_FALSE(whole.ok()) << name;
    ASSERT_FALSE(got.ok()) << name;
    EXPECT_EQ(got.error().text(), whole.error().text());
    EXPECT_EQ(got.error().code, whole.error().code) << name;
  }
}

TEST_F(RowStreams, RefuseOtherKinds) {
  write_file(folder / "a.graph", "2 1\n2\n1\n");
  const auto got = gather(folder / "a.graph", {});
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, ErrorCode::unsupported);
  EXPECT_NE(got.error().message.find("matrix-market and .spress"), std::string::npos) << got.error().message;
  EXPECT_EQ(gather(folder / "nothing.mtx", {}).error().code, ErrorCode::not_found);
}

TEST_F(RowStreams, RefuseRowsThatTakeMoreThanAllMemory) {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n9 40000 40000\n";
  for (int c = 1; c <= 40000; ++c) text += "4 " + std::to_string(c) + '\n';
  write_file(folder / "row.mtx", text);
  const auto got = gather(folder / "row.mtx", with_memory(1 << 16));
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, ErrorCode::too_large);
  EXPECT_TRUE(gather(folder / "row.mtx", with_memory(1 << 21)).ok());
}

TEST_F(RowStreams, LeaveNothingBehindOnAFullDisk) {
  const auto path = folder / "a.mtx";
  write_file(path, random_text("real", "general", 500, 60000));
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100000;
  setrlimit(RLIMIT_FSIZE, &small);
  const auto got = gather(path, with_memory(1 << 16));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, ErrorCode::unwritable);
  EXPECT_EQ(files(), 1);
  const auto nowhere = gather(path, {1 << 16, folder / "not there"});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().code, ErrorCode::unwritable);
}

}  // namespace
}  // namespace spress::io
