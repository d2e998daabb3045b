#include "formats/core/names.hpp"

#include <gtest/gtest.h>

namespace spress {
namespace {

using Names = std::vector<std::string>;

const Names formats = {"csr", "opt-csr", "slice-delta", "sell", "ell", "bmsparse", "bmsparse-csr"};

TEST(Names, NearOnesAreAFewErrorsAway) {
  EXPECT_EQ(near_names("slice-detla", formats), Names{"slice-delta"});  // neighbours exchanged
  EXPECT_EQ(near_names("slicedelta", formats), Names{"slice-delta"});
  EXPECT_EQ(near_names("CSR", formats), Names{"csr"});
  EXPECT_EQ(near_names("opt_csr", formats), Names{"opt-csr"});
  EXPECT_EQ(near_names("crs", formats), Names{"csr"});
  EXPECT_EQ(near_names("optcrs", formats), Names{"opt-csr"});
}

TEST(Names, NearOnesBeginWithTheName) {
  EXPECT_EQ(near_names("slice", formats), Names{"slice-delta"});
  EXPECT_EQ(near_names("bms", formats), (Names{"bmsparse", "bmsparse-csr"}));
}

TEST(Names, NearOnesAreTwoAtMostAndTheNearestAlone) {
  EXPECT_EQ(near_names("ab", {"ax", "ay", "az"}), (Names{"ax", "ay"}));
  EXPECT_EQ(near_names("abcdefg", {"abcdxyg", "abcdefx", "abcdeyy"}), Names{"abcdefx"});
}

TEST(Names, FarOnesAreNotProposed) {
  for (const char* name : {"nosuch", "frobnicate", "x", "", "-"}) EXPECT_EQ(near_names(name, formats), Names{}) << name;
  EXPECT_EQ(near_names(std::string(1 << 20, 's'), {std::string(1 << 20, 's')}), Names{});
  EXPECT_EQ(near_names("csr", {}), Names{});
  EXPECT_EQ(near_names("file", {"size"}), Names{});  // two errors in four letters
}

TEST(Names, MessagesProposeBeforeTheyList) {
  EXPECT_EQ(unknown_name("format", "nosuch", {"csr", "coo"}).message,
            "unknown format 'nosuch'; the formats are csr, coo");
  EXPECT_EQ(unknown_name("format", "cso", {"csr", "coo"}).message,
            "unknown format 'cso'; did you mean 'csr' or 'coo'? The formats are csr, coo");
  EXPECT_EQ(unknown_name("format", "x", {}).code, ErrorCode::usage);
  EXPECT_EQ(did_you_mean("frmats", {"formats"}, "--"), "did you mean '--formats'?");
  EXPECT_EQ(did_you_mean("nosuch", {"formats"}, "--"), "");
}

}  // namespace
}  // namespace spress
