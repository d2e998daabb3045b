#include "reports/html/picture.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

namespace spress::reports {
namespace {

TEST(Base64, ExamplesOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

/// The inverse of picture_of, written from its description.
std::string cells_of(const Picture& picture) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string deflated;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : picture.text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(letters.find(c));
    if ((count += 6) < 8) continue;
    deflated += static_cast<char>(bits >> (count -= 8) & 0xffU);
  }
  const std::size_t side = picture.size;
  std::string packed((side * side + 1) / 2, '\0');
  uLongf size = static_cast<uLongf>(packed.size());
  if (uncompress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(deflated.data()),
                 static_cast<uLong>(deflated.size())) != Z_OK ||
      size != packed.size())
    return "damaged";
  std::string cells;
  for (std::size_t i = 0; i < side * side; ++i)
    cells += static_cast<char>('0' + (static_cast<unsigned char>(packed[i / 2]) >> (i % 2 == 0 ? 4 : 0) & 15));
  return cells;
}

TEST(Picture, CellsComeBack) {
  for (const SpyRecord& spy : {SpyRecord{1, "7"}, SpyRecord{2, "9005"}, SpyRecord{3, "123456789"}}) {
    const Picture picture = picture_of(spy);
    EXPECT_EQ(picture.size, spy.size);
    EXPECT_EQ(cells_of(picture), spy.cells);
  }
}

TEST(Picture, NoneOfNoCells) {
  EXPECT_EQ(picture_of({}).size, 0u);
  EXPECT_EQ(picture_of({}).text, "");
}

TEST(Coarser, ACellIsTheMeanOfFour) {
  EXPECT_EQ(coarser({2, "9999"}).cells, "9");
  EXPECT_EQ(coarser({2, "9000"}).cells, "8");  // a quarter
  EXPECT_EQ(coarser({2, "0000"}).cells, "0");
  EXPECT_EQ(coarser({2, "1000"}).cells, "1");  // the least that is seen
  EXPECT_EQ(coarser({4,
                     "9900"
                     "9900"
                     "0000"
                     "0005"})
                .cells,
            "9004");
}

TEST(Coarser, TheLastCellOfAnOddNumberCoversFewer) {
  // The corner covers one cell, the edges two.
  EXPECT_EQ(coarser({3,
                     "000"
                     "000"
                     "009"})
                .cells,
            "0009");
  EXPECT_EQ(coarser({3,
                     "009"
                     "009"
                     "000"})
                .cells,
            "0900");
}

TEST(Picture, BecomesCoarserUntilItFits) {
  std::minstd_rand random(7);
  SpyRecord noise{256, std::string(256 * 256, '0')};
  for (char& cell : noise.cells) cell = static_cast<char>('0' + random() % 10);
  const Picture picture = picture_of(noise);
  EXPECT_EQ(picture.size, 64u);  // 4 bits a cell: 43 kB of base64 at 256, 11 kB at 128, 2.7 kB at 64
  EXPECT_LE(picture.text.size(), picture_limit);
  EXPECT_EQ(cells_of(picture_of(noise, 50000)), noise.cells);
  EXPECT_EQ(picture_of(noise, 0).size, 1u);
}

}  // namespace
}  // namespace spress::reports
