// Fuzzes the reading of containers of version 2. The input is a descriptor and blocks, of which a file is made whose
// checksums hold, so that the fuzzer gets behind them. It starts from files with each fold, kind of values and pattern.
#include "formats/io/matrix_file/matrix_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/descriptor.hpp"
#include "tests/formats/io/matrix_file/matrix_samples.hpp"
#include "tests/fuzz/one_thread.hpp"
#include "tests/fuzz/read_container.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/scenarios.hpp"

namespace {

using namespace spress;
using Bytes = std::vector<std::uint8_t>;
namespace layout = spress::io::layout;

/// Puts the checksum of its bytes into each place of a descriptor.
void mend_checksums(io::MatrixFileHead& head, std::span<const std::uint8_t> blocks) {
  const auto mend = [&](io::BlockPlace& place) {
    place.checksum = layout::checksum64(blocks.subspan(place.offset - layout::header_bytes, place.stored));
  };
  for (auto* part : {&head.comments, &head.table, &head.row_perm, &head.col_perm})
    if (*part) mend(**part);
  std::for_each(head.blocks.begin(), head.blocks.end(), mend);
}

Bytes file_of(std::span<const std::uint8_t> descriptor, std::span<const std::uint8_t> blocks) {
  const layout::Header header = {layout::matrix_version, layout::header_bytes + blocks.size(), descriptor.size(),
                                 layout::checksum64(descriptor)};
  const auto begin = layout::encode_header(header);
  Bytes bytes(begin.begin(), begin.end());
  bytes.insert(bytes.end(), blocks.begin(), blocks.end());
  bytes.insert(bytes.end(), descriptor.begin(), descriptor.end());
  return bytes;
}

/// The input begins with the length of the descriptor, two bytes.
Bytes wrapped(std::span<const std::uint8_t> input) {
  std::uint16_t length = 0;
  if (input.size() < sizeof length) return {};
  std::memcpy(&length, input.data(), sizeof length);
  input = input.subspan(sizeof length);
  const auto descriptor = input.first(std::min<std::size_t>(length, input.size()));
  const auto blocks = input.subspan(descriptor.size());
  auto head = io::parse_matrix_file_descriptor(descriptor, layout::header_bytes, layout::header_bytes + blocks.size());
  if (!head.ok()) return file_of(descriptor, blocks);
  mend_checksums(*head, blocks);
  return file_of(io::matrix_file_descriptor(*head), blocks);
}

/// A file as the input that `wrapped` makes it of.
std::string unwrapped(const Bytes& file) {
  const auto header = layout::decode_header(file, file.size()).value();
  const auto length = static_cast<std::uint16_t>(header.descriptor_bytes);
  const auto descriptor = file.begin() + static_cast<std::ptrdiff_t>(header.descriptor_offset);
  std::string input(reinterpret_cast<const char*>(&length), sizeof length);
  input.append(descriptor, file.end());
  input.append(file.begin() + layout::header_bytes, descriptor);
  return input;
}

/// The matrix and its mirror image added, or the first without the second.
Csr<Owned> small_matrix(bool symmetric, ValueStore<Owned> (*values)(std::size_t count)) {
  auto entries = tests::scattered(60, 60, 4);
  if (symmetric) {
    const auto below = entries;
    for (const auto& [r, c] : below) entries.emplace_back(c, r);
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  }
  Csr<Owned> a = tests::make_csr({"", 60, 60, entries, {}});
  a.values = values(a.nnz);
  return a;
}

}  // namespace

std::vector<std::string> spress::fuzz::make_seeds() {
  const auto same = [](std::size_t count) { return raw_store(HostArray<double>(count, 2.5)); };
  const auto decimal = [](std::size_t count) {
    HostArray<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = i % 31 == 0 ? 1.0 / 3 : static_cast<double>(i * i % 1000) / 100;
    return raw_store(std::move(values));
  };
  const auto complex = [](std::size_t count) {
    HostArray<std::complex<double>> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = {std::sqrt(static_cast<double>(i)), i % 3 == 0 ? 1.0 : 0.0};
    return raw_store(std::move(values));
  };
  const auto none = [](std::size_t count) { return pattern_store(count); };
  std::vector<std::string> seeds;
  io::ContainerInfo info;
  info.matrix.comments = "% kind: structural problem\n";
  for (const bool symmetric : {false, true})
    for (ValueStore<Owned> (*values)(std::size_t) : {+same, +decimal, +complex, +none})
      for (const int level : {1, 12})
        for (const std::uint64_t entries : {0, 100}) {
          const auto a = small_matrix(symmetric, values);
          seeds.push_back(unwrapped(
              io::write_matrix_file_bytes(view_of(a), info,
                                          {.level = level, .threads = 1, .seekable = false, .block_entries = entries})
                  .value()));
        }
  for (const auto& scenario : {io::samples::Scenario{"grid", 256, 256, io::samples::shuffled_grid(16)},
                               {"alike", 300, 90, io::samples::alike_rows(300, 90)}}) {  // whose columns are copied
    const auto a = io::samples::csr_of(scenario, pattern_store(scenario.places.size()));
    seeds.push_back(unwrapped(io::write_matrix_file_bytes(view_of(a), info, {.level = 3, .threads = 1}).value()));
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spress::fuzz::read_container({data, size});
  spress::fuzz::read_container(wrapped({data, size}));
  return 0;
}
