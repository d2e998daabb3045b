// slice-delta on the CPU, bit by bit: every lane adds its entries one after the other, so each row comes out as a loop
// over its entries makes it, wherever x is read through windows, gathered or copied at its ends, and however values and
// masks stand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"
#include "tests/node_matrix.hpp"

namespace spress {
namespace {

/// y by a loop over the entries of each row, with the rounding of the instruction set.
template <class T>
std::vector<T> loop_product(const Csr<Viewed>& a, const std::vector<T>& x, Isa isa) {
  std::vector<T> y(a.rows);
  with_accessor<T>(a.values, [&](auto values) {
    for (std::uint64_t r = 0; r < a.rows; ++r)
      for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k) {
        const T value = values[k], factor = x[a.col_idx[k]];
        y[r] = isa == Isa::portable ? y[r] + value * factor : std::fma(value, factor, y[r]);
      }
  });
  return y;
}

template <class T>
void check_bits(const Csr<Viewed>& a, const SliceDelta<Viewed>& f) {
  ASSERT_TRUE(validate(f).ok());
  std::vector<bool> in_pieces(a.rows);  // added in another order
  for (const std::uint32_t row : f.long_row) in_pieces[row] = true;
  ASSERT_LE(std::count(in_pieces.begin(), in_pieces.end(), true), a.rows / 2);
  const auto x = test_vector<T>(a.cols);
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(enum_name(isa));
    const tests::ExactIsa exact(isa);
    std::vector<T> y(a.rows, T(-77));
    cpu::spmv<T>(f, x.data(), y.data(), 1);
    const auto expected = loop_product<T>(a, x, isa);
    for (std::uint64_t r = 0; r < a.rows; ++r) {
      if (in_pieces[r]) continue;
      ASSERT_EQ(std::memcmp(&y[r], &expected[r], sizeof(T)), 0) << "row " << r << ": " << y[r] << ", " << expected[r];
    }
  }
}

/// a as T, in the store wanted.
template <class T>
Csr<Owned> stored(const Csr<Viewed>& a, StoreKind kind) {
  auto typed = with_value_type(a, value_type_of<T>);
  return with_values(view_of(*typed), kind).value();
}

/// slice-delta with that block, or the block that the encoder finds.
template <class T>
void check_stores(const Csr<Viewed>& a, std::uint32_t sigma, AutoNumber block) {
  for (const StoreKind kind : {StoreKind::raw, StoreKind::lut8}) {
    SCOPED_TRACE(enum_name(kind));
    const auto typed = stored<T>(a, kind);
    const auto f = encode<SliceDelta>(view_of(typed), {.sigma = sigma, .block = block});
    ASSERT_TRUE(f.ok());
    check_bits<T>(view_of(typed), view_of(*f));
  }
}

Csr<Owned> generated(const std::string& spec) { return std::move(gallery::generate(*parse_spec(spec)).value().csr); }

/// Values that a table in registers holds, the least that it does not, and as many as one-byte codes tell apart.
TEST(SliceSums, OfGridsWhoseLinesEndWithinSlices) {
  for (const char* grid : {"stencil27:nx=5,ny=4,nz=4", "stencil27:nx=67,ny=3,nz=3", "stencil27:nx=200,ny=2,nz=2",
                           "elasticity3d:n=5", "elasticity3d:n=11", "poisson2d:n=9"})
    for (const char* distinct : {"3", "16", "17", "33", "256"}) {
      SCOPED_TRACE(std::string(grid) + ", " + distinct + " values");
      const auto a = generated(std::string(grid) + ",values=few,distinct=" + distinct);
      for (const std::uint32_t sigma : {1u, 64u}) {
        check_stores<double>(view_of(a), sigma, std::nullopt);
        check_stores<float>(view_of(a), sigma, std::nullopt);
      }
    }
}

/// The values of node_matrix taken from 16.
Csr<Owned> few_valued(std::uint32_t nodes, std::uint32_t unknowns) {
  auto a = tests::node_matrix(nodes, unknowns);
  auto* values = a.values.codes.template as<double>();
  for (std::uint64_t k = 0; k < a.nnz; ++k) values[k] = 1.0 / static_cast<double>(3 + k % 16);
  return a;
}

/// From two rows a node on, windows of x hold all lanes of a vector, or of two.
TEST(SliceSums, OfNodesOfEverySize) {
  for (std::uint32_t unknowns = 2; unknowns <= SliceDelta<>::largest_block; ++unknowns) {
    SCOPED_TRACE(unknowns);
    const auto a = few_valued(std::max(3u, 250 / unknowns), unknowns);
    check_stores<double>(view_of(a), 1, unknowns);
    check_stores<float>(view_of(a), 1, unknowns);
  }
}

/// A matrix narrower than a window, all of whose steps read a copy of x.
TEST(SliceSums, OfMatricesNarrowerThanAWindow) {
  for (const std::uint32_t unknowns : {1u, 2u, 3u, 8u, 9u, 40u})
    for (const std::uint32_t nodes : {1u, 2u, 3u}) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes, " + std::to_string(unknowns) + " unknowns");
      check_stores<double>(view_of(few_valued(nodes, unknowns)), 1, unknowns);
      check_stores<float>(view_of(few_valued(nodes, unknowns)), 1, unknowns);
    }
}

/// Codes of one byte that stand step by step: allowed in a container, though no encoder leaves them so.
TEST(SliceSums, OfCodesThatStandStepByStep) {
  for (const char* grid : {"stencil27:nx=40,ny=3,nz=3", "elasticity3d:n=11"}) {
    SCOPED_TRACE(grid);
    auto a = generated(std::string(grid) + ",values=few,distinct=16");
    auto f = encode<SliceDelta>(view_of(a), {.sigma = 1}).value();
    ASSERT_EQ(f.lane_steps, 1u);
    auto carrier = generated(std::string(grid) + ",values=few,distinct=16");
    std::swap(carrier.values, f.values);
    f.values = std::move(with_values(view_of(carrier), StoreKind::lut8).value().values);
    check_bits<double>(view_of(a), view_of(f));
  }
}

}  // namespace
}  // namespace spress
