// The instruction set of each format's product on the CPU.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "formats/core/isa.hpp"

namespace spress {

/// The widest instruction set that pays for the product of a format on a kind of processor.
struct IsaLimit {
  std::string_view format;
  Processor processor;
  Isa widest;
};

/// Products that lose by wider instructions. All others use the widest that the choice allows. Nothing is measured when
/// the program starts: the same processor always gives the same bits.
///
/// Zen 5, one thread, ms, portable / AVX2 / AVX-512: csr of a 7-point stencil 140^3 18 / 15 / 40, of 2D Poisson 2000^2
/// 17 / 15 / 57; bccoo 25 / 28 / 65 and 28 / 28 / 64. opt-csr was as slow. coo and bcoo sum their rows by the same code
/// as csr. Zen 4 was measured with these limits (bench/runs/2026-11-25-epyc). Older processors have a slower gather,
/// which AVX2 uses for bccoo.
inline constexpr std::array isa_limits = {
    IsaLimit{"csr", Processor::zen4, Isa::avx2},       IsaLimit{"csr", Processor::zen5, Isa::avx2},
    IsaLimit{"opt-csr", Processor::zen4, Isa::avx2},   IsaLimit{"opt-csr", Processor::zen5, Isa::avx2},
    IsaLimit{"coo", Processor::zen4, Isa::avx2},       IsaLimit{"coo", Processor::zen5, Isa::avx2},
    IsaLimit{"bcoo", Processor::zen4, Isa::avx2},      IsaLimit{"bcoo", Processor::zen5, Isa::avx2},
    IsaLimit{"bccoo", Processor::zen3, Isa::portable}, IsaLimit{"bccoo", Processor::zen4, Isa::portable},
    IsaLimit{"bccoo", Processor::zen5, Isa::portable},
};

/// The instruction set of a format's product, for a choice and a kind of processor.
[[nodiscard]] constexpr Isa isa_of_product(std::string_view format, IsaChoice choice, Processor processor) {
  Isa isa = choice.isa;
  for (const IsaLimit& limit : isa_limits)
    if (!choice.exact && limit.format == format && limit.processor == processor) isa = std::min(isa, limit.widest);
  return isa;
}

/// The instruction set that `spmv` uses for format F on this processor. Compiling searches the table.
template <template <class> class F>
[[nodiscard]] Isa isa_of_product() {
  static constexpr auto widest = [] {
    std::array<Isa, processors> isas = {};
    for (std::size_t p = 0; p < isas.size(); ++p)
      isas[p] = isa_of_product(F<Viewed>::name, {Isa::avx512, false}, static_cast<Processor>(p));
    return isas;
  }();
  const IsaChoice choice = isa_choice();
  return choice.exact ? choice.isa : std::min(choice.isa, widest[static_cast<std::size_t>(processor())]);
}

}  // namespace spress
