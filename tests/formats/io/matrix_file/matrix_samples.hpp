// Matrices for the tests of container version 2: shapes, types, and each way in which one triangle gives the other.
#pragma once

#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "formats/io/matrix_file/triangle/fold.hpp"
#include "tests/formats/io/container/container_samples.hpp"

namespace spress::io::samples {

struct Folded {
  std::string name;
  Fold fold;
  Csr<Owned> csr;
};

/// A symmetric pattern like that of a mesh, with `per_row` entries on each side, and diagonal entries in most rows.
inline Places symmetric_places(std::uint32_t n, std::uint32_t per_row) {
  std::mt19937_64 random(7);
  Places places;
  for (std::uint32_t r = 0; r < n; ++r) {
    if (r % 7 != 3) places.emplace(r, r);
    for (std::uint32_t k = 0; k < per_row; ++k) {
      const auto c = static_cast<std::uint32_t>((r + 1 + random() % 9) % n);
      places.emplace(r, c);
      places.emplace(c, r);
    }
  }
  return places;
}

/// A grid of cells, each joined to the eight around it, numbered at random.
inline Places shuffled_grid(std::uint32_t side) {
  std::vector<std::uint32_t> number(side * side);
  std::iota(number.begin(), number.end(), 0u);
  std::mt19937_64 random(8);
  for (std::size_t i = number.size(); i > 1; --i) std::swap(number[i - 1], number[random() % i]);
  Places places;
  for (std::uint32_t y = 0; y + 1 < side; ++y)
    for (std::uint32_t x = 0; x + 1 < side; ++x)
      for (const std::uint32_t a : {y * side + x, y * side + x + 1, (y + 1) * side + x, (y + 1) * side + x + 1})
        for (const std::uint32_t b : {y * side + x, y * side + x + 1, (y + 1) * side + x, (y + 1) * side + x + 1})
          places.emplace(number[a], number[b]);
  return places;
}

/// Rows that repeat most of one of the three before, more of them than columns. Some are empty.
inline Places alike_rows(std::uint32_t rows, std::uint32_t cols) {
  std::mt19937_64 random(9);
  std::vector<std::set<std::uint32_t>> all(rows);
  Places places;
  for (std::uint32_t r = 0; r < rows; ++r) {
    if (r % 50 == 7) continue;
    if (r >= 3) all[r] = all[r - 1 - random() % 3];
    while (all[r].size() > 9)
      all[r].erase(std::next(all[r].begin(), static_cast<std::ptrdiff_t>(random() % all[r].size())));
    for (const std::size_t wanted = 10 + random() % 3; all[r].size() < wanted;)
      all[r].insert(static_cast<std::uint32_t>(random() % cols));
    for (const std::uint32_t c : all[r]) places.emplace(r, c);
  }
  return places;
}

/// Patterns that levels from 3 on copy from other rows.
inline std::vector<Scenario> copied_scenarios() {
  return {{"grid", 2500, 2500, shuffled_grid(50)}, {"alike", 2400, 700, alike_rows(2400, 700)}};
}

/// The value above the diagonal for the one at `place` below.
template <class T>
T above(T below, Fold fold, std::size_t place) {
  if (fold == Fold::pattern) return T(static_cast<double>(place) / 3);
  if constexpr (std::is_same_v<T, double>) {
    return fold == Fold::skew ? negated_bits(below) : below;
  } else {
    if (fold == Fold::skew) return {negated_bits(below.real()), negated_bits(below.imag())};
    return fold == Fold::hermitian ? T(below.real(), negated_bits(below.imag())) : below;
  }
}

template <class T>
Csr<Owned> with_fold(const Scenario& scenario, Fold fold) {
  Csr<Owned> a = csr_of(scenario, values_of(value_type_of<T>, scenario.places.size()));
  T* values = a.values.codes.template as<T>();
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> places(scenario.places.begin(), scenario.places.end());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto [r, c] = places[k];
    if (c <= r) continue;
    const auto below = std::lower_bound(places.begin(), places.end(), std::pair(c, r)) - places.begin();
    values[k] = above(values[below], fold, k);
  }
  return a;
}

/// A symmetric pattern of complex values, of which whole rows repeat those of others: a table holds too many of them.
inline Csr<Owned> repeating_matrix() {
  const Scenario mesh = {"mesh", 230, 230, symmetric_places(230, 3)};
  Csr<Owned> a = csr_of(mesh, values_of(ValueType::c128, mesh.places.size()));
  auto* values = a.values.codes.as<std::complex<double>>();
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> noise(-1, 1);
  const std::uint64_t half = a.nnz / 2;
  for (std::uint64_t k = 0; k < half; ++k) values[k] = {noise(random), noise(random)};
  for (std::uint64_t k = half; k < a.nnz; ++k) values[k] = values[k - half];
  return a;
}

/// Values that depend on the column of their entry: few of them, or one of its own in each column.
template <class T>
Csr<Owned> by_columns(const Scenario& scenario, std::uint32_t few) {
  Csr<Owned> a = csr_of(scenario, values_of(value_type_of<T>, scenario.places.size()));
  T* values = a.values.codes.template as<T>();
  std::size_t k = 0;
  for (const auto& [r, c] : scenario.places) values[k++] = T(few == 0 ? std::sqrt(c + 2.0) : 1.0 + c * 7 % few);
  return a;
}

/// Matrices whose values, or those up to the diagonal, files hold column after column.
inline std::vector<Folded> column_matrices() {
  std::mt19937_64 random(4);
  Places scattered;
  while (scattered.size() < 4000) scattered.emplace(random() % 300, random() % 5000 % (1 + random() % 5000));
  const Scenario wide = {"wide", 300, 5000, scattered};
  const Scenario mesh = {"mesh", 400, 400, symmetric_places(400, 6)};
  return {{"few", Fold::none, by_columns<double>(wide, 90)},
          {"own", Fold::none, by_columns<double>(wide, 0)},
          {"complex", Fold::none, by_columns<std::complex<double>>(wide, 0)},
          {"folded", Fold::pattern, by_columns<double>(mesh, 0)},
          {"folded complex", Fold::pattern, by_columns<std::complex<double>>(mesh, 0)}};
}

inline std::vector<Folded> folded_matrices() {
  const Scenario mesh = {"mesh", 230, 230, symmetric_places(230, 3)};
  std::vector<Folded> out;
  for (const Fold fold : {Fold::symmetric, Fold::skew, Fold::pattern})
    out.push_back({"double", fold, with_fold<double>(mesh, fold)});
  for (const Fold fold : {Fold::symmetric, Fold::skew, Fold::hermitian, Fold::pattern})
    out.push_back({"complex", fold, with_fold<std::complex<double>>(mesh, fold)});
  out.push_back({"pattern", Fold::symmetric, csr_of(mesh, pattern_store(mesh.places.size()))});
  return out;
}

}  // namespace spress::io::samples
