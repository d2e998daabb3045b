// Every reader with a disk that fails: an error that names the file, never a shorter matrix.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "formats/io/bytes/text_file.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "formats/io/readers/file_kinds.hpp"
#include "tests/failing_reads.hpp"
#include "tests/formats/io/matrix_market/mm_support.hpp"

namespace spress::io {
namespace {

using namespace mm_tests;

/// A matrix of several reads' size, even compressed.
std::string large_text() {
  constexpr int entries = 35'000;
  std::mt19937 random(7);
  std::string text = "%%MatrixMarket matrix coordinate real general\n1000 1000 " + std::to_string(entries) + "\n";
  for (int k = 0; k < entries; ++k)
    text += std::to_string(1 + random() % 1000) + ' ' + std::to_string(1 + random() % 1000) + ' ' +
            std::to_string(random()) + "e-3\n";
  return text;
}

/// Packs a.mtx of the folder in every way that the names say. False where there is no Python.
bool pack(const ScratchFolder& folder) {
  write_file(folder / "pack.py", R"(
import bz2, gzip, lzma, sys, tarfile, zipfile
folder = sys.argv[1] + "/"
text = open(folder + "a.mtx", "rb").read()
open(folder + "a.mtx.gz", "wb").write(gzip.compress(text))
open(folder + "a.mtx.xz", "wb").write(lzma.compress(text, preset=1))
open(folder + "a.mtx.bz2", "wb").write(bz2.compress(text))
for name, mode in ("a.tar", "w"), ("a.tar.gz", "w:gz"), ("a.tar.xz", "w:xz"), ("a.tar.bz2", "w:bz2"):
    with tarfile.open(folder + name, mode) as tar:
        tar.add(folder + "a.mtx", "a/b.mtx")
        tar.add(folder + "a.mtx", "a/a.mtx")
for name, kind in ("a.zip", zipfile.ZIP_DEFLATED), ("stored.zip", zipfile.ZIP_STORED):
    with zipfile.ZipFile(folder + name, "w", kind) as archive:
        archive.write(folder + "a.mtx", name[:-4] + ".mtx")
)");
  return std::system(("python3 " + (folder / "pack.py").string() + ' ' + folder.path().string()).c_str()) == 0;
}

void expect_unreadable(const Error& error, const fs::path& path, long k) {
  EXPECT_EQ(error.code, ErrorCode::unreadable) << error.text() << " at read " << k;
  EXPECT_EQ(error.file, path.string()) << k;
  EXPECT_NE(error.message.find("Input/output error"), std::string::npos) << error.text() << " at read " << k;
}

/// read() fails as long as a read of the system does, and is good afterwards.
template <class Read>
void sweep(const fs::path& path, long least_reads, Read read) {
  const long reads = tests::sweep_failing_reads([&](long k) {
    const auto result = read();
    ASSERT_EQ(result.ok(), !tests::read_failed) << path << " at read " << k;
    if (!result.ok()) expect_unreadable(result.error(), path, k);
  });
  EXPECT_GE(reads, least_reads) << path;
}

TEST(ReadErrors, are_none_of_the_end_of_a_matrix) {
  ScratchFolder folder;
  write_file(folder / "a.mtx", large_text());
  const Matrix expected = read_or_die(folder / "a.mtx");
  ASSERT_TRUE(write_matrix_market(view_of(expected.csr), expected.info, folder / "a.mtx.zst").ok());
  std::vector<std::string> names = {"a.mtx", "a.mtx.zst"};
  const bool packed = pack(folder);
  if (packed)
    names.insert(names.end(), {"a.mtx.gz", "a.mtx.xz", "a.mtx.bz2", "a.tar", "a.tar.gz", "a.tar.xz", "a.tar.bz2",
                               "a.zip", "stored.zip"});
  for (const std::string& name : names) {
    if (const auto read = read_matrix_market(folder / name); !read.ok() && read.error().code == ErrorCode::unsupported)
      continue;  // a kind that this build lacks
    expect_identical(read_or_die(folder / name).csr, expected.csr, name);
    sweep(folder / name, 3, [&] { return read_matrix_market(folder / name, {3}); });
  }
  sweep(folder / "a.mtx", 3, [&] { return read_matrix_market(folder / "a.mtx", {1}); });
  if (!packed) GTEST_SKIP() << "no python3 to make compressed files with";
}

TEST(ReadErrors, are_none_of_the_end_of_a_container_or_a_text) {
  ScratchFolder folder;
  write_file(folder / "a.mtx", large_text());
  const Matrix matrix = read_or_die(folder / "a.mtx");
  const fs::path path = folder / "a.spress";
  ASSERT_TRUE(write_container<Csr>(view_of(matrix.csr), {}, path).ok());
  sweep(path, 5, [&] { return read_container(path, 1); });
  sweep(path, 5, [&] { return read_container(path, 2); });
  sweep(path, 3, [&] { return read_container_head(path); });
  sweep(path, 5, [&] { return check_container(path); });
  sweep(folder / "a.mtx", 2, [&] { return read_text(folder / "a.mtx"); });
}

/// A pipe that holds a few bytes and ends, by a path that can be opened once.
class Pipe {
 public:
  explicit Pipe(std::string_view bytes) {
    EXPECT_EQ(::pipe(ends_), 0);
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { ::close(ends_[0]); }
  [[nodiscard]] fs::path path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2] = {-1, -1};
};

TEST(ReadErrors, are_none_of_the_end_of_a_pipe) {
  ScratchFolder folder;
  const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 -3\n";
  write_file(folder / "a.mtx", text);
  const Matrix matrix = read_or_die(folder / "a.mtx");
  ASSERT_TRUE(write_container<Csr>(view_of(matrix.csr), {}, folder / "a.spress").ok());
  const std::string container = read_file(folder / "a.spress");
  const auto sweep_pipe = [&](const std::string& bytes, const auto& read) {
    const long reads = tests::sweep_failing_reads([&](long k) {
      const Pipe pipe(bytes);
      const auto result = read(pipe.path());
      ASSERT_EQ(result.ok(), !tests::read_failed) << k;
      if (!result.ok()) expect_unreadable(result.error(), pipe.path(), k);
    });
    EXPECT_GE(reads, 3);
  };
  sweep_pipe(text, [](const fs::path& path) { return read_matrix_market(path); });
  sweep_pipe(text, [](const fs::path& path) { return read_text(path); });
  sweep_pipe(container, [](const fs::path& path) { return read_container(path); });
}

// --- Files that change meanwhile
// ---------------------------------------------------------------------------------------------

constexpr std::string_view small = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 -3\n";

void expect_changed(const Error& error, const fs::path& path) {
  EXPECT_EQ(error.code, ErrorCode::unreadable);
  EXPECT_EQ(error.file, path.string());
  EXPECT_NE(error.message.find("changed while it was read"), std::string::npos) << error.text();
}

TEST(ChangedFiles, are_noticed_by_size) {
  ScratchFolder folder;
  const fs::path path = folder / "a.mtx";
  for (const std::string& other : {std::string(small) + "\n", std::string(small.substr(0, small.size() - 5))}) {
    write_file(path, small);
    auto file = InputFile::open(path);
    ASSERT_TRUE(file.ok());
    write_file(path, other);
    const auto read = read_matrix(*file);
    ASSERT_FALSE(read.ok());
    expect_changed(read.error(), path);
  }
}

TEST(ChangedFiles, are_noticed_by_time) {
  ScratchFolder folder;
  const fs::path path = folder / "a.mtx";
  write_file(path, small);
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(5));
  auto file = InputFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(read_matrix(*file).ok());
  std::string other(small);
  other.replace(other.find("1.5"), 3, "2.5");
  write_file(path, other);  // the time is now
  const auto read = read_matrix(*file);
  ASSERT_FALSE(read.ok());
  expect_changed(read.error(), path);
}

TEST(ChangedFiles, are_noticed_as_containers) {
  ScratchFolder folder;
  write_file(folder / "a.mtx", small);
  const Matrix matrix = read_or_die(folder / "a.mtx");
  const fs::path path = folder / "a.spress";
  ASSERT_TRUE(write_container<Csr>(view_of(matrix.csr), {}, path).ok());
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(5));
  auto file = InputFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(read_container(*file).ok());
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::nanoseconds(1000));
  const auto read = read_container(*file);
  ASSERT_FALSE(read.ok());
  expect_changed(read.error(), path);
}

}  // namespace
}  // namespace spress::io
