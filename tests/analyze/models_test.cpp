#include "analyze/models.hpp"

#include <gtest/gtest.h>

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

TEST(Models, AmbTraffic) {
  AmbShape a;
  EXPECT_EQ(amb_traffic_model(a), 0u);
  a.rows = 100;
  a.cols = 60;
  EXPECT_EQ(amb_traffic_model(a), 160u * 8) << "y set to zero, x read once";
  a.slots = 960;
  a.chunks = 5;
  // A chunk of 32 rows: 256 bytes of y read, as many written, 64 of permutation, 10 of its own.
  EXPECT_EQ(amb_traffic_model(a), 960u * (8 + 2) + 5 * (512 + 64 + 10) + 1280);
  a.block_cols = 3;
  EXPECT_EQ(amb_traffic_model(a), 960u * 8 + 320 * 2 + 5 * 586 + 1280) << "one column for each block of three";
  a.value_bytes = 4;
  EXPECT_EQ(amb_traffic_model(a), 960u * 4 + 640 + 5 * (256 + 64 + 10) + 640) << "float";
  a.chunk_rows = 8;
  EXPECT_EQ(amb_traffic_model(a), 960u * 4 + 640 + 5 * (64 + 16 + 10) + 640);
  a.step_bytes = 4;
  EXPECT_EQ(amb_traffic_model(a), 960u * 4 + 640 + 40 * 4 + 5 * 90 + 640) << "320 blocks, 8 a step";
  EXPECT_EQ(amb_model(a), 640u + 40 * 4 + 5 * 26);
  a.step_bytes = 0;
  a.column_bytes = 4;
  EXPECT_EQ(amb_traffic_model(a), 960u * 4 + 1280 + 5 * 90 + 640) << "32-bit columns";
  a.is_pattern = true;
  EXPECT_EQ(amb_traffic_model(a), 960u / 8 + 1280 + 5 * 90 + 640) << "a bit for each slot";
}

// What the model decides: a longer block pays as long as it fills in little.
TEST(Models, AmbTrafficWeighsIdsAgainstZeros) {
  const auto traffic = [](std::uint64_t block_cols, std::uint64_t slots) {
    return amb_traffic_model({1000, 1000, slots, 32, 32, block_cols, 8});
  };
  EXPECT_LT(traffic(2, 10000), traffic(1, 10000)) << "no zeros filled in";
  EXPECT_LT(traffic(2, 11000), traffic(1, 10000)) << "10 % of zeros: 99000 bytes against 100000";
  EXPECT_GT(traffic(2, 11200), traffic(1, 10000)) << "12 % of zeros: 100800 bytes against 100000";
}

}  // namespace
}  // namespace spress::analyze
