// The instruction set of each format's product on the CPU.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "formats/core/isa.hpp"

namespace spress {

/// The next narrower instruction set. Requires: isa != Isa::portable.
[[nodiscard]] constexpr Isa narrower(Isa isa) { return static_cast<Isa>(static_cast<int>(isa) - 1); }

/// An instruction set that the product of a format is not compiled for.
struct SharedProduct {
  std::string_view format;
  Isa isa;
};

/// Each of these products would take at least 0.95 of the time of that for the next narrower set, which runs instead.
/// Measured in double precision, as the geometric mean over eight kinds of matrices of 2 million entries, on Zen 4, on
/// Zen 5 and on Intel's processors with AVX-512 (bench/runs/2026-11-29-zen5, 2026-11-29-h200). In single precision, ell
/// and hyb with AVX2 would take 0.6 to 0.8 of the time in the cache.
inline constexpr std::array shared_products = {
    SharedProduct{"ell", Isa::avx2},         SharedProduct{"hyb", Isa::avx2},
    SharedProduct{"bsr", Isa::avx512},       SharedProduct{"yaspmv", Isa::avx2},
    SharedProduct{"yaspmv", Isa::avx512},    SharedProduct{"bccoo-gpu", Isa::avx2},
    SharedProduct{"bccoo-gpu", Isa::avx512},
};

/// Whether the product of a format is compiled for an instruction set of its own.
[[nodiscard]] constexpr bool is_compiled(std::string_view format, Isa isa) {
  return std::ranges::none_of(
      shared_products, [&](const SharedProduct& shared) { return shared.format == format && shared.isa == isa; });
}

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
/// as csr. Zen 3, which has the same slow gathers, was not measured.
inline constexpr std::array slow_products = {
    SlowProduct{"csr", Processor::zen4, Isa::avx512},     SlowProduct{"csr", Processor::zen5, Isa::avx512},
    SlowProduct{"opt-csr", Processor::zen4, Isa::avx512}, SlowProduct{"opt-csr", Processor::zen5, Isa::avx512},
    SlowProduct{"coo", Processor::zen4, Isa::avx512},     SlowProduct{"coo", Processor::zen5, Isa::avx512},
    SlowProduct{"bcoo", Processor::zen4, Isa::avx512},    SlowProduct{"bcoo", Processor::zen5, Isa::avx512},
    SlowProduct{"bccoo", Processor::zen4, Isa::avx512},   SlowProduct{"bccoo", Processor::zen5, Isa::avx512},
    SlowProduct{"bccoo", Processor::zen3, Isa::avx2},     SlowProduct{"bccoo", Processor::zen4, Isa::avx2},
    SlowProduct{"bccoo", Processor::zen5, Isa::avx2},
};

/// The instruction set of a format's product: the widest that the choice allows and that does not lose.
[[nodiscard]] constexpr Isa isa_of_product(std::string_view format, IsaChoice choice, Processor processor) {
  Isa isa = choice.isa;
  const auto loses = [&](const SlowProduct& slow) {
    return slow.format == format && slow.processor == processor && slow.isa == isa;
  };
  while (!choice.exact && std::ranges::any_of(slow_products, loses)) isa = narrower(isa);
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
