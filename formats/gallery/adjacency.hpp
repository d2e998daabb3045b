// Lists of ids that have to be known as a whole before rows can be written: where a matrix needs a transpose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/gallery/rows.hpp"

namespace spress::gallery {

struct Adjacency {
  std::vector<std::uint64_t> start = {0};  ///< lists + 1
  std::vector<std::uint32_t> ids;          ///< ascending within a list

  [[nodiscard]] std::uint64_t size() const { return start.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint64_t i) const {
    return {ids.data() + start[i], ids.data() + start[i + 1]};
  }
  /// Appends a list of `most` ids at most: write(RowWriter&) writes it, in any order and with repetitions.
  template <class Write>
  void append(std::uint64_t most, const Write& write) {
    ids.resize(start.back() + most);
    RowWriter out(ids.data() + start.back(), nullptr);
    write(out);
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(start.back());
    ids.resize(start.back() + out.count());
    std::sort(begin, ids.end());
    ids.erase(std::unique(begin, ids.end()), ids.end());
    start.push_back(ids.size());
  }
};

/// The lists turned round: list j holds every i whose list holds j. Requires: ids < n.
[[nodiscard]] Adjacency transposed(const Adjacency& lists, std::uint64_t n);

}  // namespace spress::gallery
