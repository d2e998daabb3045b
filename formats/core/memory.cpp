#include "formats/core/memory.hpp"

#include <fstream>
#include <string>

namespace spress {

std::uint64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  while (in >> word)
    if (word == "MemAvailable:") {
      std::uint64_t kib = 0;
      in >> kib;
      return kib * 1024;
    }
  return std::uint64_t{4} << 30;
}

Status fits_memory(std::uint64_t bytes, std::string_view what) {
  const std::uint64_t available = available_memory();
  if (bytes <= available) return Ok{};
  return Error{ErrorCode::too_large,
               std::string(what) + " needs " + std::to_string(bytes) + " bytes of memory, and " +
                   std::to_string(available) + " are free",
               {},
               0};
}

}  // namespace spress
