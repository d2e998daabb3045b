// Which instruction set a product uses on which processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/isa.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

constexpr std::array all_isas = {Isa::portable, Isa::avx2, Isa::avx512};
constexpr std::array all_processors = {Processor::other, Processor::intel, Processor::zen3, Processor::zen4,
                                       Processor::zen5};
static_assert(all_processors.size() == processors);

TEST(IsaTable, NamesFormatsOfTheListOnce) {
  std::set<std::tuple<std::string_view, Processor, Isa>> seen;
  for (const SlowProduct& slow : slow_products) {
    EXPECT_TRUE(with_format(slow.format, [](auto) {})) << slow.format;
    EXPECT_TRUE(seen.emplace(slow.format, slow.processor, slow.isa).second) << slow.format;
    EXPECT_NE(slow.isa, Isa::portable) << slow.format << ": there is nothing narrower";
  }
}

TEST(IsaTable, ProductsThatServeTwoSetsAreNamedOnce) {
  std::set<std::pair<std::string_view, Isa>> seen;
  for (const SharedProduct& shared : shared_products) {
    EXPECT_TRUE(with_format(shared.format, [](auto) {})) << shared.format;
    EXPECT_TRUE(seen.emplace(shared.format, shared.isa).second) << shared.format;
    EXPECT_NE(shared.isa, Isa::portable) << shared.format << ": there is nothing narrower";
    for (const SlowProduct& slow : slow_products)
      EXPECT_FALSE(slow.format == shared.format && slow.isa == shared.isa) << shared.format << ": nothing to lose by";
  }
}

TEST(IsaTable, ACeilingIsNeverExceededAndAnExactSetIsTaken) {
  for_each_format([]<template <class> class F>(Tag<F>) {
    for (const Processor processor : all_processors)
      for (const Isa isa : all_isas) {
        EXPECT_LE(isa_of_product(F<Viewed>::name, {isa, false}, processor), isa);
        EXPECT_EQ(isa_of_product(F<Viewed>::name, {isa, true}, processor), isa);
      }
  });
}

TEST(IsaTable, Zen5TakesNarrowSetsWhereWideOnesLose) {
  constexpr IsaChoice widest = {Isa::avx512, false};
  for (const char* format : {"csr", "opt-csr"}) {
    EXPECT_EQ(isa_of_product(format, widest, Processor::zen5), Isa::avx2);
    EXPECT_EQ(isa_of_product(format, widest, Processor::intel), Isa::avx512);
    EXPECT_EQ(isa_of_product(format, {Isa::portable, false}, Processor::zen5), Isa::portable);
  }
  EXPECT_EQ(isa_of_product("bccoo", widest, Processor::zen5), Isa::portable);
  EXPECT_EQ(isa_of_product("bccoo", widest, Processor::other), Isa::avx512);
}

/// The product under any choice on any processor has the bits of the exact set that the table names.
TEST(IsaTable, DecidesWhichKernelRuns) {
  for (const auto& scenario : tests::scenarios()) {
    if (scenario.cols > 10000) continue;
    const auto a = tests::make_csr(scenario, tests::Fill::real);
    const auto x = test_vector<double>(a.cols);
    for (const auto& spec : all_formats()) {
      const auto encoded = encode_any(view_of(a), spec);
      if (!encoded.ok()) continue;
      const auto product = [&] {
        std::vector<double> y(a.rows);
        with_any(*encoded, [&](const auto& f) { cpu::spmv<double>(view_of(f), x.data(), y.data(), 1); });
        return y;
      };
      for (const Processor processor : all_processors)
        for (const Isa ceiling : available_isas()) {
          if (spec.name == "hybrid-bm-csr") continue;  // its scattered part is an opt-csr, which has its own limit
          const tests::OnProcessor there(processor);
          std::vector<double> chosen, wanted;
          {
            const tests::ExactIsa exact(isa_of_product(spec.name, {ceiling, false}, processor));
            wanted = product();
          }
          const IsaChoice before = isa_choice();
          select_isa({ceiling, false});
          chosen = product();
          select_isa(before);
          EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(chosen)), std::as_bytes(std::span(wanted))))
              << spec.text() << " of " << scenario.name << ", ceiling " << enum_name(ceiling);
        }
    }
  }
}

/// Kinds of processors that run one instruction set may read x and tables of values in other ways, but sum alike.
TEST(IsaTable, ProcessorsOfOneInstructionSetAgree) {
  const auto input = gallery::generate(parse_spec("elasticity3d:n=5,values=few,distinct=200").value());
  ASSERT_TRUE(input.ok());
  for (const StoreKind kind : {StoreKind::raw, StoreKind::lut8}) {
    const auto a = with_values(view_of(input->csr), kind);
    ASSERT_TRUE(a.ok());
    const auto x = test_vector<double>(a->cols);
    for (const auto& spec : all_formats()) {
      const auto encoded = encode_any(view_of(*a), spec);
      if (!encoded.ok()) continue;
      for (const Isa isa : available_isas()) {
        const tests::ExactIsa exact(isa);
        std::optional<std::vector<double>> first;
        for (const Processor processor : all_processors) {
          const tests::OnProcessor there(processor);
          std::vector<double> y(a->rows);
          with_any(*encoded, [&](const auto& f) { cpu::spmv<double>(view_of(f), x.data(), y.data(), 1); });
          if (!first) first = y;
          EXPECT_EQ(y, *first) << spec.text() << " with " << enum_name(kind) << ", " << enum_name(isa);
        }
      }
    }
  }
}

}  // namespace
}  // namespace spress
