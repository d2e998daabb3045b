// The reading of a container by a fuzzer, of either version.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>

#include "encode/shared/any.hpp"
#include "formats/io/container/container.hpp"
#include "tests/fuzz/use.hpp"

namespace spress::fuzz {

[[nodiscard]] inline bool has_long_side(const io::ContainerHead& head) {
  for (const auto& [name, value] : head.scalars)
    if ((name == "rows" || name == "cols") && is_long_side(std::strtoull(value.c_str(), nullptr, 10))) return true;
  return false;
}

/// A file that can be read whole must have a readable head, and be as good as any other matrix.
inline void read_container(std::span<const std::uint8_t> bytes) {
  const auto head = io::read_container_head_bytes(bytes);
  if (head.ok() && has_long_side(*head)) return;
  const auto read = io::read_container_bytes(bytes, 1);
  if (!read.ok()) return;
  if (!head.ok()) __builtin_trap();
  with_any(read->matrix, [](const auto& f) { use(view_of(f)); });
}

}  // namespace spress::fuzz
