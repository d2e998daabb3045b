// The instruction set of each format's product on the CPU.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "formats/core/isa.hpp"

namespace spress {

/// An instruction set by which the product of a format loses on a kind of processor.
struct SlowProduct {
  std::string_view format;
  Processor processor;
  Isa isa;
};

/// Nothing is measured when the program starts: the same processor always gives the same bits.
///
/// Zen 5, one thread, ms, portable / AVX2 / AVX-512: csr of a 7-point stencil 140^3 18 / 15 / 40, of 2D Poisson 2000^2
/// 17 / 15 / 57; bccoo 25 / 28 / 65 and 28 / 28 / 64. opt-csr was as slow. coo and bcoo sum their rows by the same code
/// as csr. On elasticity ell and hyb take 1.2 times as long with AVX2 as portable code on Zen 5, 1.5 times on Intel's.
/// Zen 3, which has the same slow gathers, was not measured.
inline constexpr std::array slow_products = {
    SlowProduct{"csr", Processor::zen4, Isa::avx512},     SlowProduct{"csr", Processor::zen5, Isa::avx512},
    SlowProduct{"opt-csr", Processor::zen4, Isa::avx512}, SlowProduct{"opt-csr", Processor::zen5, Isa::avx512},
    SlowProduct{"coo", Processor::zen4, Isa::avx512},     SlowProduct{"coo", Processor::zen5, Isa::avx512},
    SlowProduct{"bcoo", Processor::zen4, Isa::avx512},    SlowProduct{"bcoo", Processor::zen5, Isa::avx512},
    SlowProduct{"bccoo", Processor::zen4, Isa::avx512},   SlowProduct{"bccoo", Processor::zen5, Isa::avx512},
    SlowProduct{"bccoo", Processor::zen3, Isa::avx2},     SlowProduct{"bccoo", Processor::zen4, Isa::avx2},
    SlowProduct{"bccoo", Processor::zen5, Isa::avx2},     SlowProduct{"ell", Processor::zen3, Isa::avx2},
    SlowProduct{"ell", Processor::zen4, Isa::avx2},       SlowProduct{"hyb", Processor::zen3, Isa::avx2},
    SlowProduct{"hyb", Processor::zen4, Isa::avx2},       SlowProduct{"ell", Processor::zen5, Isa::avx2},
    SlowProduct{"hyb", Processor::zen5, Isa::avx2},       SlowProduct{"ell", Processor::intel, Isa::avx2},
    SlowProduct{"hyb", Processor::intel, Isa::avx2},
};

/// The instruction set of a format's product: the widest that the choice allows and that does not lose.
[[nodiscard]] constexpr Isa isa_of_product(std::string_view format, IsaChoice choice, Processor processor) {
  Isa isa = choice.isa;
  const auto loses = [&](const SlowProduct& slow) {
    return slow.format == format && slow.processor == processor && slow.isa == isa;
  };
  while (!choice.exact && std::ranges::any_of(slow_products, loses)) isa = static_cast<Isa>(static_cast<int>(isa) - 1);
  return isa;
}

/// The instruction set that `spmv` uses for format F on this processor. Compiling searches the table.
template <template <class> class F>
[[nodiscard]] Isa isa_of_product() {
  constexpr std::size_t isas = EnumNames<Isa>::names.size();
  static constexpr auto chosen = [] {
    std::array<std::array<Isa, isas>, processors> table = {};
    for (std::size_t p = 0; p < processors; ++p)
      for (std::size_t i = 0; i < isas; ++i)
        table[p][i] = isa_of_product(F<Viewed>::name, {static_cast<Isa>(i), false}, static_cast<Processor>(p));
    return table;
  }();
  const IsaChoice choice = isa_choice();
  if (choice.exact) return choice.isa;
  return chosen[static_cast<std::size_t>(processor())][static_cast<std::size_t>(choice.isa)];
}

}  // namespace spress
