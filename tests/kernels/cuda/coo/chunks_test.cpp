// amb and bccoo-gpu on the device, where the scenarios that all formats meet are too small: rows that lie in many
// pieces, pieces that lie in two chunks, short chunks that are put together, holes in blocks next to an infinite x,
// wide gaps between rows.
#include <limits>

#include "encode/shared/codec.hpp"
#include "kernels/cuda/coo/bccoo_gpu_ways.hpp"
#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::Entry;

/// The matrix of these entries, with values of which there are fewer than 256.
Csr<Owned> matrix_of(std::uint32_t rows, std::uint32_t cols, std::vector<Entry> entries) {
  tests::Scenario s;
  s.rows = rows, s.cols = cols, s.entries = std::move(entries);
  for (std::size_t k = 0; k < s.entries.size(); ++k) s.values.push_back(1.0 / static_cast<double>(k % 97 + 1) - 0.3);
  return tests::make_csr(s);
}

/// bccoo-gpu by the way that it may not take of itself, too. Requires: chunks of at most 1024 entries.
template <class T>
void check_by_entries(const Csr<Owned>& a, const ChunkParams& params) {
  const auto typed = with_value_type(view_of(a), value_type_of<T>);
  ASSERT_TRUE(typed.ok());
  const auto f = encode<BccooGpu>(view_of(*typed), params);
  ASSERT_TRUE(f.ok());
  const auto x = test_vector<T>(a.cols);
  const auto by_entries = [](const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
    return cuda::bccoo_gpu_product<T>(host, device, cuda::TupleWay::by_entries);
  };
  tests::judged<T>(*f, reference_product<T>(view_of(*typed), x.data()), x, by_entries);
}

std::string check(const Csr<Owned>& a, const Spec& spec) {
  const auto params = parse_params<ChunkParams>(spec);
  if (spec.name == "bccoo-gpu" && params->b <= 1024)
    check_by_entries<double>(a, *params), check_by_entries<float>(a, *params);
  return tests::judged_in_every_store(view_of(a), spec);
}

TEST(ChunksOnDevice, ARowInManyPieces) {
  NEEDS_DEVICE();
  std::vector<Entry> entries = {{0, 3}, {0, 70000}, {2, 1}};
  for (std::uint32_t k = 0; k < 50000; ++k) entries.emplace_back(3, k);
  for (std::uint32_t k = 0; k < 5000; ++k) entries.emplace_back(9, 7 * k);
  entries.emplace_back(9, 99999);
  const auto a = matrix_of(12, 100000, std::move(entries));
  check(a, {"bccoo-gpu", {}});
  check(a, {"bccoo-gpu", {{"b", "100000"}}});
  for (const char* block : {"1", "3", "9"}) {
    const auto kernel = check(a, {"amb", {{"block", block}}});
    EXPECT_TRUE(kernel.starts_with("warps per chunk")) << kernel;
  }
}

TEST(ChunksOnDevice, ShortChunksArePutTogether) {
  NEEDS_DEVICE();
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < 5000; ++r)
    for (std::uint32_t c : {r % 50, 100 + r, 5200 + r / 3, 5201 + r / 3})
      if (r % 11 != 5) entries.emplace_back(r, c);
  const auto a = matrix_of(5000, 7000, std::move(entries));
  for (const char* segment : {"100", "999"})
    for (const char* block : {"1", "2", "3"}) {
      const auto kernel = check(a, {"amb", {{"segment", segment}, {"block", block}, {"sigma", "256"}}});
      EXPECT_TRUE(kernel.starts_with("warp per some chunks")) << kernel;
    }
}

/// Rows that do not follow one another go by entries, rows of a stencil by rows.
TEST(ChunksOnDevice, UnevenRowsGoByEntries) {
  NEEDS_DEVICE();
  std::vector<Entry> scattered, stencil;
  for (std::uint32_t r = 0; r < 4000; ++r)
    for (std::uint32_t k = 0; k < 3 + r % 5; ++k) {
      scattered.emplace_back(r, (r * 7919 + k * 30011) % 100000);
      stencil.emplace_back(r, r + 100 * k);
    }
  std::sort(scattered.begin(), scattered.end());
  scattered.erase(std::unique(scattered.begin(), scattered.end()), scattered.end());
  EXPECT_EQ(check(matrix_of(4000, 100000, std::move(scattered)), {"bccoo-gpu", {}}), "chunk per block, sums by row");
  EXPECT_TRUE(check(matrix_of(4000, 100000, std::move(stencil)), {"bccoo-gpu", {}}).starts_with("warp per"));
}

/// Rows over several segments: a base for each step leaves them whole, though some lanes pause.
TEST(ChunksOnDevice, StepsWithBasesKeepRowsWhole) {
  NEEDS_DEVICE();
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < 3000; ++r)
    for (std::uint32_t k = 0; k < 9; ++k)
      for (std::uint32_t c = 0; c < 2; ++c) entries.emplace_back(r, k * 30000 + r % 7 * 9000 + c);
  const auto a = matrix_of(3000, 400000, std::move(entries));
  for (const char* block : {"1", "2", "3", "5"}) {
    const auto summed = check(a, {"amb", {{"block", block}}});
    EXPECT_NE(summed.find("sums added"), std::string::npos) << summed;
    const auto whole = check(a, {"amb", {{"block", block}, {"base", "step"}}});
    EXPECT_EQ(whole.find("sums added"), std::string::npos) << whole;
    check(a, {"amb", {{"block", block}, {"base", "none"}, {"segment", "150000"}}});
    check(a, {"amb", {{"block", block}, {"equal", "entries"}}});
  }
}

TEST(ChunksOnDevice, WideGapsBetweenRowsAreCleared) {
  NEEDS_DEVICE();
  const auto a = matrix_of(200000, 300, {{1000, 5}, {1000, 299}, {1255, 0}, {1256, 1}, {150000, 7}, {150255, 8}});
  check(a, {"bccoo-gpu", {}});
  check(a, {"amb", {}});
}

TEST(ChunksOnDevice, LayoutsOfChunksDiffer) {
  NEEDS_DEVICE();
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < 3000; ++r)
    for (std::uint32_t k = 0; k < 9; ++k) entries.emplace_back(r, k * (r < 1000 ? 3 : r < 2000 ? 700 : 11000));
  check(matrix_of(3000, 100000, entries), {"bccoo-gpu", {}});
  auto noise = matrix_of(3000, 100000, std::move(entries));
  auto* values = noise.values.codes.as<double>();
  for (std::uint64_t k = 5000; k < 20000; ++k) values[k] = 1.0 / static_cast<double>(k);  // these have no table
  check(noise, {"bccoo-gpu", {}});
}

/// A warp's piece may end in the chunk behind the one in which it begins, and rows may, too: wherever chunks end, and
/// with rows of none to 22 entries, and some so long that a whole warp takes them.
TEST(ChunksOnDevice, PiecesGoOnInTheNextChunk) {
  NEEDS_DEVICE();
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < 2000; ++r) {
    const std::uint32_t length = r % 97 == 50 ? 450 : r * 7 % 23;
    for (std::uint32_t k = 0; k < length; ++k) entries.emplace_back(r, 3 * r + 2 * k);
  }
  auto a = matrix_of(2000, 7000, std::move(entries));
  for (const char* b : {"1", "2", "7", "100", "333", "1024", "5000"}) check(a, {"bccoo-gpu", {{"b", b}}});
  auto* values = a.values.codes.as<double>();
  for (std::uint64_t k = 0; k < a.nnz; ++k) values[k] += 1.0 / static_cast<double>(k + 1);  // too many for a table
  for (const char* b : {"7", "100", "333", "1024", "5000"}) check(a, {"bccoo-gpu", {{"b", b}}});
}

TEST(ChunksOnDevice, HolesInBlocksLeaveInfinitiesAlone) {
  NEEDS_DEVICE();
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < 64; ++r)
    for (std::uint32_t c : {3 * (r % 7), 3 * (r % 7) + 2, 40 + r}) entries.emplace_back(r, c);  // never 1, 4, 7...
  const auto a = matrix_of(64, 110, std::move(entries));
  const auto x = test_vector<double>(a.cols);
  auto poisoned = x;
  for (const std::size_t c : {1, 4, 7, 10, 13, 16, 19, 30, 39, 104, 109})
    poisoned[c] = std::numeric_limits<double>::infinity();
  for (StoreKind kind : {StoreKind::lut8, StoreKind::lut16})
    if (const auto stored = with_values(view_of(a), kind); stored.ok())
      tests::judged<double>(view_of(*stored), {"amb", {{"block", "3"}}}, x, poisoned);
}

}  // namespace
}  // namespace spress
