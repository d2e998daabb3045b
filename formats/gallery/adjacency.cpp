#include "formats/gallery/adjacency.hpp"

namespace spress::gallery {

Adjacency transposed(const Adjacency& lists, std::uint64_t n) {
  Adjacency out;
  out.start.assign(n + 1, 0);
  for (const auto id : lists.ids) ++out.start[id + 1];
  for (std::uint64_t j = 0; j < n; ++j) out.start[j + 1] += out.start[j];
  out.ids.resize(lists.ids.size());
  std::vector<std::uint64_t> next(out.start.begin(), out.start.end() - 1);
  for (std::uint64_t i = 0; i < lists.size(); ++i)
    for (const auto id : lists.of(i)) out.ids[next[id]++] = static_cast<std::uint32_t>(i);
  return out;
}

}  // namespace spress::gallery
