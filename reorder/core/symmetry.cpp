#include "reorder/core/symmetry.hpp"

#include "formats/core/threads.hpp"

namespace spress::reorder {
namespace {

/// Both halves of the product of two odd-looking factors.
std::uint64_t hash_of(std::uint32_t low, std::uint32_t high) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{low ^ std::uint64_t{0x9E3779B97F4A7C15}} * (high ^ std::uint64_t{0xD1B54A32D192ED03});
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

template <class Position>
PatternSides compare(const Csr<Viewed>& a, const Position* row_ptr) {
  std::uint64_t surplus = 0, diagonal = 0;
  const auto rows = static_cast<std::int64_t>(a.rows);
#pragma omp parallel for schedule(static) reduction(+ : surplus, diagonal) if (walk_is_worth_threads(a.nnz))
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto r = static_cast<std::uint32_t>(i);
    const std::uint32_t* c = a.col_idx.data() + row_ptr[i];
    const std::uint32_t* const end = a.col_idx.data() + row_ptr[i + 1];
    for (; c != end && *c < r; ++c) surplus -= hash_of(*c, r);
    if (c != end && *c == r) ++c, ++diagonal;
    for (; c != end; ++c) surplus += hash_of(r, *c);
  }
  return {surplus == 0, diagonal};
}

}  // namespace

PatternSides compare_sides(const Csr<Viewed>& a) {
  return with_positions(a.row_ptr, [&](const auto* row_ptr) { return compare(a, row_ptr); });
}

}  // namespace spress::reorder
