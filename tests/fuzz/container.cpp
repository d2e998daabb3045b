// Fuzzes the reading of containers. The input is taken as it is, and once more as the descriptor and blocks of a
// container whose checksums hold, so that the fuzzer gets behind them.
#include "formats/io/container.hpp"

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/container_layout.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;
namespace layout = spress::io::layout;

/// The input cut at its first 0x00: a descriptor, then blocks. In the descriptor, each run of sixteen 'c' is replaced
/// by the checksum of all blocks.
Bytes wrapped(std::string_view input) {
  const auto cut = input.find('\0');
  std::string descriptor(input.substr(0, cut));
  const std::string_view blocks = cut == std::string_view::npos ? std::string_view{} : input.substr(cut + 1);
  const auto as_bytes = [](std::string_view text) {
    return std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(layout::checksum64(as_bytes(blocks))));
  const std::string marker(16, 'c');
  for (auto at = descriptor.find(marker); at != std::string::npos; at = descriptor.find(marker, at + 16))
    descriptor.replace(at, 16, digits, 16);
  const layout::Header header = {layout::header_bytes + blocks.size(), descriptor.size(),
                                 layout::checksum64(as_bytes(descriptor))};
  const auto begin = layout::encode_header(header);
  Bytes bytes(begin.begin(), begin.end());
  bytes.insert(bytes.end(), blocks.begin(), blocks.end());
  bytes.insert(bytes.end(), descriptor.begin(), descriptor.end());
  return bytes;
}

/// What can be read whole must have a readable head.
void check(std::span<const std::uint8_t> bytes) {
  const auto read = spress::io::read_container_bytes(bytes, 1);
  if (read.ok() && !spress::io::read_container_head_bytes(bytes).ok()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({data, size});
  check(wrapped({reinterpret_cast<const char*>(data), size}));
  return 0;
}
