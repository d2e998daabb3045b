#include "encode/amb/segments.hpp"

namespace spress::amb {
namespace {

/// The columns of about a million entries, or of all.
std::vector<std::uint32_t> sampled_columns(const Csr<Viewed>& a) {
  std::vector<std::uint32_t> cols;
  for (std::uint64_t k = 0; k < a.nnz; k += a.nnz / (1u << 20) + 1) cols.push_back(a.col_idx[k]);
  return cols;
}

}  // namespace

Segments Segments::of_entries(const Csr<Viewed>& a, std::uint32_t width) {
  const std::uint64_t count = parts_of(a.cols, width);
  std::vector<std::uint32_t> cols = count > 1 ? sampled_columns(a) : std::vector<std::uint32_t>{};
  std::vector<std::uint64_t> begins = {0};
  auto sorted = cols.begin();  // before it stand the least columns
  for (std::uint64_t s = 1; s < count && !cols.empty(); ++s) {
    const auto last = cols.begin() + static_cast<std::ptrdiff_t>(parts_of(s * cols.size(), count) - 1);
    if (last >= sorted) std::nth_element(sorted, last, cols.end());
    sorted = std::max(sorted, last + 1);
    const std::uint64_t behind = *last + std::uint64_t{1};
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
