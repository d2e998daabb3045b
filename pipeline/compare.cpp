#include "pipeline/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

namespace spress::pipeline {
namespace {

std::string_view type_text(ValueType type) {
  return type == ValueType::none ? "no values (a pattern)" : enum_name(type);
}

std::optional<std::string> other_kind(const Csr<Viewed>& a, const Csr<Viewed>& b) {
  if (a.rows != b.rows || a.cols != b.cols) return fmt::format("{} x {} and {} x {}", a.rows, a.cols, b.rows, b.cols);
  if (a.values.type != b.values.type)
    return fmt::format("values of type {} and {}", type_text(a.values.type), type_text(b.values.type));
  return std::nullopt;
}

/// The raw values of a matrix.
struct Values {
  const std::uint8_t* bytes;
  std::size_t width;  // 0 for a pattern

  explicit Values(const Csr<Viewed>& a)
      : bytes(static_cast<const std::uint8_t*>(a.values.codes.raw())),
        width(a.values.type == ValueType::none ? 0 : size_of(a.values.type)) {}

  [[nodiscard]] std::complex<double> at(std::uint64_t k) const {
    if (width == sizeof(float)) {
      float single;
      std::memcpy(&single, bytes + k * width, width);
      return single;
    }
    double parts[2] = {};
    std::memcpy(parts, bytes + k * width, width);
    return {parts[0], parts[1]};
  }
  [[nodiscard]] std::string text(std::uint64_t k) const {
    const auto v = at(k);
    if (width == 0) return "an entry";
    return width <= sizeof(double) ? fmt::format("{}", v.real()) : fmt::format("({}, {})", v.real(), v.imag());
  }
};

class Comparison {
 public:
  Comparison(const Csr<Viewed>& a, const Csr<Viewed>& b) : a_(a), b_(b), of_a_(a), of_b_(b) {}

  std::optional<Difference> run() {
    if (of_a_.width != 0) out_.largest = 0;
    for (std::uint64_t row = 0; row < a_.rows; ++row) compare_row(row);
    if (out_.entries == 0) return std::nullopt;
    return std::move(out_);
  }

 private:
  void compare_row(std::uint64_t row) {
    std::uint64_t i = a_.row_ptr.position(row), j = b_.row_ptr.position(row);
    const std::uint64_t a_end = a_.row_ptr.position(row + 1), b_end = b_.row_ptr.position(row + 1);
    while (i < a_end || j < b_end) {
      const bool in_a = i < a_end && (j == b_end || a_.col_idx[i] <= b_.col_idx[j]);
      const bool in_b = j < b_end && (i == a_end || b_.col_idx[j] <= a_.col_idx[i]);
      compare_entry(row, in_a ? a_.col_idx[i] : b_.col_idx[j], in_a ? &i : nullptr, in_b ? &j : nullptr);
      i += in_a ? 1 : 0;
      j += in_b ? 1 : 0;
    }
  }

  /// Whether an entry of a and one of b have the same bits.
  [[nodiscard]] bool same(std::uint64_t i, std::uint64_t j) const {
    const std::size_t width = of_a_.width;
    return width == 0 || std::memcmp(of_a_.bytes + i * width, of_b_.bytes + j * width, width) == 0;
  }

  /// i, j: where the entry stands in a and b; null where it is missing.
  void compare_entry(std::uint64_t row, std::uint64_t column, const std::uint64_t* i, const std::uint64_t* j) {
    if (i != nullptr && j != nullptr && same(*i, *j)) return;
    if (of_a_.width != 0) {
      const double apart = std::abs((i != nullptr ? of_a_.at(*i) : 0) - (j != nullptr ? of_b_.at(*j) : 0));
      // A NaN is further from anything than all numbers are.
      if (!std::isnan(*out_.largest) && !(apart <= *out_.largest)) out_.largest = apart;
    }
    if (out_.entries++ == 0)
      out_.first = fmt::format("row {}, column {}: {} and {}", row + 1, column + 1,
                               i != nullptr ? of_a_.text(*i) : "no entry", j != nullptr ? of_b_.text(*j) : "no entry");
  }

  const Csr<Viewed>& a_;
  const Csr<Viewed>& b_;
  Values of_a_, of_b_;
  Difference out_;
};

}  // namespace

std::optional<Difference> difference(const Csr<Viewed>& a, const Csr<Viewed>& b) {
  if (auto other = other_kind(a, b)) return Difference{std::move(*other), 0, std::nullopt};
  return Comparison(a, b).run();
}

}  // namespace spress::pipeline
