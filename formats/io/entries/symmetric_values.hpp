// The value at (j, i) that a symmetry gives for the value at (i, j).
#pragma once

#include <bit>
#include <complex>
#include <cstdint>

#include "formats/core/matrix.hpp"

namespace spress::io {

/// The value of a pattern: none.
struct NoValue {
  bool operator==(const NoValue&) const = default;
};

/// Gives the value at (j, i) for the value at (i, j).
template <Symmetry S>
class MirrorValue {
 public:
  explicit MirrorValue(Field field) : zero_(field == Field::integer ? 0.0 : -0.0) {}

  NoValue operator()(NoValue value) const { return value; }
  double operator()(double value) const { return S == Symmetry::skew_symmetric ? negated(value) : value; }
  std::complex<double> operator()(std::complex<double> value) const {
    if constexpr (S == Symmetry::skew_symmetric) return {negated(value.real()), negated(value.imag())};
    if constexpr (S == Symmetry::hermitian) return {value.real(), negated(value.imag())};
    return value;
  }

 private:
  /// Text has only one NaN, so its mirror is itself; an integer zero has no sign.
  [[nodiscard]] double negated(double value) const { return value == value ? zero_ - value : value; }
  double zero_;
};

[[nodiscard]] inline bool same_bits(NoValue, NoValue) { return true; }
[[nodiscard]] inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
[[nodiscard]] inline bool same_bits(std::complex<double> a, std::complex<double> b) {
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}

/// Calls use.template operator()<S>() with the symmetry as a constant.
template <class Use>
decltype(auto) with_symmetry(Symmetry symmetry, Use&& use) {
  switch (symmetry) {
    case Symmetry::symmetric: return use.template operator()<Symmetry::symmetric>();
    case Symmetry::skew_symmetric: return use.template operator()<Symmetry::skew_symmetric>();
    case Symmetry::hermitian: return use.template operator()<Symmetry::hermitian>();
    default: return use.template operator()<Symmetry::general>();
  }
}

/// Calls use(V{}) with the type of the values of a field.
template <class Use>
decltype(auto) with_value_type(Field field, Use&& use) {
  if (field == Field::pattern) return use(NoValue{});
  if (field == Field::complex) return use(std::complex<double>{});
  return use(double{});
}

/// Calls use(V{}) with the type of raw values.
template <class Use>
decltype(auto) with_value_type(ValueType type, Use&& use) {
  if (type == ValueType::none) return use(NoValue{});
  if (type == ValueType::c128) return use(std::complex<double>{});
  return use(double{});
}

}  // namespace spress::io
