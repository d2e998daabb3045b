// Chooses the block and the segment of an amb: the least traffic by the paper's model.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyze/models.hpp"
#include "encode/amb/amb_sizes.hpp"
#include "formats/core/result.hpp"

namespace spress::amb {

/// A block and a segment width, what they come to, and the bytes that a product moves by the traffic model.
struct BlockLayout {
  std::uint32_t block = 1, segment = 1;
  LayoutSize size;
  std::uint64_t traffic = 0;
};

/// Bytes of a value in the traffic model; of a pattern, those of x and y, which are doubles.
[[nodiscard]] std::uint64_t value_bytes_of(const Csr<Viewed>& a);

/// Finds layouts of one matrix. Counting its blocks takes most of the time, so every size is kept: one search answers
/// for several widths of values.
class LayoutSearch {
 public:
  /// Errors: not_applicable, usage.
  [[nodiscard]] static Result<LayoutSearch> begin(const Csr<Viewed>& a, const Params& params);

  /// The layout with the least traffic by the paper's model if a value takes `value_bytes`; among equals the smallest
  /// block, the first segment width. It does not depend on how the values are stored.
  [[nodiscard]] BlockLayout least_traffic(std::uint64_t value_bytes);

  /// The layout with blocks of b columns that has the least traffic. Requires: has(b).
  [[nodiscard]] BlockLayout layout(std::uint32_t b, std::uint64_t value_bytes);
  [[nodiscard]] bool has(std::uint32_t b) const { return first_ <= b && b <= last_; }
  /// The traffic model's arguments for a layout whose values take `value_bytes` each.
  [[nodiscard]] analyze::AmbShape shape_of(const BlockLayout& layout, std::uint64_t value_bytes) const;

 private:
  LayoutSearch(const Csr<Viewed>& a, const Params& params);
  [[nodiscard]] BlockLayout priced(BlockLayout layout, std::uint64_t value_bytes) const;
  [[nodiscard]] BlockLayout guessed(std::uint32_t b, std::uint64_t value_bytes) const;
  const LayoutSize& size_at(std::size_t i, std::uint32_t block);

  const Csr<Viewed>& a_;
  Params params_;
  std::uint32_t first_, last_ = 0;  // blocks of first_ to last_ columns
  std::vector<Segments> segments_;  // of each width to try
  SizesByBlock sizes_;              // by block, at the first width, as if no lane of a chunk paused
  std::map<std::pair<std::size_t, std::uint32_t>, LayoutSize> other_sizes_;  // by place in segments_, and block
};

/// Errors: not_applicable where a layout holds too many slots, or a chunk too many steps.
[[nodiscard]] Status check_size(const Csr<Viewed>& a, const BlockLayout& layout);

/// The layout that the parameters ask for, or the one with the least traffic. Errors: not_applicable, usage.
[[nodiscard]] Result<BlockLayout> choose_layout(const Csr<Viewed>& a, const Params& params);

}  // namespace spress::amb
