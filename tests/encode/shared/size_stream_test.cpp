// Sizes found panel by panel are those of the whole matrix.
#include <gtest/gtest.h>

#include "encode/shared/footprint.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/every_spec.hpp"
#include "tests/panels.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

std::vector<Spec> specs_of_streams() {
  auto all = tests::every_spec();
  for (const char* sigma : {"1", "3", "100", "1000000"}) all.push_back({"sell", {{"c", "5"}, {"sigma", sigma}}});
  return all;
}

void expect_same(const Result<SizeEstimate>& streamed, const Result<SizeEstimate>& whole, const std::string& what) {
  ASSERT_EQ(streamed.ok(), whole.ok()) << what;
  if (!whole.ok()) {
    EXPECT_EQ(streamed.error().message, whole.error().message) << what;
    EXPECT_EQ(streamed.error().code, whole.error().code) << what;
    return;
  }
  EXPECT_EQ(streamed->index_bytes, whole->index_bytes) << what;
  EXPECT_EQ(streamed->model_index_bytes, whole->model_index_bytes) << what;
  EXPECT_EQ(streamed->value_slots, whole->value_slots) << what;
  EXPECT_EQ(streamed->own_value_bytes, whole->own_value_bytes) << what;
  ASSERT_EQ(streamed->details.size(), whole->details.size()) << what;
  for (std::size_t i = 0; i < whole->details.size(); ++i)
    EXPECT_EQ(streamed->details[i].count, whole->details[i].count) << what;
}

/// Returns how many of the specs have a stream.
std::size_t expect_same_sizes(const Csr<Owned>& a, const std::string& name) {
  std::size_t streams = 0;
  const auto values = analyze::value_statistics(view_of(a).values);
  for (const Spec& spec : specs_of_streams())
    for (const std::uint64_t rows : {8, 24, 1 << 20}) {
      auto stream = size_stream_any(spec);
      EXPECT_TRUE(stream.ok());
      if (!stream.ok() || *stream == nullptr) continue;
      ++streams;
      tests::for_each_panel(a, rows, [&](const RowPanel& panel) { (*stream)->add(panel); });
      expect_same((*stream)->size({a.rows, a.cols, a.nnz, a.values.type}, values), estimate_any(view_of(a), spec),
                  name + ", " + spec.text() + ", panels of " + std::to_string(rows));
    }
  return streams;
}

TEST(SizeStreams, AreExactForEveryScenario) {
  for (const auto& scenario : tests::scenarios())
    for (const auto fill : {tests::Fill::real, tests::Fill::pattern, tests::Fill::complex_values})
      EXPECT_GT(expect_same_sizes(tests::make_csr(scenario, fill), scenario.name), 30u);
}

TEST(SizeStreams, AreExactForMatricesOfManyPanels) {
  for (const char* text : {"circuit:n=3000", "stencil7:n=13,shuffle=3", "band:n=1000,half=40,per_row=9", "fem3d:n=6",
                           "stencil7:n=13,values=noise"}) {
    const auto spec = parse_spec(text);
    ASSERT_TRUE(spec.ok());
    const auto matrix = gallery::generate(*spec);
    ASSERT_TRUE(matrix.ok()) << matrix.error().text();
    expect_same_sizes(matrix->csr, text);
  }
}

TEST(SizeStreams, RefuseParametersAsEstimatesDo) {
  for (const Spec& spec : {Spec{"sell", {{"c", "0"}}}, Spec{"sell", {{"sigma", "0"}}}, Spec{"bcoo", {{"b", "0"}}},
                           Spec{"bccoo", {{"b", "0"}}}, Spec{"hybrid-bm-csr", {{"threshold", "66"}}}}) {
    const auto a = tests::make_csr(tests::scenarios()[7]);
    auto stream = size_stream_any(spec);
    ASSERT_TRUE(stream.ok() && *stream != nullptr);
    (*stream)->add({0, view_of(a)});
    expect_same((*stream)->size({8, 8, a.nnz, ValueType::f64}, {}), estimate_any(view_of(a), spec), spec.text());
  }
  EXPECT_EQ(size_stream_any({"no such format", {}}).error().code, ErrorCode::usage);
}

TEST(SizeStreams, MakeFootprintsWithAReasonForFormatsThatHaveNone) {
  const auto a = tests::make_csr(tests::scenarios()[14]);
  const analyze::ValueStatistics statistics = analyze::value_statistics(view_of(a).values);
  auto stream = FootprintStream::of(all_formats());
  ASSERT_TRUE(stream.ok());
  tests::for_each_panel(a, 8, [&](const RowPanel& panel) { stream->add(panel); });
  const auto streamed = stream->footprints({a.rows, a.cols, a.nnz, a.values.type}, statistics, "not sized");
  const auto whole = footprints(view_of(a), all_formats(), statistics);
  ASSERT_TRUE(streamed.ok() && whole.ok());
  ASSERT_EQ(streamed->size(), whole->size());
  std::size_t sized = 0;
  for (std::size_t i = 0; i < whole->size(); ++i) {
    const Footprint &one = (*streamed)[i], &other = (*whole)[i];
    EXPECT_EQ(one.format, other.format);
    if (one.unfit == "not sized") continue;
    ++sized;
    EXPECT_EQ(one.total_bytes, other.total_bytes);
    EXPECT_EQ(one.store_bytes, other.store_bytes);
    EXPECT_EQ(one.ratio_to_csr, other.ratio_to_csr);
    EXPECT_EQ(one.index_bytes_per_nnz, other.index_bytes_per_nnz);
  }
  EXPECT_GE(sized, 8u);
}

}  // namespace
}  // namespace spress
