#include "reports/text/printable.hpp"

#include <gtest/gtest.h>

#include "reports/text/text_table.hpp"

namespace spress::reports {
namespace {

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("name 行列 é \\n 😀"), "name 行列 é \\n 😀");
  EXPECT_EQ(printable("\x1b[2J\n\r\t\x7f"), "\\x1b[2J\\n\\r\\t\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b 31m"), "\\xc2\\x9b 31m");
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
}

TEST(Printable, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("a\xff"), "a\\xff");
  EXPECT_EQ(printable("\xe8\xa1"), "\\xe8\\xa1");                    // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // longer than need be
  EXPECT_EQ(printable("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf");           // likewise
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair of UTF-16
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(TextTable, ACellIsOneLine) {
  TextTable table({{"name", Align::left}, {"n"}});
  table.row({"a\n\x1b[31m", "1"});
  EXPECT_EQ(table.str(), "name         n\n-----------  -\na\\n\\x1b[31m  1\n");
}

}  // namespace
}  // namespace spress::reports
