// Inputs that a fuzzer begins with, made by the program's own writers. To be included by one source of a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);

namespace spress::fuzz {

/// For LLVMFuzzerCustomMutator: a seed in place of short inputs and of one input in 64, else a mutation.
inline std::size_t mutate_or_begin(const std::vector<std::string>& seeds, std::uint8_t* data, std::size_t size,
                                   std::size_t room, unsigned random) {
  if (size > 64 && random % 64 != 0) return LLVMFuzzerMutate(data, size, room);
  const std::string& seed = seeds[random / 64 % seeds.size()];
  if (seed.size() > room) return LLVMFuzzerMutate(data, size, room);
  std::memcpy(data, seed.data(), seed.size());
  return seed.size();
}

/// The inputs that a fuzzer begins with. Each one that includes this file defines it.
[[nodiscard]] std::vector<std::string> make_seeds();

}  // namespace spress::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room,
                                               unsigned random) {
  static const auto seeds = spress::fuzz::make_seeds();
  return spress::fuzz::mutate_or_begin(seeds, data, size, room, random);
}
