// The choice of `auto`: the smallest among the formats whose products keep pace.
#include "pipeline/compress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "encode/shared/footprint.hpp"
#include "pipeline/source.hpp"

namespace spress::pipeline {
namespace {

std::uint64_t least_bytes(const Csr<Viewed>& a, const std::vector<Spec>& formats) {
  std::uint64_t least = ~std::uint64_t{0};
  const auto sizes = footprints(a, formats, analyze::value_statistics(a.values, 1));
  for (const Footprint& size : sizes.value())
    for (const auto& bytes : size.store_bytes)
      if (bytes && !size.unfit) least = std::min(least, size.size.index_bytes + *bytes);
  return least;
}

TEST(Compress, AutoTakesTheSmallestFormatThatKeepsPace) {
  const auto file = std::filesystem::temp_directory_path() / "spress_test_compress.spress";
  for (const char* input : {"gen:stencil7,n=8,values=noise", "gen:circuit,n=900", "gen:powerlaw,n=700,values=noise"}) {
    const auto matrix = load(input);
    const auto done = compress(matrix.value(), {}, file);
    ASSERT_TRUE(done.ok()) << input;
    EXPECT_EQ(done->encoded_bytes, least_bytes(view_of(matrix->csr), pacing_formats())) << input;
    const auto pacing = pacing_formats();
    EXPECT_TRUE(std::any_of(pacing.begin(), pacing.end(), [&](const Spec& s) { return s.name == done->format; }))
        << input;
  }
  std::filesystem::remove(file);
}

TEST(Compress, OnlySlowProductsAreLeftOut) {
  std::vector<std::string> left_out;
  const auto pacing = pacing_formats();
  for (const Spec& spec : all_formats())
    if (std::none_of(pacing.begin(), pacing.end(), [&](const Spec& s) { return s.name == spec.name; }))
      left_out.push_back(spec.name);
  std::sort(left_out.begin(), left_out.end());
  EXPECT_EQ(left_out,
            (std::vector<std::string>{"bccoo", "bccoo-gpu", "bmsparse", "bmsparse-csr", "hybrid-bm-csr", "yaspmv"}));
}

}  // namespace
}  // namespace spress::pipeline
