// From rows to a matrix: the options that every generator takes, and the one place that fills CSR arrays.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "formats/core/params.hpp"
#include "formats/gallery/rows.hpp"

namespace spress::gallery {

enum class ValueChoice : std::uint8_t { natural, noise, few, decimal, pattern };

}  // namespace spress::gallery

template <>
struct spress::EnumNames<spress::gallery::ValueChoice> {
  static constexpr std::array<std::string_view, 5> names = {"natural", "noise", "few", "decimal", "pattern"};
};

namespace spress::gallery {

/// Options of every generator.
struct Common {
  ValueChoice values = ValueChoice::natural;
  std::uint64_t distinct = 256;
  std::uint64_t seed = 1;
  std::uint64_t shuffle = 0;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("values", values, "the generator's own, FP64 noise, few distinct numbers, short decimals, or none");
    visit.option("distinct", distinct, "how many different numbers values=few draws from, at most 1048576");
    visit.option("seed", seed, "of everything random but the shuffle");
    visit.option("shuffle", shuffle,
                 "seed of a random permutation, the same for rows and columns of a square matrix; 0: none");
  }
};

/// A usage error of the generator `name`.
[[nodiscard]] Error bad_parameter(std::string_view name, std::string_view message);

/// A parameter with its name, as checked and named in errors.
struct Named {
  std::string_view key;
  std::uint64_t value;
};

/// The product of the sides. Errors: usage, where one is 0 or the product is above 2147483647.
[[nodiscard]] Result<std::uint64_t> checked_side(std::string_view name, std::initializer_list<Named> sides);

/// The old row of each new one where rows are shuffled. Requires: seed != 0.
[[nodiscard]] std::vector<std::uint32_t> shuffled_rows(std::uint64_t rows, std::uint64_t seed);

/// Fills the matrix. The same bits for any number of threads. Errors: usage (distinct), too_large.
/// Cost: each row once; memory beyond the CSR: two permutations and a row per thread if shuffled, else none.
[[nodiscard]] Result<Matrix> build(const Rows& source, const Common& common, const Spec& spec);

}  // namespace spress::gallery
