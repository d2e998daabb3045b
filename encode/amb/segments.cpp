#include "encode/amb/segments.hpp"

namespace spress::amb {
namespace {

std::vector<std::uint64_t> entries_by_column(const Csr<Viewed>& a) {
  std::vector<std::uint64_t> entries(a.cols, 0);
  for (const std::uint32_t col : a.col_idx) ++entries[col];
  return entries;
}

}  // namespace

Segments Segments::of_entries(const Csr<Viewed>& a, std::uint32_t width) {
  const std::uint64_t count = parts_of(a.cols, width), each = parts_of(a.nnz, std::max<std::uint64_t>(count, 1));
  std::vector<std::uint64_t> begins = {0};
  std::uint64_t col = 0, before = 0;
  for (const std::uint64_t entries : entries_by_column(a)) {
    ++col;
    before += entries;
    const bool room = col - begins.back() >= largest_block && a.cols - col >= largest_block;
    if (room && begins.size() < count && before >= begins.size() * each) begins.push_back(col);
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
