#include "formats/io/matrix_file/fold.hpp"

namespace spress::io {
namespace {

/// Which folds still hold.
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
  [[nodiscard]] Fold best() const {
    return symmetric ? Fold::symmetric : skew ? Fold::skew : hermitian ? Fold::hermitian : Fold::pattern;
  }
};

/// Rows ascend, so the entries of a row above the diagonal are called for in their order.
template <class P, class Compare>
bool is_symmetric_pattern(const Csr<Viewed>& a, const P* row_ptr, Compare compare) {
  HostArray<P> next_above(a.rows);
  for (std::uint64_t r = 0; r < a.rows; ++r) {
    P k = row_ptr[r];
    for (; k < row_ptr[r + 1] && a.col_idx[k] < r; ++k) {
      const std::uint32_t c = a.col_idx[k];
      const P above = next_above[c]++;
      if (above >= row_ptr[c + 1] || a.col_idx[above] != r) return false;
      compare(k, above);
    }
    if (k < row_ptr[r + 1] && a.col_idx[k] == r) ++k;
    next_above[r] = k;
  }
  for (std::uint64_t r = 0; r < a.rows; ++r)
    if (next_above[r] != row_ptr[r + 1]) return false;
  return true;
}

}  // namespace

Fold fold_of(const Csr<Viewed>& a) {
  if (a.rows != a.cols) return Fold::none;
  return with_positions(a.row_ptr, [&](const auto* row_ptr) {
    Holding holding;
    const auto with = [&](const auto* values) {
      const auto compare = [&](std::uint64_t below, std::uint64_t above) {
        if (values != nullptr) holding.compare(values[below], values[above]);
      };
      return is_symmetric_pattern(a, row_ptr, compare) ? holding.best() : Fold::none;
    };
    if (a.values.type == ValueType::c128) return with(a.values.codes.as<std::complex<double>>());
    return with(a.values.type == ValueType::none ? nullptr : a.values.codes.as<double>());
  });
}

}  // namespace spress::io
