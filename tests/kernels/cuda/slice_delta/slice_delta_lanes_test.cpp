// Slice-delta on its way to a CSR, followed on the host: what is copied before an item's turn comes, and where its
// lanes put their entries.
#include "kernels/cuda/slice_delta/slice_delta_lanes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "encode/shared/any.hpp"
#include "encode/shared/codec.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using cuda::SliceLanes;
using tests::Fill;

struct Csr64 {
  std::vector<std::uint64_t> row_ptr;
  std::vector<std::uint32_t> col_idx;
  std::vector<std::uint64_t> values;  ///< where they stand in the store
};

/// What the kernels do in front of all items, one lane after the other.
void find_rows(const SliceLanes& a, Csr64& out) {
  std::vector<std::uint64_t> lengths(a.rows, 0xFFFFFFFF);
  for (std::uint64_t i = 0; i < a.slices; ++i)
    for (std::uint32_t lane = 0; lane < slice_rows && i * slice_rows + lane < a.rows; ++lane)
      lengths[a.row(i * slice_rows + lane)] = length_of_lane(a, i, lane);
  for (std::uint64_t p = 0; p < a.items - a.slices; ++p)
    if (p == 0 || a.long_row[p - 1] != a.long_row[p]) lengths[a.long_row[p]] = a.entries(p, a.first_piece(p, true));
  out.row_ptr.assign(1, 0);
  for (const std::uint64_t length : lengths) out.row_ptr.push_back(out.row_ptr.back() + length);
}

void expand_item(const SliceLanes& lanes, std::uint64_t i, Csr64& out) {
  for (std::uint32_t lane = 0; lane < slice_rows; ++lane)
    for_each_entry_of_lane(lanes, i, lane, out.row_ptr, [&](const cuda::LaneEntry& entry) {
      out.col_idx.at(entry.position) = entry.column;
      out.values.at(entry.position) = entry.value;
    });
}

/// Sends a matrix in pieces to other memory of the host, and works there as the device does.
/// Returns the number of pieces, the one in front included.
std::size_t expand(const SliceDelta<Viewed>& f, std::size_t piece, Csr64& out) {
  HostArray<std::uint8_t> memory(packed_size(f)), there(packed_size(f));
  const auto host = pack(f, memory.data());
  if (there.size() != 0) std::memset(there.data(), 0xFF, there.size());
  const auto device = packed_view(f, there.data());
  const SliceLanes lanes(host, device);
  cuda::Cutter cutter(lanes.items, piece);
  cuda::cut_items(host, device, cutter);
  out.col_idx.assign(f.nnz, 0xFFFFFFFF);
  out.values.assign(f.nnz, 0);
  cuda::Expansion expansion;
  cutter.add_pieces(
      expansion, [&](cuda::Stream) { return find_rows(lanes, out), Status(Ok{}); },
      [&](std::uint64_t first, std::uint64_t last, cuda::Stream) -> Status {
        for (std::uint64_t i = first; i < last; ++i) expand_item(lanes, i, out);
        return Ok{};
      });
  std::size_t bytes = 0;
  for (const auto& part : expansion.pieces) {
    for (const auto& copy : part.copies) {
      if (copy.bytes != 0) std::memcpy(copy.to, copy.from, copy.bytes);
      bytes += copy.bytes;
    }
    EXPECT_TRUE(part.work(nullptr).ok());
  }
  EXPECT_EQ(bytes, byte_totals(f).total());
  return expansion.pieces.size();
}

/// The values are those of the matrix.
void check_values(const SliceDelta<Owned>& f, const Csr<Viewed>& a, const Csr64& out, const std::string& what) {
  const std::size_t width = code_width(a.values);
  const auto* to = static_cast<const std::uint8_t*>(a.values.codes.raw());
  const auto* from = static_cast<const std::uint8_t*>(f.values.codes.raw());
  std::uint64_t wrong = 0;
  for (std::uint64_t k = 0; width != 0 && k < a.nnz; ++k)
    wrong += std::memcmp(to + k * width, from + out.values[k] * width, width) != 0;
  EXPECT_EQ(wrong, 0u) << what;
}

/// Returns the number of pieces of long rows.
std::size_t check(const Csr<Viewed>& a, const SliceDelta<Owned>::Params& params, const std::string& what) {
  const auto f = encode<SliceDelta>(a, params);
  EXPECT_TRUE(f.ok()) << what;
  std::size_t least = 0;
  for (const std::size_t piece : {std::size_t{1} << 40, packed_size(*f) / 20, std::size_t{1}}) {
    Csr64 out;
    const std::size_t pieces = expand(view_of(*f), piece, out);
    EXPECT_GE(pieces, least) << what;
    least = pieces;
    std::vector<std::uint64_t> row_ptr;
    for (std::uint64_t r = 0; r <= a.rows; ++r) row_ptr.push_back(a.row_ptr.position(r));
    EXPECT_EQ(out.row_ptr, row_ptr) << what;
    EXPECT_TRUE(std::equal(out.col_idx.begin(), out.col_idx.end(), a.col_idx.data(), a.col_idx.data() + a.nnz)) << what;
    check_values(*f, a, out, what);
  }
  return f->long_row.size();
}

std::size_t check_stores(const Csr<Viewed>& a, const std::string& what) {
  std::size_t pieces = 0;
  for (const StoreKind kind : {StoreKind::raw, StoreKind::lut8}) {
    const auto stored = with_values(a, kind);
    if (!stored.ok()) continue;
    for (const AutoNumber sigma : {AutoNumber{}, AutoNumber{1}, AutoNumber{64}})
      pieces += check(view_of(*stored), {.sigma = sigma}, what + " as " + std::string(enum_name(kind)));
    pieces += check(view_of(*stored), {.sigma = 64, .block = 3}, what + " in blocks");
  }
  return pieces;
}

TEST(SliceDeltaLanes, FindEveryEntryOfEveryScenario) {
  for (const auto& scenario : tests::scenarios())
    for (const Fill fill : {Fill::real, Fill::pattern})
      check_stores(view_of(tests::make_csr(scenario, fill)), scenario.name);
}

TEST(SliceDeltaLanes, FindEveryEntryOfLargerMatrices) {
  std::size_t pieces = 0;
  for (const char* text :
       {"stencil27:n=9,values=noise", "stencil27:n=9,shuffle=3", "elasticity3d:n=5", "circuit:n=2000",
        "powerlaw:n=2000", "arrow:n=9000", "dense:n=70", "stencil27:n=9,values=few,distinct=40"}) {
    const auto matrix = gallery::generate(parse_spec(text).value());
    ASSERT_TRUE(matrix.ok()) << text << ": " << matrix.error().text();
    pieces += check_stores(view_of(matrix->csr), text);
  }
  EXPECT_GT(pieces, 6u);  // rows were cut
}

}  // namespace
}  // namespace spress
