// The list of generators. Adding one is a parameter struct with the class of its rows in one of the .cpp files beside
// this header, ending in SPRESS_GALLERY_DEFINE(name, Struct), and a row here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "formats/gallery/build.hpp"
#include "formats/gallery/gallery.hpp"
#include "formats/gallery/rows.hpp"

// clang-format off
#define SPRESS_GALLERY(ROW) \
  ROW(stencil7)             \
  ROW(stencil27)            \
  ROW(poisson2d)            \
  ROW(convdiff)             \
  ROW(fem3d)                \
  ROW(elasticity3d)         \
  ROW(circuit)              \
  ROW(powerlaw)             \
  ROW(band)                 \
  ROW(uniform)              \
  ROW(density)              \
  ROW(blockdiag)            \
  ROW(arrow)                \
  ROW(tridiag)              \
  ROW(identity)             \
  ROW(diagonal)             \
  ROW(dense)                \
  ROW(empty)                \
  ROW(kkt)                  \
  ROW(lp)                   \
  ROW(trefethen)            \
  ROW(mycielskian)
// clang-format on

namespace spress::gallery {

/// One row of the list.
struct Generator {
  Entry entry;
  Status (*check)(const Spec& spec);
  Result<Matrix> (*generate)(const Spec& spec);
  Result<std::optional<Problem>> (*problem)(const Spec& spec);
};

/// A generator's own parameters, then those of every generator.
template <class G>
struct AllParams {
  G own;
  Common common;

  template <class Visitor>
  void describe(Visitor& visit) {
    own.describe(visit);
    common.describe(visit);
  }
};

template <class G>
[[nodiscard]] Status check_as(const Spec& spec) {
  SPRESS_CHECK(parse_params<AllParams<G>>(spec));
  return Ok{};
}

/// G: name, summary, describe(visitor), and `RowsResult rows(const Common&) const`, which checks the parameters.
template <class G>
[[nodiscard]] Result<Matrix> generate_as(const Spec& spec) {
  SPRESS_TRY(const auto params, parse_params<AllParams<G>>(spec));
  SPRESS_TRY(const auto rows, params.own.rows(params.common));
  SPRESS_TRY(auto matrix, build(*rows, params.common, spec));
  matrix.info.generator = Spec{spec.name, {}};
  for (OptionText& option : list_params(params))
    matrix.info.generator->options.emplace_back(std::move(option.key), std::move(option.value));
  return matrix;
}

/// The problem of a generator that has `Problem problem() const`, in the order of the shuffled matrix.
template <class G>
[[nodiscard]] Result<std::optional<Problem>> problem_as(const Spec& spec) {
  std::optional<Problem> problem;
  if constexpr (requires(const G& own) { own.problem(); }) {
    SPRESS_TRY(const auto params, parse_params<AllParams<G>>(spec));
    SPRESS_TRY(const auto rows, params.own.rows(params.common));
    if (params.common.values != ValueChoice::natural) return problem;
    problem = params.own.problem();
    if (params.common.shuffle != 0)
      problem = permuted(std::move(*problem), shuffled_rows(rows->rows(), params.common.shuffle));
  }
  return problem;
}

template <class G>
[[nodiscard]] Generator describe_generator() {
  return {{std::string(G::name), std::string(G::summary), list_params(AllParams<G>{})},
          &check_as<G>,
          &generate_as<G>,
          &problem_as<G>};
}

#define SPRESS_ROW(function) [[nodiscard]] Generator function();
SPRESS_GALLERY(SPRESS_ROW)
#undef SPRESS_ROW

}  // namespace spress::gallery

#define SPRESS_GALLERY_DEFINE(function, Struct) \
  Generator function() { return describe_generator<Struct>(); }
