// What a format takes at least is never more than what it takes.
#include "encode/choose/least_bytes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

void expect_least(const Csr<Viewed>& a, const std::string& name) {
  for (const Spec& spec : all_formats()) {
    const auto size = estimate_any(a, spec);
    if (!size.ok()) continue;
    const LeastBytes least = least_bytes(a, a, spec);
    EXPECT_LE(least.index, size->index_bytes) << name << ' ' << spec.text();
    EXPECT_LE(least.columns, size->index_bytes) << name << ' ' << spec.text();
    EXPECT_LE(least.padded_index, size->index_bytes) << name << ' ' << spec.text();
    EXPECT_LE(least.padded_slots, size->value_slots) << name << ' ' << spec.text();
  }
}

TEST(LeastBytes, AreNoMoreThanTheBytes) {
  for (const auto& s : tests::scenarios()) expect_least(view_of(tests::make_csr(s)), s.name);
  for (const char* text : {"stencil27:n=8", "elasticity3d:n=4", "circuit:n=2000", "dense:n=70,m=50", "tridiag:n=500"})
    expect_least(view_of(gallery::generate(*parse_spec(text))->csr), text);
}

TEST(LeastBytes, TellFormatsApart) {
  const auto a = gallery::generate(*parse_spec("stencil7:n=8"))->csr;
  const auto least = [&](const char* spec) { return least_bytes(view_of(a), view_of(a), *parse_spec(spec)); };
  EXPECT_EQ(least("csr").index, estimate_any(view_of(a), {"csr", {}})->index_bytes);
  EXPECT_EQ(least("coo").index, 8 * a.nnz);
  EXPECT_EQ(least("sell").index, 4 * a.nnz);
  EXPECT_EQ(least("slice-delta").index, 0u);
  // Blocks of ten columns from 0, 10 and 30 on, and the place of one row in the permutation, two bytes each.
  const auto row = tests::make_csr({"", 2, 40, {{1, 0}, {1, 9}, {1, 10}, {1, 30}}, {}});
  EXPECT_EQ(least_bytes(view_of(row), view_of(row), {"amb", {}}).columns, 8u);
}

/// Where all chunks are full, there is nothing but what there must be.
TEST(LeastBytes, WithPaddingAreThoseOfFullChunks) {
  const auto dense = gallery::generate(*parse_spec("dense:n=32,m=10"))->csr;
  const auto diagonal = gallery::generate(*parse_spec("identity:n=32"))->csr;
  for (const auto& [a, spec] : {std::pair(view_of(dense), "amb:block=10"), std::pair(view_of(dense), "sell"),
                                std::pair(view_of(diagonal), "slice-delta")}) {
    const auto size = estimate_any(a, *parse_spec(spec));
    const LeastBytes least = least_bytes(a, a, *parse_spec(spec));
    EXPECT_EQ(least.padded_index, size->index_bytes) << spec;
    EXPECT_EQ(least.padded_slots, size->value_slots) << spec;
  }
  EXPECT_EQ(least_bytes(view_of(dense), view_of(dense), *parse_spec("sell:c=0")).padded_index, 0u);
  const auto more = gallery::generate(*parse_spec("dense:n=64,m=10"))->csr;  // of which that would be a sample
  for (const char* spec : {"amb", "sell", "slice-delta"})
    EXPECT_EQ(least_bytes(view_of(more), view_of(dense), *parse_spec(spec)).padded_index, 0u) << spec;
}

}  // namespace
}  // namespace spress
