#include "pipeline/solve/definite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spress::pipeline {
namespace {

Error unfit(std::string why) { return {ErrorCode::not_applicable, std::move(why), {}, 0}; }

/// The entries of a matrix, looked up.
template <class Position, class Values>
struct Entries {
  std::uint64_t rows;
  const Position* row_ptr;
  const std::uint32_t* col_idx;
  Values values;

  /// The value at (r, c), 0 where there is no entry.
  [[nodiscard]] auto at(std::uint64_t r, std::uint64_t c) const {
    const auto* end = col_idx + row_ptr[r + 1];
    const auto* found = std::lower_bound(col_idx + row_ptr[r], end, c);
    const bool present = found != end && *found == c;
    return present ? values[static_cast<std::uint64_t>(found - col_idx)] : decltype(values[0])(0);
  }
};

/// use(entries) for a matrix whose values T can read.
template <class T, class Use>
void with_entries(const Csr<Viewed>& a, const Use& use) {
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    with_accessor<T>(a.values, [&](auto values) {
      use(Entries<std::remove_cvref_t<decltype(*row_ptr)>, decltype(values)>{a.rows, row_ptr, a.col_idx.data(),
                                                                             values});
    });
  });
}

/// The first row r for which bad(r), or `rows`.
template <class Bad>
std::uint64_t first_row(std::uint64_t rows, const Bad& bad) {
  std::uint64_t first = rows;
#pragma omp parallel for schedule(static) reduction(min : first) if (rows > 4096)
  for (std::uint64_t r = 0; r < rows; ++r)
    if (r < first && bad(r)) first = r;
  return first;
}

/// The first entry k of row r for which bad(k), or the row's end.
template <class Position, class Values, class Bad>
std::uint64_t first_entry(const Entries<Position, Values>& a, std::uint64_t r, const Bad& bad) {
  std::uint64_t k = a.row_ptr[r];
  while (k < a.row_ptr[r + 1] && !bad(k)) ++k;
  return k;
}

template <class Position, class Values>
struct Symmetry {
  const Entries<Position, Values>& a;
  std::vector<double> diagonal_root;  ///< sqrt(|a_rr|)

  explicit Symmetry(const Entries<Position, Values>& entries) : a(entries), diagonal_root(entries.rows) {
    for (std::uint64_t r = 0; r < a.rows; ++r) diagonal_root[r] = std::sqrt(std::abs(a.at(r, r)));
  }
  /// True where entry k of row r has no equal across the diagonal.
  [[nodiscard]] bool broken(std::uint64_t r, std::uint64_t k) const {
    const std::uint64_t c = a.col_idx[k];
    const double here = a.values[k], there = a.at(c, r);
    const double scale = std::max({std::abs(here), std::abs(there), diagonal_root[r] * diagonal_root[c]});
    return !(std::abs(here - there) <= 0x1p-40 * scale);
  }
  [[nodiscard]] Status check() const {
    const auto first_broken = [this](std::uint64_t r) {
      return first_entry(a, r, [&](std::uint64_t k) { return broken(r, k); });
    };
    const std::uint64_t r =
        first_row(a.rows, [&](std::uint64_t row) { return first_broken(row) < a.row_ptr[row + 1]; });
    if (r == a.rows) return Ok{};
    const std::uint64_t k = first_broken(r), c = a.col_idx[k];
    return unfit(
        fmt::format("conjugate gradient needs a symmetric matrix, but entry ({0}, {1}) is {2} and ({1}, {0}) "
                    "is {3} (rows and columns from 1)",
                    r + 1, c + 1, a.values[k], a.at(c, r)));
  }
};

}  // namespace

template <class T>
Status check_finite(const Csr<Viewed>& a) {
  Status status = Ok{};
  with_entries<T>(a, [&](const auto& entries) {
    const auto infinite = [&](std::uint64_t r) {
      return first_entry(entries, r, [&](std::uint64_t k) { return !std::isfinite(entries.values[k]); });
    };
    const std::uint64_t r =
        first_row(a.rows, [&](std::uint64_t row) { return infinite(row) < entries.row_ptr[row + 1]; });
    if (r == a.rows) return;
    const std::uint64_t k = infinite(r);
    status = unfit(fmt::format("entry ({}, {}) is {}: every value must be finite (rows and columns from 1)", r + 1,
                               a.col_idx[k] + 1, entries.values[k]));
  });
  return status;
}
template Status check_finite<float>(const Csr<Viewed>&);
template Status check_finite<double>(const Csr<Viewed>&);

Status check_symmetric(const Csr<Viewed>& a) {
  if (a.rows != a.cols)
    return unfit(fmt::format("conjugate gradient needs a square matrix, and this one is {} x {}", a.rows, a.cols));
  if (!readable_as<double>(a.values))
    return Error{ErrorCode::unsupported, "conjugate gradient takes real values only, and these are complex", {}, 0};
  SPRESS_CHECK(check_finite<double>(a));
  Status status = Ok{};
  with_entries<double>(a, [&](const auto& entries) { status = Symmetry(entries).check(); });
  return status;
}

template <class T>
Result<std::vector<T>> inverse_diagonal(const Csr<Viewed>& a) {
  std::vector<T> inverse(a.rows);
  Status status = Ok{};
  with_entries<T>(a, [&](const auto& entries) {
    const auto bad = [&](std::uint64_t r) {
      inverse[r] = T(1) / entries.at(r, r);
      return !(inverse[r] > 0 && std::isfinite(inverse[r]));
    };
    const std::uint64_t r = first_row(a.rows, bad);
    if (r < a.rows)
      status =
          unfit(fmt::format("the Jacobi preconditioner needs a diagonal above 0, and that of row {} is {} (rows "
                            "from 1)",
                            r + 1, entries.at(r, r)));
  });
  SPRESS_CHECK(status);
  return inverse;
}
template Result<std::vector<float>> inverse_diagonal<float>(const Csr<Viewed>&);
template Result<std::vector<double>> inverse_diagonal<double>(const Csr<Viewed>&);

}  // namespace spress::pipeline
