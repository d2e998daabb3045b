#include "pipeline/byte_cost.hpp"

#include <gtest/gtest.h>

#include <set>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "formats/io/container/container.hpp"
#include "pipeline/collection/analyze.hpp"
#include "pipeline/compress.hpp"
#include "pipeline/source.hpp"
#include "tests/scenarios.hpp"

namespace spress::pipeline {
namespace {

using namespace spress::tests;

std::uint64_t encoded_bytes(const Csr<Viewed>& a, const Spec& spec, StoreKind kind) {
  const auto stored = with_values(a, kind);
  if (!stored.ok()) return ~std::uint64_t{0};
  const auto encoded = encode_any(view_of(*stored), spec);
  std::uint64_t bytes = 0;
  with_any(*encoded, [&](const auto& f) { bytes = byte_totals(f).total(); });
  return bytes;
}

TEST(ByteCost, IsWhatTheSmallestFormatTakes) {
  const auto matrix = gallery::generate(*parse_spec("stencil7:n=9,shuffle=1"));
  ASSERT_TRUE(matrix.ok());
  const auto a = view_of(matrix->csr);
  const std::vector<Spec> formats = {*parse_spec("opt-csr:index=delta"), *parse_spec("csr")};
  const auto statistics = analyze::value_statistics(a.values);
  EXPECT_EQ(byte_cost(formats, statistics, StoreKind::raw)(a), encoded_bytes(a, formats[0], StoreKind::raw));
  EXPECT_EQ(byte_cost({formats[1]}, statistics, StoreKind::lut8)(a), encoded_bytes(a, formats[1], StoreKind::lut8));
  EXPECT_EQ(byte_cost(formats, statistics, std::nullopt)(a), encoded_bytes(a, formats[0], StoreKind::narrow));
  EXPECT_EQ(byte_cost(formats, statistics, StoreKind::iso)(a), ~std::uint64_t{0});  // two values
  EXPECT_EQ(byte_cost(formats, {}, StoreKind::raw)(a), byte_cost(formats, statistics, StoreKind::raw)(a));
}

TEST(ByteCost, MakesASearchFindFewerBytesThanTheOtherOrderings) {
  const auto matrix = gallery::generate(*parse_spec("elasticity3d:n=6,shuffle=1"));
  ASSERT_TRUE(matrix.ok());
  AnalyzeOptions options;
  options.orderings = {"none", "rcm", "cm-nodes", "apart", "search"};
  options.formats = {*parse_spec("opt-csr"), *parse_spec("bmsparse-csr")};
  const auto record = analyze_matrix(*matrix, options);
  EXPECT_EQ(record.best.ordering, "search");
}

TEST(Compress, AutoOrderingMovesSidesOfRectangularMatricesAndNeverCostsBytes) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "spress_test_auto.spress";
  std::set<std::string> taken;
  for (const auto spec : {"lp:periods=3,rows=20,cols=30", "elasticity3d:n=6,shuffle=2", "stencil7:n=9",
                          "uniform:n=300,m=900,k=6", "powerlaw:n=3000"}) {
    SCOPED_TRACE(spec);
    const auto matrix = gallery::generate(*parse_spec(spec));
    ASSERT_TRUE(matrix.ok());
    CompressOptions options;
    const auto plain = compress(*matrix, options, path);
    options.ordering = "auto";
    const auto chosen = compress(*matrix, options, path);
    ASSERT_TRUE(plain.ok() && chosen.ok());
    EXPECT_LE(chosen->encoded_bytes, plain->encoded_bytes);
    EXPECT_EQ(chosen->ordering == "none", chosen->encoded_bytes == plain->encoded_bytes);
    taken.insert(chosen->ordering);
    const auto again = load(path.string(), {.threads = 1});
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(identical(again->csr, matrix->csr));
  }
  std::filesystem::remove(path);
  EXPECT_GE(taken.size(), 2u);
}

TEST(Compress, BringsBackRowsAndColumnsThatWentApart) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "spress_test_sides.spress";
  for (const auto spec : {"lp:periods=3,rows=20,cols=30", "circuit:n=300", "elasticity3d:n=3,shuffle=2"})
    for (const auto ordering : {"likeness", "apart", "search"}) {
      SCOPED_TRACE(std::string(spec) + " " + ordering);
      const auto matrix = gallery::generate(*parse_spec(spec));
      ASSERT_TRUE(matrix.ok());
      CompressOptions options;
      options.ordering = ordering;
      const auto done = compress(*matrix, options, path);
      ASSERT_TRUE(done.ok()) << done.error().text();
      const auto container = io::read_container(path);
      ASSERT_TRUE(container.ok());
      EXPECT_EQ(container->info.ordering, ordering);
      const auto again = load(path.string(), {.threads = 1});
      ASSERT_TRUE(again.ok());
      EXPECT_TRUE(identical(again->csr, matrix->csr));
    }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace spress::pipeline
