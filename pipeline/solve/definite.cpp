#include "pipeline/solve/definite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spress::pipeline {
namespace {

Error unfit(std::string why) { return {ErrorCode::not_applicable, std::move(why)}; }

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

/// Numbers of rows and columns in the whole matrix, from 1.
struct Numbering {
  const MatrixPart* part;

  [[nodiscard]] std::uint64_t row(std::uint64_t r) const { return (part == nullptr ? 0 : part->first_row()) + r + 1; }
  [[nodiscard]] std::uint64_t column(std::uint64_t c) const { return (part == nullptr ? c : part->column(c)) + 1; }
};

Status agreed(const MatrixPart* part, const Status& status) {
  return part == nullptr ? status : part->ranks().agree(status);
}

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

/// An entry that another rank has, as it is sent to the rank of its column.
struct SentEntry {
  std::uint32_t row, column;  ///< of the whole matrix
  double value, diagonal_root;
};

bool differ(double here, double there, double diagonal) {
  const double scale = std::max({std::abs(here), std::abs(there), diagonal});
  return !(std::abs(here - there) <= 0x1p-40 * scale);
}

Error unsymmetric(std::uint64_t row, std::uint64_t column, double here, double there) {
  return unfit(
      fmt::format("conjugate gradient needs a symmetric matrix, but entry ({0}, {1}) is {2} and ({1}, {0}) "
                  "is {3} (rows and columns from 1)",
                  row, column, here, there));
}

template <class Position, class Values>
struct Symmetry {
  const Entries<Position, Values>& a;
  Numbering names;
  std::vector<double> diagonal_root;  ///< sqrt(|a_rr|)

  Symmetry(const Entries<Position, Values>& entries, const MatrixPart* part)
      : a(entries), names{part}, diagonal_root(entries.rows) {
    for (std::uint64_t r = 0; r < a.rows; ++r) diagonal_root[r] = std::sqrt(std::abs(a.at(r, r)));
  }
  /// True where entry k of row r has no equal across the diagonal. An entry of a ghost is looked for elsewhere.
  [[nodiscard]] bool broken(std::uint64_t r, std::uint64_t k) const {
    const std::uint64_t c = a.col_idx[k];
    return c < a.rows && differ(a.values[k], a.at(c, r), diagonal_root[r] * diagonal_root[c]);
  }
  [[nodiscard]] Status check() const {
    const auto first_broken = [this](std::uint64_t r) {
      return first_entry(a, r, [&](std::uint64_t k) { return broken(r, k); });
    };
    const std::uint64_t r =
        first_row(a.rows, [&](std::uint64_t row) { return first_broken(row) < a.row_ptr[row + 1]; });
    if (r == a.rows) return Ok{};
    const std::uint64_t k = first_broken(r), c = a.col_idx[k];
    return unsymmetric(names.row(r), names.column(c), a.values[k], a.at(c, r));
  }

  /// Each rank sends entries of ghosts to the rank that must have them too.
  [[nodiscard]] Status check_ghosts() const {
    for (const auto& of_rank : exchanged())
      for (const SentEntry& e : of_rank) {
        const std::uint64_t r = e.column + 1 - names.row(0);
        const auto ghosts = names.part->ghosts();
        const auto place = std::lower_bound(ghosts.begin(), ghosts.end(), e.row);
        const bool known = place != ghosts.end() && *place == e.row;
        const double here = known ? a.at(r, a.rows + static_cast<std::uint64_t>(place - ghosts.begin())) : 0;
        if (differ(here, e.value, diagonal_root[r] * e.diagonal_root))
          // As one process, which meets the smaller row first, if there is such an entry.
          return here != 0 && e.column < e.row ? unsymmetric(e.column + 1, e.row + 1, here, e.value)
                                               : unsymmetric(e.row + 1, e.column + 1, e.value, here);
      }
    return Ok{};
  }

  /// The entries of each other rank in the columns of this one.
  [[nodiscard]] std::vector<std::vector<SentEntry>> exchanged() const {
    const RankCut& cut = names.part->elements();
    std::vector<std::vector<SentEntry>> sent(static_cast<std::size_t>(names.part->ranks().size()));
    for (std::uint64_t r = 0; r < a.rows; ++r)
      for (std::uint64_t k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
        if (a.col_idx[k] < a.rows) continue;
        const auto column = static_cast<std::uint32_t>(names.column(a.col_idx[k]) - 1);
        const auto behind = std::upper_bound(cut.first.begin(), cut.first.end(), column);
        sent[static_cast<std::size_t>(behind - cut.first.begin()) - 1].push_back(
            {static_cast<std::uint32_t>(names.row(r) - 1), column, a.values[k], diagonal_root[r]});
      }
    return names.part->ranks().exchange(std::move(sent));
  }
};

}  // namespace

template <class T>
Status check_finite(const Csr<Viewed>& a, const MatrixPart* part) {
  const Numbering names{part};
  Status status = Ok{};
  with_entries<T>(a, [&](const auto& entries) {
    const auto infinite = [&](std::uint64_t r) {
      return first_entry(entries, r, [&](std::uint64_t k) { return !std::isfinite(entries.values[k]); });
    };
    const std::uint64_t r =
        first_row(a.rows, [&](std::uint64_t row) { return infinite(row) < entries.row_ptr[row + 1]; });
    if (r == a.rows) return;
    const std::uint64_t k = infinite(r);
    status = unfit(fmt::format("entry ({}, {}) is {}: every value must be finite (rows and columns from 1)",
                               names.row(r), names.column(a.col_idx[k]), entries.values[k]));
  });
  return agreed(part, status);
}
template Status check_finite<float>(const Csr<Viewed>&, const MatrixPart*);
template Status check_finite<double>(const Csr<Viewed>&, const MatrixPart*);

Status check_symmetric(const Csr<Viewed>& a, const MatrixPart* part) {
  const std::uint64_t rows = part == nullptr ? a.rows : part->all_rows();
  const std::uint64_t cols = part == nullptr ? a.cols : part->all_columns();
  if (rows != cols)
    return unfit(fmt::format("conjugate gradient needs a square matrix, and this one is {} x {}", rows, cols));
  if (!readable_as<double>(a.values))
    return Error{ErrorCode::unsupported, "conjugate gradient takes real values only, and these are complex"};
  SPRESS_CHECK(check_finite<double>(a, part));
  Status status = Ok{};
  with_entries<double>(a, [&](const auto& entries) {
    const Symmetry symmetry(entries, part);
    status = symmetry.check();
    if (part == nullptr) return;
    const Status ghosts = symmetry.check_ghosts();
    if (status.ok()) status = ghosts;
  });
  return agreed(part, status);
}

template <class T>
Result<std::vector<T>> inverse_diagonal(const Csr<Viewed>& a, const MatrixPart* part) {
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
                            Numbering{part}.row(r), entries.at(r, r)));
  });
  SPRESS_CHECK(agreed(part, status));
  return inverse;
}
template Result<std::vector<float>> inverse_diagonal<float>(const Csr<Viewed>&, const MatrixPart*);
template Result<std::vector<double>> inverse_diagonal<double>(const Csr<Viewed>&, const MatrixPart*);

}  // namespace spress::pipeline
