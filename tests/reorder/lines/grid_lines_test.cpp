// Lines of a mesh: a grid's natural order comes back, whatever order its rows came in.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "formats/gallery/gallery.hpp"
#include "reorder/core/metrics.hpp"
#include "reorder/orderings.hpp"
#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

Csr<Owned> generated(const std::string& spec) {
  auto matrix = gallery::generate(*parse_spec(spec));
  if (!matrix.ok()) throw std::runtime_error(matrix.error().text());
  return std::move(matrix->csr);
}

Csr<Owned> in_lines(const Csr<Owned>& a) {
  const auto to = compute_ordering("lines", view_of(a));
  if (!to.ok()) throw std::runtime_error(to.error().text());
  return permute(view_of(a), *to);
}

/// Rows whose columns stand as far from the diagonal as those of the row before.
std::uint64_t rows_like_the_one_before(const Csr<Owned>& a) {
  std::uint64_t out = 0;
  std::vector<std::int64_t> before, here;
  for (std::uint64_t r = 0; r < a.rows; ++r) {
    here.clear();
    for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k)
      here.push_back(std::int64_t{a.col_idx[k]} - static_cast<std::int64_t>(r));
    out += here == before;
    before.swap(here);
  }
  return out;
}

TEST(GridLines, FindTheOrderOfAShuffledGrid) {
  for (const char* grid : {"stencil27:n=9", "stencil7:n=9", "poisson2d:n=30", "fem3d:n=8", "tridiag:n=500"})
    for (const char* seed : {"1", "7", "23"}) {
      SCOPED_TRACE(std::string(grid) + " " + seed);
      const Csr<Owned> natural = generated(grid);
      const Csr<Owned> found = in_lines(generated(std::string(grid) + ",shuffle=" + seed));
      EXPECT_EQ(envelope_metrics(view_of(found)).bandwidth, envelope_metrics(view_of(natural)).bandwidth);
      EXPECT_EQ(rows_like_the_one_before(found), rows_like_the_one_before(natural));
    }
}

TEST(GridLines, KeepTheUnknownsOfANodeTogether) {
  const Csr<Owned> natural = generated("elasticity3d:n=7"), found = in_lines(generated("elasticity3d:n=7,shuffle=5"));
  EXPECT_EQ(envelope_metrics(view_of(found)).bandwidth, envelope_metrics(view_of(natural)).bandwidth);
}

TEST(GridLines, AreParallelInABoxOfAnySides) {
  const Csr<Owned> found = in_lines(generated("stencil27:nx=12,ny=5,nz=9,shuffle=3"));
  EXPECT_GE(rows_like_the_one_before(found), found.rows / 3);
}

TEST(GridLines, EndQuicklyWhereThereAreNone) {
  for (const char* spec :
       {"powerlaw:n=3000", "circuit:n=3000", "arrow:n=3000,width=3", "dense:n=60", "identity:n=100"}) {
    SCOPED_TRACE(spec);
    const auto to = compute_ordering("lines", view_of(generated(spec)));
    ASSERT_TRUE(to.ok());
    EXPECT_TRUE(to->rows.empty() || is_permutation(to->rows.span(), generated(spec).rows));
  }
}

}  // namespace
}  // namespace spress::reorder
