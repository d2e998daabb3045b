#include "encode/amb/block_counts.hpp"

#include <cstring>

#include "formats/core/avx2.hpp"

namespace spress::amb {
namespace {

using Eight = std::int32_t __attribute__((vector_size(32)));

/// All block sizes at once and without branches: encoding spends most of its time here, and compilers make branches of
/// a loop over the sizes.
[[gnu::always_inline]] inline Counts count_portably(const std::uint32_t* cols, std::uint64_t n,
                                                    std::uint64_t first_col) {
  constexpr Eight small = {1, 2, 3, 4, 5, 6, 7, 8}, large = small + 8;
  Eight small_count = {}, large_count = {}, small_next = {}, large_next = {};  // next: the first column not covered
  for (std::uint64_t k = 0; k < n; ++k) {
    const auto col = static_cast<std::int32_t>(cols[k] - first_col);
    const Eight small_begins = small_next <= col, large_begins = large_next <= col;  // -1 where it is so
    small_count -= small_begins;
    large_count -= large_begins;
    small_next = (small_begins & (small + col)) | (~small_begins & small_next);
    large_next = (large_begins & (large + col)) | (~large_begins & large_next);
  }
  Counts counts;
  std::memcpy(counts.data(), &small_count, sizeof small_count);
  std::memcpy(counts.data() + 8, &large_count, sizeof large_count);
  return counts;
}

#ifdef SPRESS_AVX2
SPRESS_AVX2 Counts count_by_avx2(const std::uint32_t* cols, std::uint64_t n, std::uint64_t first_col) {
  return count_portably(cols, n, first_col);
}
#endif

}  // namespace

Counts count_all_blocks(const std::uint32_t* cols, std::uint64_t n, std::uint64_t first_col) {
#ifdef SPRESS_AVX2
  if (has_avx2()) return count_by_avx2(cols, n, first_col);
#endif
  return count_portably(cols, n, first_col);
}

}  // namespace spress::amb
