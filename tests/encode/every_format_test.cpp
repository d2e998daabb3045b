// Every format of the list against every scenario: nothing here names a format.
#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "tests/scenarios.hpp"

namespace spress {

void PrintTo(const Spec& spec, std::ostream* out) { *out << spec.text(); }

namespace {

using tests::Fill;

// What walks the list compiles once for each format, so it only collects; the tests look at what it found.

/// Each format with its defaults, and with every choice of every enumerated parameter.
std::vector<Spec> every_spec() {
  std::vector<Spec> specs;
  for (const auto& entry : format_entries()) {
    specs.push_back({entry.name, {}});
    for (const auto& option : entry.options)
      for (std::size_t begin = 0; begin < option.choices.size();) {
        const auto end = std::min(option.choices.find('|', begin), option.choices.size());
        specs.push_back({entry.name, {{option.key, option.choices.substr(begin, end - begin)}}});
        begin = end + 1;
      }
  }
  return specs;
}

class EveryFormat : public testing::TestWithParam<Spec> {};

/// False where the format says that it cannot hold the matrix; then encode must say so too.
bool holds(const Csr<Owned>& a, const Spec& spec) {
  const auto size = estimate_any(view_of(a), spec);
  if (size.ok() || size.error().code != ErrorCode::not_applicable) return true;
  const auto encoded = encode_any(view_of(a), spec);
  EXPECT_TRUE(!encoded.ok() && encoded.error().code == ErrorCode::not_applicable);
  return false;
}

/// The matrix of a scenario with each fill and each value store that holds it, if the format does.
template <class Use>
void for_each_matrix(Use&& use) {
  int matrices = 0, held = 0;
  for (const auto& scenario : tests::scenarios())
    for (Fill fill : {Fill::real, Fill::pattern, Fill::complex_values}) {
      const auto raw = tests::make_csr(scenario, fill);
      for (StoreKind kind : all_stores) {
        const auto a = with_values(view_of(raw), kind);
        if (!a.ok()) continue;
        const bool fits = holds(*a, EveryFormat::GetParam());
        matrices += kind == StoreKind::raw;  // a format that codes values in its own way takes raw stores only
        held += kind == StoreKind::raw && fits;
        if (!fits) continue;
        use(scenario.name + " as " + std::string(enum_name(kind)) + " " + std::to_string(int(fill)), *a);
      }
    }
  EXPECT_GT(2 * held, matrices) << "a format that refuses most matrices is not tested here";
}

TEST_P(EveryFormat, ReturnsEveryBit) {
  for_each_matrix([](const std::string& name, const Csr<Owned>& a) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(validate(view_of(a)).ok());
    const auto encoded = encode_any(view_of(a), GetParam());
    ASSERT_TRUE(encoded.ok()) << encoded.error().text();
    Status valid = Ok{};
    with_any(*encoded, [&](const auto& f) { valid = validate(view_of(f)); });
    EXPECT_TRUE(valid.ok()) << valid.error().text();
    EXPECT_TRUE(identical(decode_any(*encoded), a));
  });
}

/// What a format holds, as its description tells.
struct Held {
  ByteTotals bytes;
  std::uint64_t value_array_bytes = 0;  ///< of the arrays that hold nothing but values
  std::uint64_t value_slots = 0;        ///< values in its value stores
};
Held held_by(const AnyFormat& any) {
  Held held;
  with_any(any, [&](const auto& f) {
    held.bytes = byte_totals(f);
    for_each_array(
        [&](const ArrayInfo& info, const auto& array) {
          if (info.role == Role::value) held.value_array_bytes += array.bytes();
        },
        f);
    for_each_scalar(
        [&](std::string_view name, const auto& count) {
          if (name == "value_count") held.value_slots += static_cast<std::uint64_t>(count);
        },
        f);
  });
  return held;
}

TEST_P(EveryFormat, EstimatesItsBytesExactly) {
  for_each_matrix([](const std::string& name, const Csr<Owned>& a) {
    SCOPED_TRACE(name);
    const auto size = estimate_any(view_of(a), GetParam());
    const auto encoded = encode_any(view_of(a), GetParam());
    ASSERT_TRUE(size.ok() && encoded.ok());
    const Held held = held_by(*encoded);
    EXPECT_EQ(held.bytes.index_bytes, size->index_bytes);
    EXPECT_EQ(held.bytes.value_bytes, size->own_value_bytes.value_or(held.value_array_bytes));
    EXPECT_EQ(size->own_value_bytes ? size->value_slots : held.value_slots, size->value_slots);
  });
}

/// A format packed into one buffer.
struct Packed {
  bool identical = false, decodes = false;
  std::size_t misaligned = 0;  ///< arrays
};
Packed packed(const AnyFormat& any, const Csr<Owned>& a) {
  Packed out;
  with_any(any, [&]<template <class> class F>(const F<Owned>& f) {
    HostArray<std::uint8_t> buffer(packed_size(f), 0xA5);
    const F<Viewed> view = pack(view_of(f), buffer.data());
    out.identical = identical(view, f);
    out.decodes = identical(decode<F>(view), a);
    for_each_array(
        [&](const ArrayInfo&, const auto& array) {
          out.misaligned += (static_cast<const std::uint8_t*>(array.raw()) - buffer.data()) % 256 != 0;
        },
        view);
  });
  return out;
}

TEST_P(EveryFormat, PacksIntoOneBufferAndBack) {
  for_each_matrix([](const std::string& name, const Csr<Owned>& a) {
    SCOPED_TRACE(name);
    const auto encoded = encode_any(view_of(a), GetParam());
    ASSERT_TRUE(encoded.ok());
    const Packed out = packed(*encoded, a);
    EXPECT_TRUE(out.identical);
    EXPECT_TRUE(out.decodes);
    EXPECT_EQ(out.misaligned, 0u);
  });
}

/// Shortens array number `broken` of a view by one element, if it has one, and gives its name; false if there is no
/// such array.
template <class View>
bool shorten(View& view, std::size_t broken, std::string& name) {
  std::size_t arrays = 0;
  for_each_array(
      [&](const ArrayInfo& info, auto& array) {
        if (arrays++ != broken || array.size() == 0) return;
        array.bind(array.dtype(), array.raw(), array.size() - 1);
        name = info.name;
      },
      view);
  return broken < arrays;
}

/// Breaks each array of a format in turn: validate must notice what would make a kernel read outside its arrays.
TEST_P(EveryFormat, RefusesArraysOfTheWrongLength) {
  const auto a = tests::make_csr(tests::scenarios()[14]);
  const auto encoded = encode_any(view_of(a), GetParam());
  ASSERT_TRUE(encoded.ok());
  std::size_t broken = 0;
  std::string unnoticed;
  with_any(*encoded, [&](const auto& f) {
    const auto whole = view_of(f);
    auto view = whole;
    std::string name;
    for (std::size_t i = 0; shorten(view, i, name); ++i, view = whole) {
      if (!name.empty() && validate(view).ok()) unnoticed += name + " ";
      broken += name.empty() ? 0 : 1;
      name.clear();
    }
  });
  EXPECT_GE(broken, 2u);
  EXPECT_EQ(unnoticed, "");
}

INSTANTIATE_TEST_SUITE_P(List, EveryFormat, testing::ValuesIn(every_spec()), [](const auto& parameter) {
  std::string name = parameter.param.text();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

TEST(Formats, UnknownNamesListTheChoices) {
  const auto status = check_format({"nosuch", {}});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::usage);
  for (const auto& entry : format_entries())
    EXPECT_NE(status.error().message.find(entry.name), std::string::npos) << entry.name;
  EXPECT_FALSE(check_format({"csr", {{"x", "1"}}}).ok());
  EXPECT_FALSE(check_format({"opt-csr", {{"index", "sideways"}}}).ok());
  EXPECT_TRUE(check_format({"opt-csr", {{"index", "auto"}}}).ok());
}

}  // namespace
}  // namespace spress
