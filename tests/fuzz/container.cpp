// Fuzzes the reading of containers. The input is taken as it is, and once more as the descriptor and blocks of a
// container whose checksums hold, so that the fuzzer gets behind them. It starts from containers of every format.
#include "formats/io/container/container.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/io/container/container_layout.hpp"
#include "tests/fuzz/one_thread.hpp"
#include "tests/fuzz/read_container.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/scenarios.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;
namespace layout = spress::io::layout;

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Makes the checksum behind each "stored" of a descriptor that of as many bytes of the blocks.
void mend_checksums(std::string& descriptor, std::string_view blocks) {
  constexpr std::string_view stored = "\"stored\":", checksum = "\"checksum\":\"";
  std::size_t next = 0;
  for (auto at = descriptor.find(stored); at != std::string::npos; at = descriptor.find(stored, at + 1)) {
    std::size_t bytes = 0;
    std::from_chars(descriptor.data() + at + stored.size(), descriptor.data() + descriptor.size(), bytes);
    const auto digits = descriptor.find(checksum, at);
    bytes = std::min(bytes, blocks.size() - next);
    if (digits == std::string::npos || descriptor.size() < digits + checksum.size() + 16) return;
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(layout::checksum64(as_bytes(blocks.substr(next, bytes)))));
    descriptor.replace(digits + checksum.size(), 16, text, 16);
    next += bytes;
  }
}

/// The input cut at its first 0x00: a descriptor, then blocks.
Bytes wrapped(std::string_view input) {
  const auto cut = input.find('\0');
  std::string descriptor(input.substr(0, cut));
  const std::string_view blocks = cut == std::string_view::npos ? std::string_view{} : input.substr(cut + 1);
  mend_checksums(descriptor, blocks);
  const layout::Header header = {layout::format_version, layout::header_bytes + blocks.size(), descriptor.size(),
                                 layout::checksum64(as_bytes(descriptor))};
  const auto begin = layout::encode_header(header);
  Bytes bytes(begin.begin(), begin.end());
  bytes.insert(bytes.end(), blocks.begin(), blocks.end());
  bytes.insert(bytes.end(), descriptor.begin(), descriptor.end());
  return bytes;
}

/// A container as the input that `wrapped` makes it of.
std::string unwrapped(const Bytes& container, const layout::Header& header) {
  const auto descriptor = container.begin() + static_cast<std::ptrdiff_t>(header.descriptor_offset);
  std::string input(descriptor, container.end());
  input.push_back(0);
  input.append(container.begin() + layout::header_bytes, descriptor);
  return input;
}

}  // namespace

/// A small matrix in each format, with each value store that it takes there.
std::vector<std::string> spress::fuzz::make_seeds() {
  using namespace spress;
  std::vector<std::string> seeds;
  const auto raw = tests::make_csr({"", 40, 300, tests::scattered(40, 50, 9), {}});
  auto small = raw;
  small.values = raw_store(HostArray<double>(raw.nnz, 2.5));
  for (const Csr<Owned>* a : {&raw, &std::as_const(small)})
    for (const StoreKind kind : all_stores) {
      const auto stored = with_values(view_of(*a), kind);
      if (!stored.ok()) continue;
      for_each_format([&]<template <class> class F>(Tag<F>) {
        const auto f = encode<F>(view_of(*stored), {});
        if (!f.ok()) return;
        const auto bytes = io::write_container_bytes(view_of(*f), io::ContainerInfo{}).value();
        seeds.push_back(unwrapped(bytes, layout::decode_header(bytes, bytes.size()).value()));
      });
    }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spress::fuzz::read_container({data, size});
  spress::fuzz::read_container(wrapped({reinterpret_cast<const char*>(data), size}));
  return 0;
}
