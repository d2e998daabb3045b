#include "pipeline/measure/parcel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace spress::pipeline {

std::size_t bytes_of(const std::vector<cuda::Copy>& copies) {
  std::size_t bytes = 0;
  for (const auto& copy : copies) bytes += copy.bytes;
  return bytes;
}

Result<bool> arrived(Wire& wire, const std::vector<cuda::Copy>& copies) {
  std::size_t part = 0;
  for (const auto& copy : copies) part = std::max(part, copy.bytes);
  part = std::min<std::size_t>(part, 64 << 20);
  HostArray<std::uint8_t> back(part);
  for (const auto& copy : copies)
    for (std::size_t at = 0; at < copy.bytes; at += part) {
      const std::size_t n = std::min(part, copy.bytes - at);
      SPRESS_CHECK(wire.fetch(back.data(), static_cast<const std::uint8_t*>(copy.to) + at, n));
      if (std::memcmp(back.data(), static_cast<const std::uint8_t*>(copy.from) + at, n) != 0) return false;
    }
  return true;
}

}  // namespace spress::pipeline
