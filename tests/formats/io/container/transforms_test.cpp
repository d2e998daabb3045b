#include "formats/io/container/transforms.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <vector>

namespace spress {
namespace {

using Bytes = std::vector<std::uint8_t>;

const std::vector<Transform> all = {{false, Layout::plain}, {true, Layout::plain}, {false, Layout::planes},
                                    {true, Layout::planes}, {false, Layout::bits}, {true, Layout::bits}};

Bytes transformed(Transform transform, const void* elements, std::size_t count, std::size_t width) {
  Bytes out(transform_room(count, width)), scratch(out.size());
  out.resize(apply_transform(transform, elements, count, width, out.data(), scratch.data()));
  return out;
}

template <class T>
Bytes transformed(const char* name, const std::vector<T>& elements) {
  return transformed(*transform_named(name), elements.data(), elements.size(), sizeof(T));
}

TEST(Transforms, ExamplesOfTheSpecification) {
  const std::vector<std::uint32_t> x = {1000, 1003, 1004, 1010, 1009};
  EXPECT_EQ(transformed("none", x), (Bytes{0xe8, 3, 0, 0, 0xeb, 3, 0, 0, 0xec, 3, 0, 0, 0xf2, 3, 0, 0, 0xf1, 3, 0, 0}));
  EXPECT_EQ(transformed("delta", x),
            (Bytes{0xe8, 3, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_EQ(transformed("planes", x),
            (Bytes{0xe8, 0xeb, 0xec, 0xf2, 0xf1, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(transformed("delta+planes", x),
            (Bytes{0xe8, 3, 1, 6, 0xff, 3, 0, 0, 0, 0xff, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0xff}));
  EXPECT_EQ(transformed("bits", x), (Bytes{3, 0xe8, 3, 0, 0, 0xeb, 3, 0, 0, 0xc8, 0x0d}));
  EXPECT_EQ(transformed("delta+bits", x), (Bytes{3, 0xe8, 3, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xd4, 0x01}));
}

TEST(Transforms, NamesAreTheirOwnInverse) {
  for (const Transform transform : all) EXPECT_EQ(transform_named(to_string(transform)), transform);
  EXPECT_FALSE(transform_named("zstd"));
  EXPECT_FALSE(transform_named(""));
}

TEST(Transforms, EveryOneUndoesItselfForEveryWidthAndSpread) {
  std::mt19937_64 random(1);
  int trips = 0;
  for (const std::size_t width : {1u, 2u, 4u, 8u, 16u})
    for (const std::size_t count : {1u, 2u, 3u, 7u, 8u, 9u, 100u, 1001u})
      for (unsigned spread = 0; spread <= 64; spread += (spread < 10 ? 1 : 9)) {
        Bytes elements(count * width);
        const std::uint64_t mask = spread == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << spread) - 1;
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint64_t value = 0xFFFFFFFFFFFFFF00u + (random() & mask);  // wraps around in every width
          std::memcpy(&elements[i * width], &value, std::min<std::size_t>(width, 8));
        }
        for (const Transform transform : all) {
          if (!transform_applies(transform, width)) continue;
          const auto bytes = transformed_bytes(transform, elements.data(), count, width);
          if (!bytes) continue;
          const Bytes out = transformed(transform, elements.data(), count, width);
          ASSERT_EQ(out.size(), *bytes);
          Bytes back(elements.size(), 0xAA);
          ASSERT_TRUE(undo_transform(transform, out, count, width, back.data()));
          ASSERT_EQ(back, elements) << to_string(transform) << " width " << width << " count " << count;
          ++trips;
        }
      }
  EXPECT_GT(trips, 2000);
}

TEST(Transforms, PackingTakesTheSmallerOfSignedAndUnsignedSpan) {
  const std::vector<std::uint16_t> around_zero = {0, 0xFFFF, 1, 0xFFFE, 0};  // 0, -1, 1, -2, 0
  EXPECT_EQ(transformed("bits", around_zero)[0], 2);
  const std::vector<std::uint16_t> around_the_sign = {0, 0x7FFF, 0x8000, 0x8001, 0x7FFE};
  EXPECT_EQ(transformed("bits", around_the_sign)[0], 2);
}

TEST(Transforms, PackingEndsAt56Bits) {
  const std::vector<std::uint64_t> fits = {0, 0, (std::uint64_t{1} << 56) - 1};
  const std::vector<std::uint64_t> too_wide = {0, 0, std::uint64_t{1} << 56};
  EXPECT_EQ(transformed_bytes({false, Layout::bits}, fits.data(), 3, 8), packed_bytes(3, 8, 56));
  EXPECT_FALSE(transformed_bytes({false, Layout::bits}, too_wide.data(), 3, 8));
}

TEST(Transforms, WrongSizesAndBitsAreRefused) {
  const std::vector<std::uint32_t> x = {1000, 1003, 1004, 1010, 1009};
  std::vector<std::uint32_t> back(5);
  for (const Transform transform : all) {
    const Bytes good = transformed(transform, x.data(), x.size(), 4);
    EXPECT_TRUE(undo_transform(transform, good, 5, 4, back.data()));
    for (std::size_t size = 0; size < good.size(); ++size)
      EXPECT_FALSE(undo_transform(transform, std::span(good).first(size), 5, 4, back.data()));
    Bytes longer = good;
    longer.push_back(0);
    EXPECT_FALSE(undo_transform(transform, longer, 5, 4, back.data()));
  }
  Bytes packed = transformed("bits", x);
  for (const unsigned bits : {0u, 33u, 57u, 255u}) {
    packed[0] = static_cast<std::uint8_t>(bits);
    packed.resize(packed_bytes(5, 4, bits));
    EXPECT_FALSE(undo_transform({false, Layout::bits}, packed, 5, 4, back.data())) << bits;
  }
}

}  // namespace
}  // namespace spress
