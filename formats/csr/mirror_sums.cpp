#include "formats/csr/mirror_sums.hpp"

#include <random>

#include "formats/core/threads.hpp"
#include "formats/values/distinct.hpp"

namespace spress {

MirrorSums::MirrorSums(Mirror mirror) : mirror_(mirror), keys_{} {
  std::random_device random;
  for (std::uint64_t& key : keys_) key = std::uint64_t{random()} << 32 | random();
}

/// hash_value(hash, k, above): the hash of a place to that of the place and the value of entry k.
template <class HashValue>
void MirrorSums::add_entries(const RowPanel& panel, const HashValue& hash_value) {
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
        const bool above = c > r;
        const std::uint64_t pair = above ? r << 32 | c : c << 32 | r;
        const std::uint64_t one = hash_value(hash_bits(pair ^ keys_[0]), k, above);
        const std::uint64_t other = hash_value(hash_bits(pair ^ keys_[1]), k, above);
        first_sum += above ? one : 0 - one;
        second_sum += above ? other : 0 - other;
      }
    }
  });
  sums_[0] += first_sum;
  sums_[1] += second_sum;
}

void MirrorSums::add(const RowPanel& panel) {
  const ValueStore<Viewed>& values = panel.csr.values;
  const auto sign_of = [](bool flips) { return std::uint64_t{flips} << 63; };
  if (mirror_ == Mirror::pattern || values.type == ValueType::none)
    return add_entries(panel, [](std::uint64_t hash, std::uint64_t, bool) { return hash; });
  if (values.type == ValueType::c128) {
    const auto* bits = reinterpret_cast<const Bytes16*>(values.codes.raw());
    return add_entries(panel, [&](std::uint64_t hash, std::uint64_t k, bool above) {
      const std::uint64_t real = bits[k].low ^ sign_of(above && mirror_ == Mirror::skew);
      const std::uint64_t imaginary = bits[k].high ^ sign_of(above && mirror_ != Mirror::symmetric);
      return hash_bits(hash_bits(hash ^ real) ^ imaginary);
    });
  }
  const auto* bits = reinterpret_cast<const std::uint64_t*>(values.codes.raw());
  add_entries(panel, [&](std::uint64_t hash, std::uint64_t k, bool above) {
    return hash_bits(hash ^ bits[k] ^ sign_of(above && mirror_ == Mirror::skew));
  });
}

}  // namespace spress
