#include "pipeline/device/row_pieces.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <span>

#include "encode/shared/any.hpp"
#include "formats/values/values.hpp"
#include "kernels/reference.hpp"
#include "pipeline/source.hpp"
#include "tests/scenarios.hpp"
#ifdef SPRESS_WITH_CUDA
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/matrix.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#endif

namespace spress::pipeline {
namespace {

Csr<Owned> made(const std::string& input) {
  auto matrix = load(input);
  EXPECT_TRUE(matrix.ok()) << matrix.error().text();
  return std::move(matrix->csr);
}

TEST(RowPieces, PartsHoldTheEntriesOfTheirRows) {
  for (const char* input : {"gen:circuit,n=3000", "gen:poisson2d,n=40", "gen:band,n=2000,values=few,distinct=9",
                            "gen:uniform,n=500,values=pattern"}) {
    const auto csr = made(input);
    auto stored = with_store(view_of(csr.values), StoreKind::lut8);
    Csr<Viewed> a = view_of(csr);
    if (stored.ok()) a.values = view_of(*stored);
    for (const auto& [first, last] : {std::pair<std::uint64_t, std::uint64_t>{0, a.rows},
                                      {7, 40},
                                      {a.rows - 1, a.rows},
                                      {5, 5},
                                      {a.rows, a.rows}}) {
      const RowPart part = part_of_rows(a, first, last);
      EXPECT_TRUE(validate(part.view).ok()) << input;
      ASSERT_EQ(part.view.rows, last - first);
      EXPECT_EQ(part.view.cols, a.cols);
      const std::uint64_t begin = a.row_ptr.position(first);
      for (std::uint64_t i = first; i <= last; ++i)
        ASSERT_EQ(part.view.row_ptr.position(i - first), a.row_ptr.position(i) - begin);
      ASSERT_EQ(part.view.nnz, a.row_ptr.position(last) - begin);
      for (std::uint64_t k = 0; k < part.view.nnz; ++k) ASSERT_EQ(part.view.col_idx[k], a.col_idx[begin + k]);
      if (a.values.type == ValueType::none) continue;
      with_accessor<double>(a.values, [&](const auto& whole) {
        with_accessor<double>(part.view.values, [&](const auto& some) {
          for (std::uint64_t k = 0; k < part.view.nnz; ++k) ASSERT_EQ(some[k], whole[begin + k]);
        });
      });
    }
  }
}

/// First rows of pieces of about so many entries, and behind them the number of rows.
std::vector<std::uint64_t> cuts_by_entries(const Csr<Viewed>& a, std::uint64_t entries) {
  std::vector<std::uint64_t> cuts = {0};
  while (cuts.back() < a.rows) cuts.push_back(cut_by_entries(a, cuts.back(), entries));
  return cuts;
}

TEST(RowPieces, CutsCoverAllRowsInMultiples) {
  for (const char* input : {"gen:circuit,n=30000", "gen:stencil7,n=40", "gen:powerlaw,n=20000", "gen:dense,n=200"}) {
    const auto csr = made(input);
    const Csr<Viewed> a = view_of(csr);
    for (std::uint64_t entries : {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{20000}, 10 * a.nnz}) {
      const auto cuts = cuts_by_entries(a, entries);
      ASSERT_EQ(cuts.front(), 0u);
      ASSERT_EQ(cuts.back(), a.rows);
      for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
        ASSERT_LT(cuts[p], cuts[p + 1]);
        ASSERT_EQ(cuts[p] % 32, 0u);
        const std::uint64_t held = a.row_ptr.position(cuts[p + 1]) - a.row_ptr.position(cuts[p]);
        ASSERT_TRUE(held <= entries || cuts[p + 1] - cuts[p] <= 32) << held << " of " << entries;
      }
    }
    EXPECT_EQ(cuts_by_entries(a, a.nnz).size(), 2u);
  }
  EXPECT_EQ(cuts_by_entries(view_of(made("gen:poisson2d,n=3")), 1).size(), 2u);
}

#ifdef SPRESS_WITH_CUDA

/// The product of all rows, by `product` of a matrix with so many rows and columns.
template <class T>
std::vector<T> multiplied(const cuda::Product<T>& product, const Csr<Viewed>& a, int times = 1) {
  const auto x = test_vector<T>(a.cols);
  auto x_there = cuda::upload(std::span<const T>(x), "x");
  auto y_there = cuda::allocate(a.rows * sizeof(T), "y");
  EXPECT_TRUE(x_there.ok() && y_there.ok());
  for (int i = 0; i < times; ++i) {
    EXPECT_TRUE(cuda::fill_bytes(y_there->data(), 0xFF, y_there->bytes()).ok());
    const Status launched = product.multiply(x_there->template as<T>(), y_there->template as<T>(), nullptr);
    EXPECT_TRUE(launched.ok()) << launched.error().text();
  }
  const Status ended = cuda::synchronize();
  EXPECT_TRUE(ended.ok()) << ended.error().text();
  return cuda::download<T>(*y_there, a.rows).value();
}

/// Multiplies by the matrix in one piece, in device memory.
template <class T>
std::vector<T> multiplied_whole(const Csr<Viewed>& a, const Spec& spec) {
  const auto encoded = encode_any(a, spec).value();
  std::vector<T> y;
  with_any(encoded, [&](const auto& f) {
    const auto there = cuda::upload(view_of(f)).value();
    y = multiplied(cuda::product<T>(view_of(f), there.view).value(), a);
  });
  return y;
}

template <class T>
void expect_right_in_pieces(const std::string& input, StoreKind store, ValueType type) {
  const auto csr = with_value_type(view_of(made(input)), type).value();
  Csr<Viewed> a = view_of(csr);
  auto stored = with_store(a.values, store);
  if (!stored.ok()) return;
  a.values = view_of(*stored);
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(view_of(csr), x.data());
  for (const Spec& spec : all_formats()) {
    const std::string what = input + " " + spec.text() + " " + std::string(enum_name(store));
    auto pieces = row_pieces<T>(a, spec, 20000);
    if (!pieces.ok()) {
      EXPECT_EQ(pieces.error().code, ErrorCode::not_applicable) << what << pieces.error().text();
      continue;
    }
    std::uint64_t largest = 0, all = 0;
    for (const auto& piece : *pieces) largest = std::max(largest, piece.packed.bytes()), all += piece.packed.bytes();
    const std::size_t count = pieces->size();
    EXPECT_GT(count, 3u) << what;
    std::vector<T> first;
    // Room for some, for none beside those that come, and for all: the same bits.
    for (const std::uint64_t budget : {3 * largest + all / 2 + 2048, 3 * largest + 768, 2 * all + 256 * count}) {
      auto again = row_pieces<T>(a, spec, 20000);
      auto streamed = cuda::streamed_product<T>(std::move(*again), budget);
      ASSERT_TRUE(streamed.ok()) << what << ": " << streamed.error().text();
      EXPECT_EQ(streamed->bytes, all);
      EXPECT_TRUE(budget >= all || streamed->streamed_bytes > 0) << what;
      EXPECT_TRUE(budget <= 2 * all || streamed->streamed_bytes == 0) << what;
      EXPECT_LE(streamed->streamed_bytes, all);
      const auto y = multiplied(streamed->product, a, 3);
      const auto verdict = judge(reference, y.data());
      EXPECT_TRUE(verdict.ok) << what << ", " << streamed->product.kernel << ": " << verdict.reason;
      if (first.empty()) first = y;
      const bool same = std::memcmp(first.data(), y.data(), y.size() * sizeof(T)) == 0;
      EXPECT_TRUE(same || !streamed->product.repeatable) << what;
    }
    // Nothing in these rows hangs on where the matrix is cut.
    if (spec.name == "slice-delta" && input.starts_with("gen:stencil7")) {
      const auto whole = multiplied_whole<T>(a, spec);
      EXPECT_EQ(std::memcmp(whole.data(), first.data(), first.size() * sizeof(T)), 0) << what;
    }
    auto refused = cuda::streamed_product<T>(std::move(*pieces), largest);
    ASSERT_FALSE(refused.ok()) << what;
    EXPECT_EQ(refused.error().code, ErrorCode::too_large) << what;
  }
}

/// No rows, no entries, one huge row, patterns, equal values: what has few rows is one piece.
TEST(RowPiecesOnDevice, OddMatrices) {
  NEEDS_DEVICE();
  for (const auto& scenario : tests::scenarios()) {
    const auto csr = tests::make_csr(scenario);
    const Csr<Viewed> a = view_of(csr);
    if (a.cols > 1'000'000) continue;  // a vector of gigabytes
    const auto x = test_vector<double>(a.cols);
    const auto reference = reference_product<double>(a, x.data());
    for (const Spec& spec : all_formats()) {
      auto pieces = row_pieces<double>(a, spec, 1);
      if (!pieces.ok()) continue;
      auto streamed = cuda::streamed_product<double>(std::move(*pieces), 1 << 20);
      ASSERT_TRUE(streamed.ok()) << scenario.name << " " << spec.text() << ": " << streamed.error().text();
      const auto y = multiplied(streamed->product, a);
      const auto verdict = judge(reference, y.data());
      EXPECT_TRUE(verdict.ok) << scenario.name << " " << spec.text() << ": " << verdict.reason;
    }
  }
}

TEST(RowPiecesOnDevice, MultiplyInEveryFormat) {
  NEEDS_DEVICE();
  for (const char* input : {"gen:stencil7,n=24,values=few", "gen:circuit,n=20000", "gen:band,n=9000,values=noise",
                            "gen:elasticity3d,n=9,values=few"})
    for (const StoreKind store : {StoreKind::raw, StoreKind::lut8, StoreKind::lut16, StoreKind::narrow}) {
      expect_right_in_pieces<double>(input, store, ValueType::f64);
      expect_right_in_pieces<float>(input, store, ValueType::f32);
    }
}

#endif

}  // namespace
}  // namespace spress::pipeline
