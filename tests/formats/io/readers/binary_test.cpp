#include "formats/io/readers/binary.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace spress::io {
namespace {

TEST(MakeRoom, GrowsByDoublingAndOnlyIntoMemoryThatIsThere) {
  std::vector<double> numbers;
  ASSERT_TRUE(make_room(numbers, 100, "numbers").ok());
  EXPECT_GE(numbers.capacity(), 100u);
  numbers.resize(numbers.capacity());
  ASSERT_TRUE(make_room(numbers, 1, "numbers").ok());
  EXPECT_GE(numbers.capacity(), 200u);
  const auto before = numbers.capacity();
  for (const std::uint64_t more : {std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
    const Status refused = make_room(numbers, more, "numbers");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  }
  EXPECT_EQ(numbers.capacity(), before);
}

}  // namespace
}  // namespace spress::io
