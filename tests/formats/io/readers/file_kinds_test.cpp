// Reading every kind of file: all of data/kinds, cut, compressed, in archives, under other names.
#include "formats/io/readers/file_kinds.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/formats/io/readers/kinds_support.hpp"

namespace spress::io {
namespace {

using namespace kind_tests;

// --- data/kinds/valid: beside each file the matrix that it holds, as FILE.expected.mtx.

class ValidKind : public testing::TestWithParam<fs::path> {};

TEST_P(ValidKind, is_the_matrix_beside_it) {
  const Matrix expected = read_or_die(GetParam().string() + expected_ending);
  for (const int threads : {1, 3}) {
    const auto read = read_matrix(GetParam(), {.threads = threads});
    ASSERT_TRUE(read.ok()) << read.error().text();
    expect_same_matrix(*read, expected, GetParam().string());
    EXPECT_EQ(read->info.path, GetParam().string());
    EXPECT_EQ(read->info.name, GetParam().stem().string());
  }
}

TEST_P(ValidKind, may_be_compressed) {
  ScratchFolder folder;
  const fs::path path = folder / (GetParam().filename().string() + ".gz");
  write_gzip(path, read_file(GetParam()));
  const auto read = read_matrix(path);
  if (!read.ok() && GetParam().filename() == "one_array.npz") {  // read twice, which a stream is not
    EXPECT_EQ(read.error().code, ErrorCode::unsupported);
    return;
  }
  ASSERT_TRUE(read.ok()) << read.error().text();
  expect_same_matrix(*read, read_or_die(GetParam().string() + expected_ending), path.string());
}

/// Whether a cut text may be a smaller matrix: nothing says how many lines it has, or what its last line holds.
bool may_be_cut(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".el" || ending == ".edges" || ending == ".tsv" || ending == ".csv" || ending == ".txt";
}

TEST_P(ValidKind, is_not_mistaken_when_it_is_cut) {
  if (may_be_cut(GetParam())) GTEST_SKIP() << "a cut list of edges is a list of edges";
  const std::string bytes = read_file(GetParam());
  const Matrix expected = read_or_die(GetParam().string() + expected_ending);
  ScratchFolder folder;
  const fs::path path = folder / GetParam().filename().string();
  for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
    write_file(path, std::string_view(bytes).substr(0, kept));
    const auto read = read_matrix(path, {.threads = 1});
    if (!read.ok()) {
      EXPECT_EQ(read.error().file, path.string());
      EXPECT_FALSE(read.error().message.empty());
      continue;
    }
    // What is missing may be blank, or right-hand sides.
    EXPECT_TRUE(validate(view_of(read->csr)).ok()) << kept;
    EXPECT_EQ(read->csr.nnz, expected.csr.nnz) << GetParam() << " cut to " << kept << " bytes";
    // Nothing but their number says whether the values of a PETSc file are complex.
    if (path.filename() == "complex.petsc" && read->info.field == Field::real) continue;
    expect_identical(read->csr, expected.csr, path.string() + " cut to " + std::to_string(kept) + " bytes");
  }
}

INSTANTIATE_TEST_SUITE_P(data, ValidKind, testing::ValuesIn(files_of("valid")), test_name);

// --- data/kinds/invalid: the names are CODE.LINE.WHAT.ENDING.

class InvalidKind : public testing::TestWithParam<fs::path> {};

TEST_P(InvalidKind, is_refused_with_code_and_line) {
  std::istringstream name(GetParam().filename().string());
  std::string code, line;
  std::getline(name, code, '.');
  std::getline(name, line, '.');
  for (const int threads : {1, 3}) {
    const auto read = read_matrix(GetParam(), {.threads = threads});
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(to_string(read.error().code), code) << read.error().text();
    EXPECT_EQ(std::to_string(read.error().line), line) << read.error().text();
    EXPECT_EQ(read.error().file, GetParam().string());
    EXPECT_FALSE(read.error().message.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(data, InvalidKind, testing::ValuesIn(files_of("invalid")), test_name);

// --- What is known by content, by name, by option.

fs::path valid(const char* name) { return data_folder() / "kinds/valid" / name; }

TEST(FileKinds, are_known_by_content_under_any_name) {
  ScratchFolder folder;
  for (const auto* name : {"real_unsymmetric.rb", "dense.npy", "unsorted_csr.npz", "real.petsc", "indices_64.petsc"}) {
    fs::copy_file(valid(name), folder / "anything.mtx", fs::copy_options::overwrite_existing);
    const auto read = read_matrix(folder / "anything.mtx");
    ASSERT_TRUE(read.ok()) << read.error().text();
    expect_same_matrix(*read, read_or_die(valid(name).string() + expected_ending), name);
  }
}

TEST(FileKinds, without_a_signature_are_named_by_option) {
  ScratchFolder folder;
  fs::copy_file(valid("plain.graph"), folder / "graph");
  EXPECT_FALSE(read_matrix(folder / "graph").ok());
  const auto read = read_matrix(folder / "graph", {.kind = "metis"});
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->csr.nnz, 6u);
  const auto unknown = read_matrix(folder / "graph", {.kind = "metes"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::usage);
  EXPECT_NE(unknown.error().message.find("did you mean 'metis'? The choices are"), std::string::npos)
      << unknown.error().text();
}

TEST(FileKinds, that_are_written_are_found_by_ending) {
  EXPECT_EQ(kind_to_write("a.npz")->name, "scipy-npz");
  EXPECT_EQ(kind_to_write("a.mtx.gz")->name, "matrix-market");
  EXPECT_EQ(kind_to_write("a.rb.gz"), nullptr);
  EXPECT_EQ(kind_to_write("a.graph"), nullptr);
  EXPECT_EQ(kind_to_write(".npz"), nullptr);
}

TEST(FileKinds, only_those_with_parts_take_one) {
  const auto read = read_matrix(valid("plain.graph"), {.part = "a"});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::usage);
  const auto invalid = data_folder() / "kinds/invalid/usage.0.two_arrays.npz";
  EXPECT_TRUE(read_matrix(invalid, {.part = "b"}).ok());
  EXPECT_EQ(read_matrix(invalid, {.part = "c"}).error().code, ErrorCode::not_found);
}

/// Readers stop behind the matrix, where others things may follow.
TEST(FileKinds, are_verified_to_the_end_of_compressed_data) {
  ScratchFolder folder;
  std::string right_sides;
  for (int k = 0; k < 300000; ++k) right_sides += "  1.0\n";
  for (const auto& [name, more] : {std::pair("harwell_boeing_right_sides.rsa", right_sides),
                                   std::pair("vector_behind.petsc", std::string(3000000, '\0'))}) {
    const fs::path path = folder / (std::string(name) + ".gz");
    write_gzip(path, read_file(valid(name)) + more);
    const auto read = read_matrix(path);
    ASSERT_TRUE(read.ok()) << read.error().text();
    const std::string packed = read_file(path);
    std::string wrong = packed;
    wrong[wrong.size() - 8] = static_cast<char>(wrong[wrong.size() - 8] ^ 0x55);  // in the checksum
    for (const std::string& bytes : {wrong, packed.substr(0, packed.size() - 20)}) {
      write_file(path, bytes);
      EXPECT_FALSE(read_matrix(path).ok()) << name;
    }
  }
}

TEST(EdgeLists, say_where_values_of_an_undirected_edge_were_added_up) {
  ScratchFolder folder;
  const auto note_of = [&](const char* text) {
    write_file(folder / "a.edges", text);
    const auto read = read_matrix(folder / "a.edges");
    return read.ok() ? read->info.note : read.error().text();
  };
  EXPECT_NE(note_of("% sym weighted\n1 2 5\n2 1 5\n").find("at both ends"), std::string::npos);
  EXPECT_EQ(note_of("% sym weighted\n1 2 5\n2 3 5\n"), "");
  EXPECT_EQ(note_of("% sym unweighted\n1 2\n2 1\n"), "");
}

TEST(EdgeLists, name_their_columns_without_numbers) {
  ScratchFolder folder;
  write_file(folder / "a.csv", "\"from\";\"to\"\n0;1\n");
  const auto read = read_matrix(folder / "a.csv");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->csr.nnz, 1u);
  const auto quoted = read_matrix(data_folder() / "kinds/invalid/syntax.1.quoted.csv");
  ASSERT_FALSE(quoted.ok());
  EXPECT_NE(quoted.error().message.find("quotes, which are not read"), std::string::npos) << quoted.error().text();
}

TEST(EdgeLists, begin_with_the_base_that_is_given) {
  const auto invalid = data_folder() / "kinds/invalid/usage.0.no_base.el";
  const auto from_0 = read_matrix(invalid, {.index_base = 0}), from_1 = read_matrix(invalid, {.index_base = 1});
  ASSERT_TRUE(from_0.ok() && from_1.ok());
  EXPECT_EQ(from_0->csr.rows, 3u);
  EXPECT_EQ(from_1->csr.rows, 2u);
  EXPECT_EQ(from_1->csr.nnz, 2u);
}

/// Entries in many blocks, in every coding of their ids.
TEST(EdgeLists, of_many_blocks_are_the_same_for_any_threads) {
  ScratchFolder folder;
  std::string text, mtx;
  std::uint64_t entries = 0;
  std::uint32_t random = 1;
  for (std::uint32_t k = 0; k < 90000; ++k) {
    random = random * 1664525u + 1013904223u;
    const std::uint32_t row = k < 30000 ? k / 100 + 1 : random % 200000 + 1,
                        col = k < 60000 ? random % 1000 + 1 : k + 1;
    const std::string line = std::to_string(row) + ' ' + std::to_string(col) + ' ' + std::to_string(k) + '\n';
    text += line;
    mtx += line;
    ++entries;
    if (k % 1000 == 0) text += "# comment\n";
  }
  write_file(folder / "a.el", text);
  const auto one = read_matrix(folder / "a.el", {.threads = 1, .index_base = 1});
  ASSERT_TRUE(one.ok()) << one.error().text();
  const std::string side = std::to_string(one->csr.rows);
  write_file(folder / "a.mtx", "%%MatrixMarket matrix coordinate integer general\n" + side + ' ' + side + ' ' +
                                   std::to_string(entries) + '\n' + mtx);
  expect_same_matrix(*one, read_or_die(folder / "a.mtx"), "one thread");
  const auto several = read_matrix(folder / "a.el", {.threads = 4, .index_base = 1});
  ASSERT_TRUE(several.ok());
  expect_identical(one->csr, several->csr, "four threads");
}

TEST(FileKinds, SomeHoldMoreThanTheirBytes) {
  for (const char* name : {"a.mtx.gz", "a.rb.zst", "a.npz", "a.mat", "a.h5", "d/a.h5ad"})
    EXPECT_TRUE(may_be_compressed(name)) << name;
  for (const char* name : {"a.mtx", "a.rb", "a.petsc", "a.graph", "npz", "a"})
    EXPECT_FALSE(may_be_compressed(name)) << name;
}

}  // namespace
}  // namespace spress::io
