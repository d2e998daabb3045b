#include "formats/io/readers/fortran_format.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace spress::io {
namespace {

TEST(FortranFormats, say_how_many_numbers_of_what_width) {
  struct Case {
    const char* text;
    std::uint64_t per_line;
    std::size_t width;
    int decimals, scale;
    bool integer;
  };
  for (const Case& c : {Case{"(16I5)", 16, 5, 0, 0, true}, Case{"(1P5D16.8)", 5, 16, 8, 1, false},
                        Case{"(1P,5D16.8)", 5, 16, 8, 1, false}, Case{"(4E20.12)", 4, 20, 12, 0, false},
                        Case{"( 3e26.18e3 )", 3, 26, 18, 0, false}, Case{"(I8)", 1, 8, 0, 0, true},
                        Case{"(2(F7.1))", 2, 7, 1, 0, false}, Case{"(-2P,3G25.16)", 3, 25, 16, -2, false},
                        Case{"(8I10.4)", 8, 10, 0, 0, true}}) {
    const auto format = parse_fortran_format(c.text);
    ASSERT_TRUE(format.ok()) << c.text;
    EXPECT_EQ(format->per_line, c.per_line) << c.text;
    EXPECT_EQ(format->width, c.width) << c.text;
    EXPECT_EQ(format->decimals, c.decimals) << c.text;
    EXPECT_EQ(format->scale, c.scale) << c.text;
    EXPECT_EQ(format->integer, c.integer) << c.text;
  }
  for (const auto* text : {"", "16I5", "(16I5", "(16)", "(16A5)", "(0I5)", "(16I0)", "(16I5,2X)", "(4E20.12",
                           "(5I999999)", "(99999999999I5)", "(2(I5)"})
    EXPECT_EQ(parse_fortran_format(text).error().code, ErrorCode::syntax) << text;
}

double real(const std::string& field, const char* format) {
  const auto value = parse_fortran_real(field, *parse_fortran_format(format));
  EXPECT_TRUE(value.ok()) << field;
  return value.ok() ? *value : -1;
}

TEST(FortranNumbers, are_spelt_in_many_ways) {
  for (const auto* text : {"1.25", "125.E-2", "1.25D0", "1.25d+00", "0.125E1", "12.5-1", "125.-002", "+1.25", "+ 1.25",
                           "1.25 D+00", "1.25E 00", "125.D- 2", "0.0125Q2"})
    EXPECT_EQ(real(text, "(4E20.12)"), 1.25) << text;
  EXPECT_EQ(real("125", "(4F8.2)"), 1.25);
  EXPECT_EQ(real("125E1", "(4F8.2)"), 12.5);
  EXPECT_EQ(real("12.5", "(1P,4F8.2)"), 1.25);
  EXPECT_EQ(real("12.5E0", "(1P,4F8.2)"), 12.5);
  EXPECT_EQ(real("-125", "(4I8)"), -125);
  EXPECT_EQ(real("-Infinity", "(4E20.12)"), -std::numeric_limits<double>::infinity());
}

TEST(FortranNumbers, are_refused_where_they_are_none) {
  const auto format = *parse_fortran_format("(4E20.12)");
  for (const auto* text :
       {"x", "1.2.3", "1.5E", "1.5E+", "--1", "1.5E1.5", ".", "E5", "1,5", "0x10", "1 .25", "1.0E+00 3", "2. -1"})
    EXPECT_EQ(parse_fortran_real(text, format).error().code, ErrorCode::syntax) << text;
  EXPECT_EQ(parse_fortran_real("1.0D+999", format).error().code, ErrorCode::not_representable);
}

TEST(FortranFields, have_a_width_and_may_touch) {
  const auto format = *parse_fortran_format("(3I3)");
  EXPECT_EQ(field_of("200199 10", format, 1), "199");
  EXPECT_EQ(field_of("200199 10", format, 2), "10");
  EXPECT_EQ(field_of("200199\r", format, 2), "");
  EXPECT_EQ(field_of("200", format, 1), "");
}

TEST(FortranFields, may_be_a_column_narrower_than_the_head_says) {
  const auto format = *parse_fortran_format("(3E9.2)");
  const auto width = [&](const char* line, std::uint64_t fields) { return format_of_line(line, format, fields).width; };
  EXPECT_EQ(width("1.00E+00-2.0E-201 3.0E+00", 3), 9u);  // not as long as eight columns each
  EXPECT_EQ(width("1.00E+002.00E+003.00E+00", 3), 8u);
  EXPECT_EQ(width("-1.0E+00-2.0E-20-3.0E+00 \r", 3), 8u);
  EXPECT_EQ(width(" 1.0E+00 2.0E-20 3.0E+00", 3), 8u);
  EXPECT_EQ(width("  1.E+00  2.E-20  3.E+00", 3), 9u);  // the same numbers either way
  EXPECT_EQ(width("1.234567 1.2345678.0E+00", 3), 9u);  // at the left of their fields
  EXPECT_EQ(width("  1.0E+00  2.0E-20  3.0E+00", 3), 9u);
  EXPECT_EQ(width(" 1.0E+0  2.0E-20 3.0E+00", 3), 9u);  // a blank where a number of eight columns would end
  EXPECT_EQ(format_of_line("  1  2  3", *parse_fortran_format("(3I4)"), 3).width, 4u);
}

}  // namespace
}  // namespace spress::io
