// The words that describe the steps of an item. Items with equal steps share one description.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "encode/slice_delta/slice_steps.hpp"
#include "formats/core/result.hpp"

namespace spress {

using StepWords = std::vector<std::uint32_t>;

/// The description of an item: head, steps, wide bases, masks. Overwrites `out`.
void describe_steps(const Steps& steps, StepWords& out);

/// Gives each description its place in `words` when it is met for the first time.
class StepDictionary {
 public:
  explicit StepDictionary(StepWords& words) : words_(words) {}

  /// The first word behind the head of this description. Errors: too_large.
  [[nodiscard]] Result<std::uint32_t> place(const std::uint32_t* description, std::uint32_t size);

 private:
  struct Place {
    std::uint32_t first_word, size;
  };
  StepWords& words_;
  std::unordered_multimap<std::uint64_t, Place> known_;
};

}  // namespace spress
