// The traffic model of amb (analyze/models.hpp) against what its product really loads and stores.
//
// What one product moves is counted so. The arrays of the matrix and x: each line of 64 bytes that was touched, once,
// as they pass through a cache. y: every load and store, as the model counts them: all of it set to zero, then read and
// written by the rows of each chunk. SPRESS_TRAFFIC_TABLE=FILE writes the figures as a table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include "analyze/models.hpp"
#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "kernels/cpu/spmv.hpp"
#include "tests/traffic/memory_trace.hpp"

namespace spress {
namespace {

using tests::MemoryTrace;

constexpr std::uint64_t lanes = Amb<>::lanes;

struct Traffic {
  std::uint64_t values = 0, ids = 0, chunks = 0, x = 0, y = 0;
  std::uint64_t present = 0;  ///< not in the model, and not in the total
  [[nodiscard]] std::uint64_t total() const { return values + ids + chunks + x + y; }
};

/// By one product in T, compiled for any processor.
template <class T>
Traffic counted(const Amb<Owned>& f) {
  const Amb<Viewed> a = view_of(f);
  const HostArray<T> x(a.cols, T(1));
  HostArray<T> y(a.rows);
  MemoryTrace trace;
  for_each_array([&](const ArrayInfo& info,
                     const auto& array) { trace.watch(std::string(info.name), array.raw(), array.bytes()); },
                 f);
  trace.watch("x", x.raw(), x.bytes());
  trace.watch("y", y.raw(), y.bytes());
  cpu::product<Isa::portable, T, Amb>(a, x.data(), y.data(), 1);
  const auto once = [&](const char* name) { return trace.array(name).line_bytes(); };
  Traffic traffic;
  traffic.values = once("values");
  traffic.ids = once("block_col");
  traffic.chunks = once("chunk_start") + once("chunk_length") + once("window") + once("perm");
  traffic.present = once("present");
  traffic.x = once("x");
  traffic.y = trace.array("y").read_bytes + trace.array("y").written_bytes;
  return traffic;
}

/// The terms of the model.
Traffic predicted(const Amb<Owned>& f, std::uint64_t value_bytes) {
  Traffic traffic;
  traffic.values = f.values.count * value_bytes;
  traffic.ids = 2 * f.block_col.size();
  traffic.chunks = f.chunks * (2 * lanes + 10);
  traffic.x = f.cols * value_bytes;
  traffic.y = f.rows * value_bytes + f.chunks * 2 * lanes * value_bytes;
  return traffic;
}

Matrix made(const std::string& spec) {
  auto matrix = gallery::generate(std::move(parse_spec(spec)).value());
  EXPECT_TRUE(matrix.ok()) << spec;
  return std::move(matrix).value();
}

struct Comparison {
  Amb<Owned> f;
  Traffic predicted, counted;
  std::uint64_t padding = 0;  ///< bytes of values of block slots that are padding of slices
  [[nodiscard]] double ratio() const {
    return static_cast<double>(counted.total()) / static_cast<double>(predicted.total());
  }
};

Comparison compare(const Matrix& matrix, ValueType type, AutoNumber block) {
  const std::uint64_t value_bytes = size_of(type);
  const auto a = std::move(with_value_type(view_of(matrix.csr), type)).value();
  Comparison c;
  c.f = std::move(encode<Amb>(view_of(a), {.block = block})).value();
  c.predicted = predicted(c.f, value_bytes);
  c.counted = type == ValueType::f32 ? counted<float>(c.f) : counted<double>(c.f);
  c.padding = (c.f.block_col.size() - c.f.blocks) * c.f.block * value_bytes;
  return c;
}

/// Calls use(comparison, type, block) for double and float, the block chosen and one given.
template <class Use>
void for_each_setting(const std::string& spec, Use&& use) {
  const Matrix matrix = made(spec);
  for (const ValueType type : {ValueType::f64, ValueType::f32})
    for (const AutoNumber block : {AutoNumber{}, AutoNumber{2}})
      use(compare(matrix, type, block), size_of(type), block);
}

/// Every generator with entries anywhere, at a size of at least 10^5 of them; two of more than one column segment.
const std::vector<std::string> matrices = {"stencil7:n=26",       "stencil27:n=17",
                                           "poisson2d:n=145",     "convdiff:n=26,dim=3",
                                           "fem3d:n=17",          "elasticity3d:n=9",
                                           "band:n=6500",         "uniform:n=13000",
                                           "uniform:n=70000,k=2", "density:n=5000",
                                           "blockdiag:n=13000",   "tridiag:n=34000",
                                           "identity:n=100000",   "dense:n=400",
                                           "kkt:n=33000",         "lp:periods=100",
                                           "trefethen:n=6000",    "mycielskian:k=11,values=noise",
                                           "circuit:n=24000",     "powerlaw:n=13000",
                                           "arrow:n=34000",       "powerlaw:n=70000,average=3"};

void within(std::uint64_t counted, std::uint64_t predicted, double share, const char* what) {
  EXPECT_NEAR(static_cast<double>(counted), static_cast<double>(predicted), share * static_cast<double>(predicted))
      << what;
}

class AmbTraffic : public testing::TestWithParam<std::string> {};

/// Within 5% altogether, and each term within what lines cut at the ends of arrays and lanes without a row explain.
/// Padding of slices is moved like any other slot: a product that stopped behind the last lane with a block would fail
/// here where there is much of it (circuit, powerlaw, arrow).
TEST_P(AmbTraffic, CountedBytesAreThosePredicted) {
  for_each_setting(GetParam(), [](const Comparison& c, std::uint64_t value_bytes, AutoNumber) {
    SCOPED_TRACE(fmt::format("v = {}, b = {}", value_bytes, c.f.block));
    EXPECT_EQ(c.predicted.total(), analyze::amb_traffic_model({c.f.rows, c.f.cols, c.f.values.count, c.f.chunks, lanes,
                                                               c.f.block, value_bytes}));
    within(c.counted.total(), c.predicted.total(), 0.05, "all");
    within(c.counted.values, c.predicted.values, 0.01, "values");
    within(c.counted.ids, c.predicted.ids, 0.01, "column ids");
    within(c.counted.chunks, c.predicted.chunks, 0.01, "chunks");
    within(c.counted.x, c.predicted.x, 0.05, "x");
    within(c.counted.y, c.predicted.y, 0.05, "y");
    EXPECT_EQ(c.counted.present, 0u);  // zeros are multiplied where values are held as numbers
  });
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Gallery, AmbTraffic, testing::ValuesIn(matrices), name_of);

/// Where the values are held as codes into a table, the product goes by the bits instead of the zeros: a bit per value
/// slot more than the model knows of.
TEST(AmbTrafficOfATable, ReadsTheBitsOfWhatIsPresent) {
  const auto matrix = made("stencil27:n=17");
  const auto coded = with_values(view_of(matrix.csr), StoreKind::lut8);
  ASSERT_TRUE(coded.ok());
  const auto f = std::move(encode<Amb>(view_of(*coded), {.block = 2})).value();
  ASSERT_FALSE(f.present.empty());
  EXPECT_EQ(counted<double>(f).present, f.values.count / 8);
}

/// The counter itself, by hand.
TEST(MemoryTrace, CountsLinesOnceAndBytesEveryTime) {
  const HostArray<double> array(16, 1.0);
  MemoryTrace trace;
  trace.watch("array", array.raw(), array.bytes());
  trace.count(&array[0], 8, false);
  trace.count(&array[7], 8, false);
  trace.count(&array[7], 16, true);  // reaches into the second line
  trace.count(&trace, 8, true);      // elsewhere
  EXPECT_EQ(trace.array("array").read_bytes, 16u);
  EXPECT_EQ(trace.array("array").written_bytes, 16u);
  EXPECT_EQ(trace.array("array").line_bytes(), 128u);
}

TEST(AmbTrafficTable, IsWrittenWhereAsked) {
  const char* path = std::getenv("SPRESS_TRAFFIC_TABLE");
  if (path == nullptr) GTEST_SKIP() << "SPRESS_TRAFFIC_TABLE names no file";
  std::ofstream out(path);
  out << "| matrix | v | b | entries | zeros per 100 entries | slice padding of traffic | predicted bytes | counted "
         "bytes | "
         "counted / predicted | `present` held |\n| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n";
  for (const auto& spec : matrices)
    for_each_setting(spec, [&](const Comparison& c, std::uint64_t value_bytes, AutoNumber block) {
      const auto nnz = static_cast<double>(c.f.nnz), total = static_cast<double>(c.predicted.total());
      out << fmt::format("| {} | {} | {}{} | {} | {:.2f} | {:.2f}% | {} | {} | {:.4f} | {:.2f}% |\n", spec, value_bytes,
                         c.f.block, block ? "" : " (chosen)", c.f.nnz,
                         100 * (static_cast<double>(c.f.values.count) - nnz) / nnz,
                         100 * static_cast<double>(c.padding) / total, c.predicted.total(), c.counted.total(),
                         c.ratio(), 100 * static_cast<double>(c.f.present.bytes()) / total);
    });
  EXPECT_TRUE(out.good());
}

}  // namespace
}  // namespace spress
