#include "reorder/core/symmetry.hpp"

#include <random>

#include "formats/core/threads.hpp"
#include "formats/values/distinct.hpp"

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

MirrorSums::MirrorSums() : keys_{} {
  std::random_device random;
  for (std::uint64_t& key : keys_) key = std::uint64_t{random()} << 32 | random();
}

void MirrorSums::add(const RowPanel& panel) {
  const Csr<Viewed>& a = panel.csr;
  std::uint64_t first_sum = 0, second_sum = 0;
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    const auto rows = static_cast<std::int64_t>(a.rows);
#pragma omp parallel for schedule(static) reduction(+ : first_sum, second_sum) if (walk_is_worth_threads(a.nnz))
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::uint64_t r = panel.first_row + static_cast<std::uint64_t>(i);
      for (std::uint64_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        const std::uint64_t c = a.col_idx[k];
        if (c == r) continue;
        const std::uint64_t pair = c < r ? c << 32 | r : r << 32 | c;
        const std::uint64_t one = hash_bits(pair ^ keys_[0]), other = hash_bits(pair ^ keys_[1]);
        first_sum += c < r ? 0 - one : one;
        second_sum += c < r ? 0 - other : other;
      }
    }
  });
  sums_[0] += first_sum;
  sums_[1] += second_sum;
}

PatternSides compare_sides(const Csr<Viewed>& a) {
  return with_positions(a.row_ptr, [&](const auto* row_ptr) { return compare(a, row_ptr); });
}

}  // namespace spress::reorder
