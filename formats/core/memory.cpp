#include "formats/core/memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "formats/core/control_group.hpp"

namespace spress {

namespace {

std::uint64_t available_on_machine(const std::string& root) {
  std::ifstream in(root + "/proc/meminfo");
  std::string word;
  while (in >> word)
    if (word == "MemAvailable:") {
      std::uint64_t kib = 0;
      in >> kib;
      return kib * 1024;
    }
  return std::uint64_t{4} << 30;
}

}  // namespace

std::uint64_t available_memory(const std::string& root) {
  const std::uint64_t machine = available_on_machine(root);
  return std::min(machine, memory_of_group(root).value_or(machine));
}

Status fits_memory(std::uint64_t bytes, std::string_view what) {
  constexpr std::uint64_t small = 1 << 20;
  if (bytes <= small) return Ok{};
  const std::uint64_t available = available_memory();
  if (bytes <= available) return Ok{};
  return Error{ErrorCode::too_large, std::string(what) + " needs " + std::to_string(bytes) + " bytes of memory, and " +
                                         std::to_string(available) + " are free"};
}

}  // namespace spress
