#include "formats/io/matrix_file/triangle/fold.hpp"

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
  [[nodiscard]] Fold best() const {
    return symmetric ? Fold::symmetric : skew ? Fold::skew : hermitian ? Fold::hermitian : Fold::pattern;
  }
};

}  // namespace

Fold fold_of(const Csr<Viewed>& a) {
  if (a.rows != a.cols) return Fold::none;
  return with_positions(a.row_ptr, [&](const auto* row_ptr) {
    Holding holding;
    const auto with = [&](const auto* values) {
      const auto compare = [&](std::uint64_t below, std::uint64_t above) {
        if (values != nullptr) holding.compare(values[below], values[above]);
        return true;
      };
      const auto any = [](std::uint64_t) { return true; };
      return for_mirrored_pairs(a, row_ptr, any, compare) ? holding.best() : Fold::none;
    };
    if (a.values.type == ValueType::c128) return with(a.values.codes.as<std::complex<double>>());
    return with(a.values.type == ValueType::none ? nullptr : a.values.codes.as<double>());
  });
}

}  // namespace spress::io
