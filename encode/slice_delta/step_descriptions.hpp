// The words that describe the steps of an item. Items with equal steps share one description.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "encode/slice_delta/slice_steps.hpp"
#include "formats/core/result.hpp"

namespace spress {

using StepWords = std::vector<std::uint32_t>;

/// Writes the description of an item over `out`: head, steps, wide bases, masks.
void describe_steps(const Steps& steps, StepWords& out);

/// Appends each new description to `words`, and finds those that are there already.
class StepDictionary {
 public:
  explicit StepDictionary(StepWords& words) : words_(words) {}

  /// The position of the first word after the head of a description. Errors: too_large.
  [[nodiscard]] Result<std::uint32_t> place(const std::uint32_t* description, std::uint32_t size);

 private:
  struct Place {
    std::uint32_t first_word, size;
  };
  StepWords& words_;
  std::unordered_multimap<std::uint64_t, Place> known_;
};

}  // namespace spress
