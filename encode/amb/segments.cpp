#include "encode/amb/segments.hpp"

namespace spress::amb {
namespace {

/// The columns of about a million entries, or of all.
std::vector<std::uint32_t> sampled_columns(const Csr<Viewed>& a) {
  std::vector<std::uint32_t> cols;
  for (std::uint64_t k = 0; k < a.nnz; k += a.nnz / (1u << 20) + 1) cols.push_back(a.col_idx[k]);
  return cols;
}

/// Puts columns where sorting would put them, at the places place(s) of s in [first, last), which never fall.
/// [begin, end): the places that are open yet. Complexity: linear for each halving of [first, last).
template <class Place>
void select(std::vector<std::uint32_t>& cols, std::uint64_t begin, std::uint64_t end, std::uint64_t first,
            std::uint64_t last, const Place& place) {
  if (first == last || begin == end) return;
  const std::uint64_t middle = first + (last - first) / 2, at = place(middle);
  const auto from = [&](std::uint64_t k) { return cols.begin() + static_cast<std::ptrdiff_t>(k); };
  if (begin <= at && at < end) std::nth_element(from(begin), from(at), from(end));
  select(cols, begin, std::clamp(at, begin, end), first, middle, place);
  select(cols, std::clamp(at + 1, begin, end), end, middle + 1, last, place);
}

}  // namespace

Segments Segments::of_entries(const Csr<Viewed>& a, std::uint32_t width) {
  const std::uint64_t count = parts_of(a.cols, width);
  std::vector<std::uint32_t> cols = count > 1 ? sampled_columns(a) : std::vector<std::uint32_t>{};
  const auto last_of = [&](std::uint64_t s) { return parts_of(s * cols.size(), count) - 1; };
  if (!cols.empty()) select(cols, 0, cols.size(), 1, count, last_of);
  std::vector<std::uint64_t> begins = {0};
  for (std::uint64_t s = 1; s < count && !cols.empty(); ++s) {
    const std::uint64_t behind = cols[last_of(s)] + std::uint64_t{1};
    const std::uint64_t begin = std::max(behind, begins.back() + largest_block);
    if (begin + largest_block > a.cols) break;
    begins.push_back(begin);
  }
  if (a.cols > 0) begins.push_back(a.cols);
  return {a.cols, width, std::move(begins)};
}

std::uint64_t Segments::narrowest() const {
  std::uint64_t least = cols_ == 0 ? 1 : cols_;
  for (std::uint64_t s = 0; s < count(); ++s) least = std::min(least, begin(s + 1) - begin(s));
  return least;
}

Segments segments_of(const Csr<Viewed>& a, const Params& params, std::uint32_t width) {
  return params.equal == EqualSegments::entries ? Segments::of_entries(a, width) : Segments::of_columns(a.cols, width);
}

}  // namespace spress::amb
