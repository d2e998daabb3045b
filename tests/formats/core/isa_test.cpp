#include "formats/core/isa.hpp"

#include <gtest/gtest.h>

#include "formats/core/avx2.hpp"
#include "tests/exact_isa.hpp"

namespace spress {
namespace {

/// Restores what it finds.
class IsaTest : public testing::Test {
 protected:
  ~IsaTest() override { select_isa(before_); }

 private:
  IsaChoice before_ = isa_choice();
};

TEST_F(IsaTest, IsChosenByName) {
  for (const Isa each : available_isas()) {
    const std::string name(enum_name(each));
    ASSERT_TRUE(select_isa(name).ok());
    EXPECT_EQ(isa_choice(), (IsaChoice{each, false}));
    EXPECT_EQ(isa_text(), name);
    ASSERT_TRUE(select_isa(name + ",exact").ok());
    EXPECT_EQ(isa_choice(), (IsaChoice{each, true}));
    EXPECT_EQ(isa_text(), name + ",exact");
  }
}

TEST_F(IsaTest, OtherNamesChangeNothing) {
  select_isa(IsaChoice{Isa::portable, true});
  for (const char* name : {"", "sse9", "exact", ",exact", "portable,", "portable,exactly", "portable,exact,exact"}) {
    const Status selected = select_isa(std::string_view(name));
    ASSERT_FALSE(selected.ok()) << name;
    EXPECT_EQ(selected.error().code, ErrorCode::usage);
    EXPECT_NE(selected.error().message.find("portable"), std::string::npos);
    EXPECT_EQ(isa_choice(), (IsaChoice{Isa::portable, true}));
  }
}

#ifdef SPRESS_AVX2
TEST_F(IsaTest, ReachesLoopsForAvx2) {
  for (const Isa each : available_isas())
    for (const bool exact : {false, true}) {
      select_isa(IsaChoice{each, exact});
      EXPECT_EQ(has_avx2(), each != Isa::portable);
    }
}
#endif

TEST(Processors, AreKnownByVendorAndFamily) {
  EXPECT_EQ(processor_of("GenuineIntel", 6, true), Processor::intel);
  EXPECT_EQ(processor_of("GenuineIntel", 19, true), Processor::intel);
  EXPECT_EQ(processor_of("AuthenticAMD", 0x15, false), Processor::other);  // before Zen
  EXPECT_EQ(processor_of("AuthenticAMD", 0x17, false), Processor::zen3);
  EXPECT_EQ(processor_of("HygonGenuine", 0x18, false), Processor::zen3);
  EXPECT_EQ(processor_of("AuthenticAMD", 0x19, false), Processor::zen3);
  EXPECT_EQ(processor_of("AuthenticAMD", 0x19, true), Processor::zen4);
  EXPECT_EQ(processor_of("AuthenticAMD", 0x1A, true), Processor::zen5);
  EXPECT_EQ(processor_of("AuthenticAMD", 0x1B, true), Processor::zen5);
  EXPECT_EQ(processor_of("CentaurHauls", 7, true), Processor::other);
}

}  // namespace
}  // namespace spress
