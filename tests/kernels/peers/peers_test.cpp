// Other libraries' products on our CSR: whatever is measured against must be right, by the same judge as our own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "formats/gallery/gallery.hpp"
#include "kernels/peers/peer.hpp"
#include "kernels/reference.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::Fill;

template <class T>
Csr<Owned> typed(Csr<Owned> a) {
  a.values = with_type(view_of(a.values), value_type_of<T>).value();
  return a;
}

/// The product of a peer on a vector of NaNs: a row that is left out cannot pass.
template <class T>
void check_product(const std::string& name, const Csr<Owned>& a, int threads) {
  SCOPED_TRACE(name + " on " + std::to_string(threads) + " threads");
  const auto product = peers::prepare<T>(name, view_of(a), threads);
  if (!product.ok()) {  // no entries, nothing to multiply: MKL refuses some of these
    EXPECT_EQ(product.error().code, ErrorCode::not_applicable) << product.error().message;
    EXPECT_EQ(a.nnz, 0u) << product.error().message;
    return;
  }
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(view_of(a), x.data());
  for (int repetition = 0; repetition < 2; ++repetition) {
    std::vector<T> y(a.rows + 1, std::numeric_limits<T>::quiet_NaN());
    y[a.rows] = T(-77);
    (*product)->multiply(x.data(), y.data());
    const auto verdict = judge(reference, y.data());
    EXPECT_TRUE(verdict.ok) << verdict.reason;
    EXPECT_EQ(y[a.rows], T(-77));  // nothing may be written behind the rows
  }
}

template <class T>
void check_everywhere(const Csr<Owned>& a) {
  for (const auto& name : peers::names())
    for (int threads : {1, 2, 3}) check_product<T>(name, a, threads);
}

class Peers : public testing::Test {
 protected:
  void SetUp() override {
    if (peers::names().empty()) GTEST_SKIP() << "neither MKL nor Eigen is in this build, or on this machine";
  }
};

TEST_F(Peers, MultiplyEveryScenario) {
  for (const auto& scenario : tests::scenarios()) {
    if (scenario.cols > 1000000) continue;  // the vector alone would be gigabytes
    SCOPED_TRACE(scenario.name);
    for (Fill fill : {Fill::real, Fill::pattern}) {
      check_everywhere<double>(typed<double>(tests::make_csr(scenario, fill)));
      check_everywhere<float>(typed<float>(tests::make_csr(scenario, fill)));
    }
  }
}

// Enough entries for all threads to take part, and rows so uneven that a peer must divide them with care.
TEST_F(Peers, MultiplyMatricesThatKeepAllThreadsBusy) {
  for (const char* text : {"stencil27:n=16,values=noise", "powerlaw:n=20000,values=noise"}) {
    SCOPED_TRACE(text);
    const auto matrix = gallery::generate(parse_spec(text).value());
    ASSERT_TRUE(matrix.ok()) << matrix.error().message;
    check_everywhere<double>(typed<double>(matrix->csr));
    check_everywhere<float>(typed<float>(matrix->csr));
  }
}

TEST_F(Peers, RefuseWhatTheyCannotHold) {
  const auto a = tests::make_csr({"", 2, 3, {{0, 0}, {1, 2}}, {}});
  for (const auto& name : peers::names()) {
    auto too_large = view_of(a);
    too_large.nnz = std::uint64_t{1} << 31;  // refused before anything is looked at
    EXPECT_EQ(peers::prepare<double>(name, too_large, 1).error().code, ErrorCode::not_applicable) << name;
    const auto iso = with_store(view_of(tests::make_csr({"", 1, 1, {{0, 0}}, {}}).values), StoreKind::iso);
    ASSERT_TRUE(iso.ok());
    auto other_store = view_of(a);
    other_store.values = view_of(*iso);
    EXPECT_EQ(peers::prepare<double>(name, other_store, 1).error().code, ErrorCode::not_applicable) << name;
    EXPECT_EQ(peers::prepare<float>(name, view_of(a), 1).error().code, ErrorCode::not_applicable) << name;
  }
}

TEST(PeerNames, AnUnknownOneListsThoseThereAre) {
  const auto a = tests::make_csr({"", 1, 1, {{0, 0}}, {}});
  const auto product = peers::prepare<double>("nobody-csr", view_of(a), 1);
  ASSERT_FALSE(product.ok());
  EXPECT_EQ(product.error().code, ErrorCode::unsupported);
  EXPECT_NE(product.error().message.find("nobody-csr"), std::string::npos);
  for (const auto& name : peers::names()) EXPECT_NE(product.error().message.find(name), std::string::npos);
}

}  // namespace
}  // namespace spress
