#include <gtest/gtest.h>

#include "analyze/models.hpp"

namespace spress::analyze {
namespace {

// The models are formulas of papers: their figures are worked out here by hand.

TEST(Models, Csr) {
  EXPECT_EQ(csr_model(0, 0), 4u);
  EXPECT_EQ(csr_model(7, 3), 28u + 16);
  EXPECT_EQ(csr_model(std::uint64_t{1} << 31, 1), (std::uint64_t{1} << 33) + 8) << "counts of more than 32 bits";
}

TEST(Models, Coo) {
  EXPECT_EQ(coo_model(0), 0u);
  EXPECT_EQ(coo_model(7), 56u);
}

TEST(Models, OptCsrPaysEachEntryByItsClass) {
  EXPECT_EQ(opt_csr_model({0, 0, 0}, 0), 8u);
  EXPECT_EQ(opt_csr_model({100, 0, 0}, 10), 100u + 44 + 4);
  EXPECT_EQ(opt_csr_model({0, 100, 0}, 10), 200u + 44 + 4);
  EXPECT_EQ(opt_csr_model({0, 0, 100}, 10), 400u + 44 + 4);
  EXPECT_EQ(opt_csr_model({1, 10, 100}, 2), 1u + 20 + 400 + 12 + 4);
}

TEST(Models, BmSparse) {
  EXPECT_EQ(bmsparse_model(0), 0u);
  EXPECT_EQ(bmsparse_model(5), 80u);
}

}  // namespace
}  // namespace spress::analyze
