// cuSPARSE's products on our matrices: whatever is measured against must be right, by the same judge as our own.
#include "kernels/cuda/peers/cusparse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "formats/gallery/gallery.hpp"
#include "kernels/cuda/matrix.hpp"
#include "kernels/cuda/peers/cusparse_arrays.hpp"
#include "kernels/reference.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

namespace peers = cuda::cusparse;
using tests::Fill;

template <class T>
Csr<Owned> typed(Csr<Owned> a) {
  a.values = with_type(view_of(a.values), value_type_of<T>).value();
  return a;
}

/// The scenarios whose vectors are small.
std::vector<tests::Scenario> scenarios() {
  auto all = tests::scenarios();
  std::erase_if(all, [](const auto& s) { return s.cols > 1000000; });
  return all;
}

template <class Use>
void for_each_scenario(const Use& use) {
  for (const auto& scenario : scenarios()) {
    SCOPED_TRACE(scenario.name);
    for (Fill fill : {Fill::real, Fill::pattern}) use(tests::make_csr(scenario, fill));
  }
}

// --- The layouts, on the host ---

template <class T>
std::vector<T> list(const HostArray<T>& array) {
  return {array.begin(), array.end()};
}

// [1 2 0 0; 0 0 0 0; 0 3 0 4; 5 0 0 6]
Csr<Owned> small() { return tests::make_csr({"", 4, 4, {{0, 0}, {0, 1}, {2, 1}, {2, 3}, {3, 0}, {3, 3}}, {}}); }

TEST(CusparseArrays, RowOfEachEntryByHand) {
  EXPECT_EQ(list(peers::row_of_each_entry<std::int32_t>(view_of(small()), 1)),
            (std::vector<std::int32_t>{0, 0, 2, 2, 3, 3}));
}

TEST(CusparseArrays, NumbersAreConvertedToEitherWidth) {
  const auto a = small();
  EXPECT_EQ(list(peers::converted<std::int64_t>(view_of(a).row_ptr, 1)), (std::vector<std::int64_t>{0, 2, 2, 4, 6}));
  Positions<Owned> wide(HostArray<std::uint64_t>{0, 1ull << 40});
  Positions<Viewed> view;
  view.bind(DType::u64, wide.raw(), 2);
  EXPECT_EQ(list(peers::converted<std::int64_t>(view, 1)), (std::vector<std::int64_t>{0, 1ll << 40}));
  const HostArray<std::uint32_t> ids{7, 0xFFFFFFFEu};
  EXPECT_EQ(list(peers::converted<std::int64_t>(View<std::uint32_t>{ids.data(), 2}, 1)),
            (std::vector<std::int64_t>{7, 0xFFFFFFFEll}));
}

TEST(CusparseArrays, SlicedEllByHand) {
  const auto a = small();
  const auto made = peers::sliced_ell<double, std::int32_t>(view_of(a), 1);
  EXPECT_EQ(list(made.slice_start), (std::vector<std::int32_t>{0, 64}));
  EXPECT_EQ(peers::sliced_ell_slots(view_of(a), 1), 64u);
  std::vector<std::int32_t> columns(64, -1);
  std::vector<double> values(64, 0);
  columns[0] = 0, columns[2] = 1, columns[3] = 0, columns[32] = 1, columns[34] = 3, columns[35] = 3;
  values[0] = 1, values[2] = 3, values[3] = 5, values[32] = 2, values[34] = 4, values[35] = 6;
  EXPECT_EQ(list(made.col_idx), columns);
  EXPECT_EQ(list(made.values), values);
}

TEST(CusparseArrays, BlocksByHand) {
  const auto a = small();
  const auto made = peers::bsr<double, std::int32_t>(view_of(a), 2, 1);
  EXPECT_EQ(list(made.row_ptr), (std::vector<std::int32_t>{0, 1, 3}));
  EXPECT_EQ(list(made.col_idx), (std::vector<std::int32_t>{0, 0, 1}));
  EXPECT_EQ(list(made.values), (std::vector<double>{1, 0, 2, 0, 0, 5, 3, 0, 0, 0, 4, 6}));
  EXPECT_EQ(peers::bsr_blocks(view_of(a), 2, 1), 3u);
}

/// What cuSPARSE is to compute from sliced ELL.
template <class T, class Index>
std::vector<T> multiply(const peers::SlicedEll<T, Index>& a, std::uint64_t rows, const std::vector<T>& x) {
  std::vector<T> y(rows, T(0));
  for (std::size_t slice = 0; slice + 1 < a.slice_start.size(); ++slice)
    for (auto slot = a.slice_start[slice]; slot < a.slice_start[slice + 1]; ++slot) {
      const auto row = slice * peers::slice_rows + static_cast<std::size_t>(slot) % peers::slice_rows;
      if (a.col_idx[slot] >= 0) y[row] += a.values[slot] * x[a.col_idx[slot]];
    }
  return y;
}

template <class T, class Index>
std::vector<T> multiply(const peers::Bsr<T, Index>& a, std::uint64_t size, std::uint64_t rows,
                        const std::vector<T>& x) {
  std::vector<T> y(rows, T(0));
  for (std::size_t row = 0; row < rows; ++row)
    for (auto block = a.row_ptr[row / size]; block < a.row_ptr[row / size + 1]; ++block)
      for (std::size_t j = 0; j < size; ++j) {
        const T value = a.values[(block * size + j) * size + row % size];
        if (value != T(0)) y[row] += value * x[a.col_idx[block] * size + j];
      }
  return y;
}

template <class T, class Index>
void check_layouts(const Csr<Owned>& a) {
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(view_of(a), x.data());
  const auto sell = peers::sliced_ell<T, Index>(view_of(a), 3);
  EXPECT_EQ(sell.values.size(), peers::sliced_ell_slots(view_of(a), 2));
  EXPECT_TRUE(judge(reference, multiply(sell, a.rows, x).data()).ok);
  for (std::uint64_t size = 1; size <= peers::most_block_size; ++size) {
    if (a.rows % size != 0 || a.cols % size != 0) continue;
    const auto blocks = peers::bsr<T, Index>(view_of(a), size, 3);
    EXPECT_EQ(blocks.col_idx.size(), peers::bsr_blocks(view_of(a), size, 2));
    EXPECT_TRUE(judge(reference, multiply(blocks, size, a.rows, x).data()).ok) << "blocks of " << size;
  }
}

TEST(CusparseArrays, HoldEveryScenario) {
  for_each_scenario([](const Csr<Owned>& a) {
    check_layouts<double, std::int32_t>(typed<double>(a));
    check_layouts<float, std::int64_t>(typed<float>(a));
  });
}

TEST(CusparseArrays, AreTheSameFromAnyNumberOfThreads) {
  const auto matrix = gallery::generate(parse_spec("powerlaw:n=30000,values=noise").value());
  ASSERT_TRUE(matrix.ok());
  const auto a = view_of(matrix->csr);
  const auto one = peers::bsr<double, std::int32_t>(a, 3, 1), many = peers::bsr<double, std::int32_t>(a, 3, 4);
  EXPECT_EQ(list(one.col_idx), list(many.col_idx));
  EXPECT_EQ(list(one.values), list(many.values));
  EXPECT_EQ(list(peers::sliced_ell<double, std::int32_t>(a, 1).values),
            list(peers::sliced_ell<double, std::int32_t>(a, 4).values));
  EXPECT_EQ(list(peers::row_of_each_entry<std::int32_t>(a, 1)), list(peers::row_of_each_entry<std::int32_t>(a, 4)));
}

// --- What is refused before the device is asked ---

TEST(Cusparse, AnUnknownPeerListsThoseThereAre) {
  if (peers::built_names().empty()) GTEST_SKIP() << "cuSPARSE's header was not there";
  const auto a = small();
  const auto none = peers::prepare<double>("cusparse-dense", view_of(a), view_of(a));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::unsupported);
  EXPECT_NE(none.error().message.find("cusparse-dense"), std::string::npos);
  for (const auto& name : peers::built_names()) EXPECT_NE(none.error().message.find(name), std::string::npos);
}

class CusparseLibrary : public testing::Test {
 protected:
  void SetUp() override {
    if (peers::names().empty()) GTEST_SKIP() << peers::version().error().text();
  }
};

TEST_F(CusparseLibrary, TellsItsVersion) {
  const auto version = peers::version();
  ASSERT_TRUE(version.ok()) << version.error().text();
  EXPECT_EQ(version->substr(0, 3), "12.") << *version;
}

TEST_F(CusparseLibrary, RefusesWhatItIsNotToMultiply) {
  const auto a = small(), empty = tests::make_csr({"", 9, 9, {}, {}});
  const auto iso = with_store(view_of(tests::make_csr({"", 1, 1, {{0, 0}}, {}}).values), StoreKind::iso);
  ASSERT_TRUE(iso.ok());
  auto other_store = view_of(a);
  other_store.values = view_of(*iso);
  for (const auto& name : peers::names()) {
    const auto code = [&]<class T>(T, const Csr<Viewed>& matrix) {
      const auto refused = peers::prepare<T>(name, matrix, matrix);
      return refused.ok() ? ErrorCode::usage : refused.error().code;
    };
    EXPECT_EQ(code(float(), view_of(a)), ErrorCode::not_applicable) << name;
    EXPECT_EQ(code(double(), other_store), ErrorCode::not_applicable) << name;
    EXPECT_EQ(code(double(), view_of(empty)), ErrorCode::not_applicable) << name;
  }
}

TEST_F(CusparseLibrary, RefusesLayoutsThatDoNotPay) {
  const auto stencil = gallery::generate(parse_spec("stencil7:n=6").value());  // 216 rows, blocks mostly zeros
  ASSERT_TRUE(stencil.ok());
  const auto scattered = peers::prepare<double>("cusparse-bsr", view_of(stencil->csr), view_of(stencil->csr));
  ASSERT_FALSE(scattered.ok());
  EXPECT_EQ(scattered.error().code, ErrorCode::not_applicable);
  EXPECT_NE(scattered.error().message.find("does not pay"), std::string::npos) << scattered.error().message;

  const auto prime = tests::make_csr({"", 7, 7, tests::dense(7, 7), {}});
  const auto indivisible = peers::prepare<double>("cusparse-bsr", view_of(prime), view_of(prime));
  ASSERT_FALSE(indivisible.ok());
  EXPECT_NE(indivisible.error().message.find("divides"), std::string::npos) << indivisible.error().message;

  std::vector<tests::Entry> long_rows;
  for (std::uint32_t k = 0; k < 70000; ++k) long_rows.emplace_back(0, k);
  const auto uneven = tests::make_csr({"", 64, 70000, long_rows, {}});
  const auto padded = peers::prepare<double>("cusparse-sell", view_of(uneven), view_of(uneven));
  ASSERT_FALSE(padded.ok());
  EXPECT_NE(padded.error().message.find("2240000 slots"), std::string::npos) << padded.error().message;
}

// --- On the device ---

/// The product into a vector of NaNs: a row that is left out cannot pass.
template <class T>
void check_product(const peers::PreparedPeer<T>& peer, const Csr<Owned>& a) {
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(view_of(a), x.data());
  const auto device_x = cuda::upload(std::span<const T>(x), "x");
  const auto device_y = cuda::allocate((a.rows + 1) * sizeof(T), "y");
  ASSERT_TRUE(device_x.ok() && device_y.ok());
  for (int repetition = 0; repetition < 2; ++repetition) {
    ASSERT_TRUE(cuda::fill_bytes(device_y->data(), 0xFF, device_y->bytes()).ok());
    const auto done = peer.product.multiply(device_x->template as<T>(), device_y->template as<T>(), nullptr);
    ASSERT_TRUE(done.ok()) << done.error().text();
    const auto y = cuda::download<T>(*device_y, a.rows + 1);
    ASSERT_TRUE(y.ok()) << y.error().text();
    const auto verdict = judge(reference, y->data());
    EXPECT_TRUE(verdict.ok) << verdict.reason;
    EXPECT_NE((*y)[a.rows], (*y)[a.rows]) << "written behind the rows";
  }
}

template <class T>
void check_peers(const Csr<Owned>& a) {
  const auto device = cuda::upload(view_of(a));
  ASSERT_TRUE(device.ok()) << device.error().text();
  for (const auto& name : peers::names()) {
    SCOPED_TRACE(name);
    const auto peer = peers::prepare<T>(name, view_of(a), device->view, 2);
    if (peer.ok()) {
      EXPECT_GE(peer->total_bytes, a.nnz * sizeof(T));
      check_product(*peer, a);
    } else {
      EXPECT_EQ(peer.error().code, ErrorCode::not_applicable) << peer.error().text();
      EXPECT_TRUE(a.nnz == 0 || name == "cusparse-bsr") << peer.error().text();
    }
  }
}

TEST_F(CusparseLibrary, MultipliesEveryScenario) {
  NEEDS_DEVICE();
  for_each_scenario([](const Csr<Owned>& a) {
    check_peers<double>(typed<double>(a));
    check_peers<float>(typed<float>(a));
  });
}

TEST_F(CusparseLibrary, MultipliesMatricesThatFillTheDevice) {
  NEEDS_DEVICE();
  for (const char* text : {"stencil27:n=32,values=noise", "powerlaw:n=60000,values=noise", "elasticity3d:n=12"}) {
    SCOPED_TRACE(text);
    const auto matrix = gallery::generate(parse_spec(text).value());
    ASSERT_TRUE(matrix.ok()) << matrix.error().message;
    check_peers<double>(typed<double>(matrix->csr));
    check_peers<float>(typed<float>(matrix->csr));
  }
}

TEST_F(CusparseLibrary, TakesTheBlocksOfElasticity) {
  NEEDS_DEVICE();
  const auto matrix = gallery::generate(parse_spec("elasticity3d:n=8").value());
  ASSERT_TRUE(matrix.ok()) << matrix.error().message;
  const auto device = cuda::upload(view_of(matrix->csr));
  ASSERT_TRUE(device.ok());
  const auto peer = peers::prepare<double>("cusparse-bsr", view_of(matrix->csr), device->view);
  ASSERT_TRUE(peer.ok()) << peer.error().text();
  EXPECT_NE(peer->product.kernel.find("3x3"), std::string::npos) << peer->product.kernel;
  check_product(*peer, matrix->csr);
}

// Columns beyond 2^31: indices of 64 bits. x is too large for the host, so its elements are equal.
TEST_F(CusparseLibrary, TakesWideIndices) {
  NEEDS_DEVICE();
  const std::uint64_t cols = (std::uint64_t{1} << 31) + 10;
  const auto last = static_cast<std::uint32_t>(cols - 2);
  const auto a = typed<float>(tests::make_csr(
      {"", 4, cols, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, last}, {2, last + 1}, {3, last}, {3, last + 1}}, {}}));
  const auto x = cuda::allocate(cols * sizeof(float), "x");
  if (!x.ok()) GTEST_SKIP() << x.error().text();
  ASSERT_TRUE(cuda::fill_bytes(x->data(), 0, x->bytes()).ok());
  const std::vector<float> ends = {1, 10};  // x = 1, 10, 0 ... 0, 1, 10
  ASSERT_TRUE(cuda::copy_to_device(x->as<float>(), ends.data(), 8).ok());
  ASSERT_TRUE(cuda::copy_to_device(x->as<float>() + last, ends.data(), 8).ok());
  const auto y = cuda::allocate(4 * sizeof(float), "y");
  const auto device = cuda::upload(view_of(a));
  ASSERT_TRUE(y.ok() && device.ok());
  for (const auto& name : peers::names()) {
    const auto peer = peers::prepare<float>(name, view_of(a), device->view);
    if (name == "cusparse-bsr") {  // would read outside of its arrays
      ASSERT_FALSE(peer.ok());
      EXPECT_NE(peer.error().message.find("32-bit"), std::string::npos) << peer.error().message;
      continue;
    }
    ASSERT_TRUE(peer.ok()) << peer.error().text();
    ASSERT_TRUE(cuda::fill_bytes(y->data(), 0xFF, y->bytes()).ok());
    const auto done = peer->product.multiply(x->as<float>(), y->as<float>(), nullptr);
    ASSERT_TRUE(done.ok()) << done.error().text();
    const auto result = cuda::download<float>(*y, 4);
    ASSERT_TRUE(result.ok()) << name << ": " << result.error().text();
    EXPECT_EQ(*result, (std::vector<float>{21, 43, 65, 87})) << name;
  }
}

}  // namespace
}  // namespace spress
