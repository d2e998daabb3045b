// Formats in chunks, with chunks so short that rows run over many of them.
#include <gtest/gtest.h>

#include <cstring>

#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::Fill;

/// The formats of the list that take a chunk length.
std::vector<std::string> chunked_formats() {
  std::vector<std::string> names;
  for (const auto& entry : format_entries())
    for (const auto& option : entry.options)
      if (option.key == "b" && option.help.starts_with("entries in a chunk")) names.push_back(entry.name);
  return names;
}

class Chunks : public testing::TestWithParam<std::string> {};

template <class T>
std::vector<T> product(const AnyFormat& any, const std::vector<T>& x, std::size_t rows, int threads) {
  std::vector<T> y(rows + 1, T(-77));
  with_any(any, [&](const auto& f) { cpu::spmv<T>(view_of(f), x.data(), y.data(), threads); });
  EXPECT_EQ(y[rows], T(-77)) << "written behind the rows";
  return y;
}

template <class T>
void check(const Csr<Owned>& a, const Spec& spec) {
  const auto encoded = encode_any(view_of(a), spec);
  ASSERT_TRUE(encoded.ok()) << encoded.error().text();
  with_any(*encoded, [](const auto& f) {
    const auto valid = validate(view_of(f));
    EXPECT_TRUE(valid.ok()) << valid.error().text();
  });
  EXPECT_TRUE(identical(decode_any(*encoded), a));
  if (a.cols > 1000000) return;  // the vector alone would be gigabytes
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(view_of(a), x.data());
  const auto alone = product<T>(*encoded, x, a.rows, 1);
  const auto verdict = judge(reference, alone.data());
  EXPECT_TRUE(verdict.ok) << verdict.reason;
  for (int threads : {2, 3, 7}) {
    const auto shared = product<T>(*encoded, x, a.rows, threads);
    EXPECT_EQ(std::memcmp(shared.data(), alone.data(), a.rows * sizeof(T)), 0) << threads << " threads";
  }
}

TEST_P(Chunks, OfAnyLengthGiveTheSameBitsForAnyNumberOfThreads) {
  for (const auto& scenario : tests::scenarios())
    for (Fill fill : {Fill::real, Fill::pattern})
      for (const char* b : {"1", "2", "3", "7", "64", "4294967295"}) {
        SCOPED_TRACE(scenario.name + ", b=" + b + (fill == Fill::pattern ? ", pattern" : ""));
        const auto a = tests::make_csr(scenario, fill);
        check<double>(a, {GetParam(), {{"b", b}}});
        const auto single = with_value_type(view_of(a), ValueType::f32);
        ASSERT_TRUE(single.ok());
        check<float>(*single, {GetParam(), {{"b", b}}});
      }
}

INSTANTIATE_TEST_SUITE_P(List, Chunks, testing::ValuesIn(chunked_formats()), [](const auto& parameter) {
  std::string name = parameter.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace spress
