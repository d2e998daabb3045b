#include "formats/io/bytes/listed.hpp"

#include <gtest/gtest.h>

namespace spress {
namespace {

TEST(Listed, IsCutAndSaysHowManyAreLeft) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}, 2), "a, b");
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 2), "a, b, and 2 more");
  EXPECT_EQ(listed(std::vector<std::string>(20, "x")).find("more"), std::string::npos);
  EXPECT_TRUE(listed(std::vector<std::string>(57, "x")).ends_with("x, and 37 more"));
}

}  // namespace
}  // namespace spress
