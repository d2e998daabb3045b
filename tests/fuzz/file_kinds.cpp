// Fuzzes the reading of the kinds of files other than Matrix Market that are parsed in this process. The first byte of
// the input says the kind. Of .npz archives the input is the arrays, which are put into an archive here, so that the
// fuzzer gets behind checksums. What can be read must be a valid matrix, and the same again after it was written.
#include "formats/io/readers/file_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/bytes/output_file.hpp"
#include "formats/io/bytes/zip_writer.hpp"
#include "formats/io/readers/npy.hpp"
#include "tests/fuzz/long_numbers.hpp"
#include "tests/fuzz/one_thread.hpp"
#include "tests/fuzz/scratch_file.hpp"
#include "tests/fuzz/seeds.hpp"

namespace {

using namespace spress;
namespace fs = std::filesystem;

constexpr char separator = '\x1e';  // between the arrays of an archive

void check(const fs::path& file, const std::string& kind) {
  const auto read = io::read_matrix(file, {.threads = 1, .index_base = 0, .kind = kind});
  if (!read.ok()) return;
  if (!validate(view_of(read->csr)).ok()) __builtin_trap();
  if (read->csr.values.type == ValueType::none) return;  // PETSc writes ones
  const auto copy = file.parent_path() / "copy.petsc";
  if (!io::write_matrix(view_of(read->csr), read->info, copy).ok()) __builtin_trap();
  const auto again = io::read_matrix(copy, {.threads = 1});
  if (!again.ok()) __builtin_trap();
  // Without values there is no telling whether they are complex.
  if (read->csr.nnz != 0 && !identical(again->csr, read->csr)) __builtin_trap();
}

std::string array(std::string_view type, const std::vector<std::uint64_t>& shape, std::string_view elements) {
  return io::npy_header_text(type, shape) + std::string(elements);
}

/// An archive of the arrays in `input`, by turns of a csr, coo, bsr and dia matrix of 4 x 4.
fs::path archive(const fs::path& path, char format, std::string_view input) {
  using Names = std::array<const char*, 3>;
  const std::array<std::pair<const char*, Names>, 5> formats = {{{"csr", {"indices", "indptr", "data"}},
                                                                 {"csc", {"indices", "indptr", "data"}},
                                                                 {"coo", {"row", "col", "data"}},
                                                                 {"bsr", {"indices", "indptr", "data"}},
                                                                 {"dia", {"offsets", "data", "unused"}}}};
  const auto& [name, names] = formats[static_cast<unsigned char>(format) % formats.size()];
  auto file = io::OutputFile::create(path);
  if (!file.ok()) __builtin_trap();
  io::ZipWriter zip(*file);
  const auto put = [&](const std::string& member, const std::string& bytes) {
    if (!zip.begin(member + ".npy", bytes.size()).ok() || !zip.write(bytes.data(), bytes.size()).ok()) __builtin_trap();
  };
  for (const char* member : names) {
    const auto end = std::min(input.find(separator), input.size());
    put(member, std::string(input.substr(0, end)));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  put("format", array("|S3", {}, name));
  const std::int64_t shape[] = {4, 4};
  put("shape", array("<i8", {2}, {reinterpret_cast<const char*>(shape), sizeof shape}));
  if (!zip.finish().ok() || !file->commit().ok()) __builtin_trap();
  return path;
}

/// Sides beyond 16 bits are legal, but only cost memory.
bool has_large_sides(std::string_view petsc) {
  const auto zero = [&](std::size_t at, std::size_t bytes) {
    return petsc.substr(std::min(at, petsc.size()), bytes).find_first_not_of('\0') == std::string_view::npos;
  };
  if (petsc.starts_with(std::string_view("\0\0\0\0", 4))) return !zero(8, 6) || !zero(16, 6);
  return !zero(4, 2) || !zero(8, 2);
}

void check_input(char kind, std::string_view input) {
  static const fuzz::ScratchFolder folder;
  if (kind == 'z' && !input.empty())
    return check(archive(folder.file("a.npz", ""), input[0], input.substr(1)), "scipy-npz");
  if (kind == 'p') return has_large_sides(input) ? void() : check(folder.file("a.petsc", input), "petsc");
  if (fuzz::has_long_number(input)) return;
  switch (kind) {
    case 'r': return check(folder.file("a.rb", input), "rutherford-boeing");
    case 'n': return check(folder.file("a.npy", input), "numpy-npy");
    case 'g': return check(folder.file("a.graph", input), "metis");
    case 'e': return check(folder.file("a.el", input), "edge-list");
    default: return check(folder.file("a", input), "");
  }
}

std::string bytes_of(const auto& numbers) {
  return {reinterpret_cast<const char*>(std::data(numbers)), std::size(numbers) * sizeof numbers[0]};
}

}  // namespace

std::vector<std::string> spress::fuzz::make_seeds() {
  const std::string head = "title\n 3 1 1 1\n";
  std::vector<std::string> seeds = {
      'r' + head + "rua 3 2 3 0\n(3I2) (3I2) (3F6.2)\n 1 3 4\n 1 2 3\n  1.00  2.00  3.00\n",
      'r' + head + "rsa 3 3 3 0\n(4I2) (3I2) (1P3D12.4)\n 1 3 3 4\n 1 3 3\n  1.0000D+00 -2.5000D-01 -1.0000-003\n",
      'r' + head + "cha 2 2 2 0\n(3I2) (3I2) (2E9.2)\n 1 3 3\n 1 2\n 1.00E+00 0.00E+00\n 2.00E+00-3.50E+00\n",
      "rtitle\n 3 1 1 0\npsa 3 3 3 0\n(4I2) (4I2)\n 1 3 4 4\n 1 3 2\n",
      "g% c\n4 3\n2 3\n1 3\n1 2\n\n",
      "g3 2 111 2\n9 1 2 2 7 3 5\n9 1 2 1 7\n9 1 2 1 5\n",
      "e# Nodes: 4 Edges: 2\n0 1\n2\t3\n",
      "efrom,to,weight\n0,1,1.5\n2;0;-2e-3\n",
      "e% sym weighted\n% 2 3 3\n1 2 4\n3 1 5\n"};
  const double values[] = {1.5, -0.0, 0, 4};
  const std::int32_t ids[] = {0, 1, 1, 3}, pointers[] = {0, 1, 2, 3, 4}, offsets[] = {0, -1};
  const std::string data = array("<f8", {4}, bytes_of(values)), indices = array("<i4", {4}, bytes_of(ids));
  const std::string indptr = array("<i4", {5}, bytes_of(pointers));
  const std::string with_pointers = indices + separator + indptr + separator;
  seeds.push_back(std::string("z") + '\0' + with_pointers + data);
  seeds.push_back(std::string("z") + '\1' + with_pointers + array("<c16", {2}, bytes_of(values)));
  seeds.push_back(std::string("z") + '\2' + indices + separator + indices + separator + data);
  seeds.push_back(std::string("z") + '\3' + with_pointers + array("<f8", {4, 1, 1}, bytes_of(values)));
  seeds.push_back(std::string("z") + '\4' + array("<i4", {2}, bytes_of(offsets)) + separator +
                  array("<f8", {2, 2}, bytes_of(values)));
  seeds.push_back('n' + array("<f8", {2, 2}, bytes_of(values)));
  const std::string ones(8, '\0');
  const std::string integers("\0\x12\x7b\x50\0\0\0\2\0\0\0\3\0\0\0\2\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\2", 32);
  seeds.push_back('p' + integers + ones + ones);
  seeds.push_back('p' + integers + ones + ones + ones + ones);
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (!input.empty()) check_input(input[0], input.substr(1));
  return 0;
}
