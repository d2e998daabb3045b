#include "formats/core/description.hpp"

#include <gtest/gtest.h>

#include "formats/list.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

Csr<Owned> example() { return tests::make_csr({"", 3, 4, {{0, 0}, {0, 3}, {2, 1}}, {}}); }

TEST(Description, BreaksBytesDownByArray) {
  const auto rows = byte_breakdown(example());
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].name, "row_ptr");
  EXPECT_EQ(rows[0].role, Role::pointer);
  EXPECT_EQ(rows[0].bytes, 16u);
  EXPECT_EQ(rows[1].bytes, 12u);
  EXPECT_EQ(rows[2].name, "values");
  EXPECT_EQ(rows[2].bytes, 24u);
  EXPECT_EQ(rows[3].bytes, 0u);
  const auto totals = byte_totals(example());
  EXPECT_EQ(totals.index_bytes, 28u);
  EXPECT_EQ(totals.value_bytes, 24u);
}

TEST(Description, PacksEachArrayAtAMultipleOf256) {
  EXPECT_EQ(packed_size(example()), 3u * 256);
  HostArray<std::uint8_t> buffer(3 * 256, 0xFF);
  const auto packed = pack(view_of(example()), buffer.data());
  EXPECT_EQ(static_cast<const void*>(packed.col_idx.data()), buffer.data() + 256);
  EXPECT_EQ(buffer[16], 0);  // gaps are zeroed: what is sent does not depend on what lay there
}

TEST(Description, IdenticalMeansBitForBit) {
  const auto a = tests::make_csr({"", 1, 2, {{0, 0}, {0, 1}}, {0.0, tests::nan_with_payload()}});
  auto b = a;
  EXPECT_TRUE(identical(a, b));
  EXPECT_EQ(checksum_of(a), checksum_of(b));
  b.values.codes.as<double>()[0] = -0.0;
  EXPECT_FALSE(identical(a, b));
  EXPECT_NE(checksum_of(a), checksum_of(b));
  b = a;
  b.cols = 3;
  EXPECT_FALSE(identical(a, b));
  EXPECT_NE(checksum_of(a), checksum_of(b));
}

TEST(Description, NamesOfAFormatAreUnique) {
  std::vector<std::string_view> formats;
  for_each_format([&]<template <class> class F>(Tag<F>) {
    formats.push_back(F<Owned>::name);
    std::vector<std::string> names;
    const F<Owned> f;
    for_each_array([&](const ArrayInfo& info, const auto&) { names.emplace_back(info.name); }, f);
    for_each_scalar([&](std::string_view name, const auto&) { names.emplace_back(name); }, f);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << F<Owned>::name;
  });
  std::sort(formats.begin(), formats.end());
  EXPECT_EQ(std::adjacent_find(formats.begin(), formats.end()), formats.end());
}

struct Changed {
  static constexpr std::uint32_t layout_version = 3;
};

TEST(Description, LayoutsAreInVersionOneUntilTheyDeclareAnother) {
  EXPECT_EQ(layout_version_of<Changed>, 3u);
  EXPECT_EQ(layout_version_of<Csr<Owned>>, 1u);
  EXPECT_EQ(layout_version_of<Csr<Viewed>>, 1u);
}

TEST(Description, PositionsAreWideOnlyWhereTheyMustBe) {
  EXPECT_EQ(position_type(0xFFFFFFFFu), DType::u32);
  EXPECT_EQ(position_type(std::uint64_t{0x100000000}), DType::u64);
}

TEST(Validate, RefusesBrokenCsr) {
  const auto broken = [](auto change) {
    auto a = example();
    change(a);
    return !validate(view_of(a)).ok();
  };
  EXPECT_FALSE(broken([](auto&) {}));
  EXPECT_TRUE(broken([](auto& a) { a.col_idx[0] = 4; }));
  EXPECT_TRUE(broken([](auto& a) { a.col_idx[1] = 0; }));
  EXPECT_TRUE(broken([](auto& a) { a.row_ptr.template as<std::uint32_t>()[1] = 4; }));
  EXPECT_TRUE(broken([](auto& a) { a.row_ptr.template as<std::uint32_t>()[0] = 1; }));
  EXPECT_TRUE(broken([](auto& a) { a.nnz = 2; }));
  EXPECT_TRUE(broken([](auto& a) { a.rows = std::uint64_t{1} << 40; }));
  EXPECT_TRUE(broken([](auto& a) { a.values.count = 2; }));
}

}  // namespace
}  // namespace spress
