#include "formats/io/matrix_file/triangle/fold.hpp"

#include <atomic>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/io/entries/mirrored_pairs.hpp"

namespace spress::io {
namespace {

/// The folds that still hold.
struct Holding {
  bool symmetric = true, skew = true, hermitian = true;

  void compare(double below, double above) {
    const auto a = std::bit_cast<std::uint64_t>(below), b = std::bit_cast<std::uint64_t>(above);
    symmetric &= a == b;
    skew &= a == std::bit_cast<std::uint64_t>(negated_bits(above));
    hermitian &= a == b;
  }
  void compare(std::complex<double> below, std::complex<double> above) {
    Holding real, imaginary;
    real.compare(below.real(), above.real());
    imaginary.compare(below.imag(), above.imag());
    symmetric &= real.symmetric && imaginary.symmetric;
    skew &= real.skew && imaginary.skew;
    hermitian &= real.symmetric && imaginary.skew;
  }
  void merge(const Holding& other) {
    symmetric &= other.symmetric;
    skew &= other.skew;
    hermitian &= other.hermitian;
  }
  [[nodiscard]] Fold best() const {
    return symmetric ? Fold::symmetric : skew ? Fold::skew : hermitian ? Fold::hermitian : Fold::pattern;
  }
};

/// Each thread compares the entries of a part of the rows.
template <class P, class V>
Fold fold_of(const Csr<Viewed>& a, const P* row_ptr, const V* values, int threads) {
  const auto parts = row_parts(row_ptr, a.rows, a.col_idx.data(), threads_worth(threads, a.nnz));
  std::vector<Holding> holding(parts.size());
  std::atomic<std::uint64_t> named = 0;
  std::atomic<bool> fails = false;
  run_on_threads(static_cast<int>(parts.size()), [&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    Holding mine;
    const auto found = for_mirrored_pairs_of(
        parts[t], a, row_ptr, [](std::uint64_t) { return true; },
        [&](std::uint64_t below, std::uint64_t above) {
          if (values != nullptr) mine.compare(values[below], values[above]);
          return !fails.load(std::memory_order_relaxed);
        });
    holding[t] = mine;
    if (found)
      named += *found;
    else
      fails = true;
  });
  if (named != a.nnz) return Fold::none;
  for (const Holding& other : holding) holding.front().merge(other);
  return holding.front().best();
}

}  // namespace

Fold fold_of(const Csr<Viewed>& a, int threads) {
  if (a.rows != a.cols) return Fold::none;
  return with_positions(a.row_ptr, [&](const auto* row_ptr) {
    if (a.values.type == ValueType::c128)
      return fold_of(a, row_ptr, a.values.codes.as<std::complex<double>>(), threads);
    return fold_of(a, row_ptr, a.values.type == ValueType::none ? nullptr : a.values.codes.as<double>(), threads);
  });
}

}  // namespace spress::io
