// Fuzzes the reading of Matrix Market files. The first byte of the input says what the rest is: the text of a file, a
// file of any bytes, or a text that is compressed or put into an archive here, so that the fuzzer gets behind
// checksums. What can be read must be a valid matrix, and the same again after it was written.
#include "formats/io/matrix_market/matrix_market.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/long_numbers.hpp"
#include "tests/fuzz/one_thread.hpp"
#include "tests/fuzz/scratch_file.hpp"
#include "tests/fuzz/seeds.hpp"

namespace {

using namespace spress;

std::string gzip(std::string_view text) {
  z_stream stream = {};
  if (deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) __builtin_trap();
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) __builtin_trap();
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

/// One member of an archive.
std::string member(const char* name, std::string_view content) {
  std::array<char, 512> head = {};
  std::snprintf(head.data(), 100, "%s", name);
  std::memcpy(head.data() + 100, "0000644\0000000000\0000000000", 24);
  std::snprintf(head.data() + 124, 12, "%011o", static_cast<unsigned>(content.size()));
  std::memcpy(head.data() + 136, "00000000000\0        0", 21);
  std::memcpy(head.data() + 257, "ustar\00000", 8);
  unsigned sum = 0;
  for (const char byte : head) sum += static_cast<unsigned char>(byte);
  std::snprintf(head.data() + 148, 8, "%06o", sum);
  std::string out(head.begin(), head.end());
  out += content;
  out.resize((out.size() + 511) / 512 * 512, '\0');
  return out;
}

/// As many members as there are bytes 0 in the text, and one more.
std::string tar_of(std::string_view text) {
  std::string out;
  const std::array<const char*, 4> names = {"a/a.mtx", "a/a_b.mtx", "readme.txt", "a/b.mtx"};
  for (std::size_t i = 0; !text.empty(); ++i) {
    const auto end = std::min(text.find('\0'), text.size());
    out += member(names[i % names.size()], text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + std::string(1024, '\0');
}

void check(const std::filesystem::path& file) {
  const auto read = io::read_matrix_market(file, {.threads = 1});
  if (!read.ok()) return;
  if (!validate(view_of(read->csr)).ok()) __builtin_trap();
  const auto copy = file.parent_path() / "copy.mtx";
  if (!io::write_matrix_market(view_of(read->csr), read->info, copy).ok()) __builtin_trap();
  const auto again = io::read_matrix_market(copy, {.threads = 1});
  if (!again.ok() || !identical(again->csr, read->csr)) __builtin_trap();
}

void check_input(char kind, std::string_view text) {
  static const fuzz::ScratchFolder folder;
  if (fuzz::has_long_number(text)) return;
  const std::size_t half = text.size() / 2;
  switch (kind) {
    case 'g': return check(folder.file("a.mtx.gz", gzip(text)));
    case 'z': return check(folder.file("a.mtx.zst", zstd(text)));
    case 'h': return check(folder.file("a.mtx.gz", gzip(text.substr(0, half)) + gzip(text.substr(half))));
    case 't': return check(folder.file("a.tar", tar_of(text)));
    case 'u': return check(folder.file("a.tar.gz", gzip(tar_of(text))));
    case 'b': return check(folder.file("a.tar", text));
    case 'c': return check(folder.file("a.tar.gz", text));
    default: return check(folder.file("a.mtx", text));
  }
}

}  // namespace

std::vector<std::string> spress::fuzz::make_seeds() {
  const std::string head = "%%MatrixMarket matrix ";
  const std::vector<std::string> texts = {
      head + "coordinate real general\n% a comment\n3 4 4\n1 1 1.5\n2 4 -2e-3\n3 2 0\n3 2 1e300\n",
      head + "coordinate integer symmetric\n3 3 3\n1 1 7\n3 1 -9007199254740992\n3 3 0\n",
      head + "coordinate pattern skew-symmetric\n4 4 2\n2 1\n4 3\n",
      head + "coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 .5 -1.25\n",
      head + "coordinate pattern symmetric\r\n\r\n5 5 3\r\n5 1\r\n2 2\r\n4 3",
      head + "array real general\n2 2\n1\nnan\n-inf\n4\n",
      head + "array integer skew-symmetric\n3 3\n1\n2\n3\n",
      head + "array complex hermitian\n2 2\n1 0\n2 3\n4 0\n"};
  std::vector<std::string> seeds;
  for (const char kind : {'m', 'g', 'z', 'h', 't', 'u'})
    for (const auto& text : texts) seeds.push_back(kind + text + (kind == 't' ? '\0' + texts[0] : ""));
  for (const auto& text : texts) {
    seeds.push_back('m' + gzip(text));
    seeds.push_back('m' + zstd(text));
    seeds.push_back('b' + tar_of(text));
    seeds.push_back('c' + gzip(tar_of(text)));
    seeds.push_back('c' + zstd(tar_of(text)));
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (!input.empty()) check_input(input[0], input.substr(1));
  return 0;
}
