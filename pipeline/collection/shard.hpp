// One of N parts of a collection, for N machines that share the work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/core/result.hpp"
#include "pipeline/source.hpp"

namespace spress::pipeline {

struct Shard {
  std::uint64_t number = 1;  ///< from 1
  std::uint64_t of = 1;
};

/// "2/5". Errors: usage.
[[nodiscard]] Result<Shard> parse_shard(const std::string& text);

/// The items whose position among all of them, sorted by their inputs, is that of the shard modulo their number: each
/// item is in one shard, and in the same one whatever the order of the inputs. They keep the order in which they came.
/// There may be none.
[[nodiscard]] std::vector<Item> items_of(const Shard& shard, std::vector<Item> items);

}  // namespace spress::pipeline
