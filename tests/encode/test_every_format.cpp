// Every format of the list against every scenario: nothing here names a format.
#include <gtest/gtest.h>

#include "encode/any.hpp"
#include "tests/scenarios.hpp"

namespace spress {

void PrintTo(const Spec& spec, std::ostream* out) { *out << spec.text(); }

namespace {

using tests::Fill;

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
    with_any(*encoded, [](const auto& f) {
      const auto valid = validate(view_of(f));
      EXPECT_TRUE(valid.ok()) << valid.error().text();
    });
    EXPECT_TRUE(identical(decode_any(*encoded), a));
  });
}

/// Bytes of the arrays that hold nothing but values.
template <class F>
std::uint64_t value_bytes_in(const F& f) {
  std::uint64_t bytes = 0;
  for_each_array(
      [&](const ArrayInfo& info, const auto& array) { bytes += info.role == Role::value ? array.bytes() : 0; }, f);
  return bytes;
}

/// Values in the format's value stores.
template <class F>
std::uint64_t value_slots_in(const F& f) {
  std::uint64_t slots = 0;
  for_each_scalar(
      [&](std::string_view name, const auto& count) {
        if (name == "value_count") slots += static_cast<std::uint64_t>(count);
      },
      f);
  return slots;
}

TEST_P(EveryFormat, EstimatesItsBytesExactly) {
  for_each_matrix([](const std::string& name, const Csr<Owned>& a) {
    SCOPED_TRACE(name);
    const auto size = estimate_any(view_of(a), GetParam());
    const auto encoded = encode_any(view_of(a), GetParam());
    ASSERT_TRUE(size.ok() && encoded.ok());
    with_any(*encoded, [&](const auto& f) {
      EXPECT_EQ(byte_totals(f).index_bytes, size->index_bytes);
      EXPECT_EQ(byte_totals(f).value_bytes, size->own_value_bytes.value_or(value_bytes_in(f)));
      EXPECT_EQ(size->own_value_bytes ? size->value_slots : value_slots_in(f), size->value_slots);
    });
  });
}

TEST_P(EveryFormat, PacksIntoOneBufferAndBack) {
  for_each_matrix([](const std::string& name, const Csr<Owned>& a) {
    SCOPED_TRACE(name);
    const auto encoded = encode_any(view_of(a), GetParam());
    ASSERT_TRUE(encoded.ok());
    with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
      HostArray<std::uint8_t> buffer(packed_size(f), 0xA5);
      const F<Viewed> packed = pack(view_of(f), buffer.data());
      EXPECT_TRUE(identical(packed, f));
      EXPECT_TRUE(identical(decode<F>(packed), a));
      for_each_array(
          [&](const ArrayInfo&, const auto& array) {
            EXPECT_EQ((static_cast<const std::uint8_t*>(array.raw()) - buffer.data()) % 256, 0);
          },
          packed);
    });
  });
}

/// Breaks each array of a format in turn: validate must notice what would make a kernel read outside its arrays.
TEST_P(EveryFormat, RefusesArraysOfTheWrongLength) {
  const auto a = tests::make_csr(tests::scenarios()[14]);
  const auto encoded = encode_any(view_of(a), GetParam());
  ASSERT_TRUE(encoded.ok());
  with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
    std::size_t arrays = 0;
    for_each_array([&](const ArrayInfo&, const auto&) { ++arrays; }, f);
    for (std::size_t broken = 0; broken < arrays; ++broken) {
      F<Viewed> view = view_of(f);
      std::size_t i = 0;
      std::string name;
      for_each_array(
          [&](const ArrayInfo& info, auto& array) {
            if (i++ == broken && array.size() != 0) {
              array.bind(array.dtype(), array.raw(), array.size() - 1);
              name = info.name;
            }
          },
          view);
      EXPECT_TRUE(name.empty() || !validate(view).ok()) << name;
    }
  });
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
