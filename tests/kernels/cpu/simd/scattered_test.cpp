// The sample of columns that decides whether products look for windows of x, and whether they gather.
#ifdef __x86_64__
#define SPRESS_ISA_LEVEL 2
#endif
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "formats/core/isa.hpp"
#include "formats/values/distinct.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "tests/exact_isa.hpp"

namespace spress {
namespace {

TEST(Scattered, IsASampleOfTheColumnsOnEveryProcessor) {
  if (available_isas().back() != Isa::avx512) GTEST_SKIP() << "no AVX-512";
  constexpr std::uint64_t cols = 100000;
  std::vector<std::uint32_t> close(20000), apart(20000);
  std::iota(close.begin(), close.end(), 0u);
  for (std::size_t k = 0; k < apart.size(); ++k) apart[k] = static_cast<std::uint32_t>(hash_bits(k) % cols);
  const std::uint32_t *const in_a_row = close.data(), *const anywhere = apart.data();
  using cpu::SPRESS_ISA::far_apart, cpu::SPRESS_ISA::scattered;
  for (const Processor processor : {Processor::other, Processor::intel, Processor::zen4, Processor::zen5}) {
    const tests::OnProcessor there(processor);
    EXPECT_FALSE(scattered<double>(close.size(), cols, in_a_row));
    EXPECT_TRUE(scattered<double>(apart.size(), cols, anywhere));
    EXPECT_FALSE(scattered<double>(apart.size(), 4096, anywhere)) << "x fits the first level of the cache";
    EXPECT_EQ(far_apart<double>(close.size(), cols, in_a_row), processor == Processor::intel);
    EXPECT_TRUE(far_apart<double>(apart.size(), cols, anywhere));
  }
}

}  // namespace
}  // namespace spress
