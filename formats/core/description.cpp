#include "formats/core/description.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spress {

std::string_view to_string(Role role) {
  switch (role) {
    case Role::value: return "value";
    case Role::index: return "index";
    case Role::pointer: return "pointer";
    case Role::permutation: return "permutation";
    case Role::metadata: return "metadata";
  }
  return "unknown";
}

std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

}  // namespace spress
