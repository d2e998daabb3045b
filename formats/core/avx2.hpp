// Loops that are compiled for AVX2 besides the portable code. Both find the same. Elsewhere than on an x86 SPRESS_AVX2
// is not defined.
#pragma once

#ifdef __x86_64__

#include "formats/core/isa.hpp"

/// Marks a function that requires has_avx2().
#define SPRESS_AVX2 __attribute__((target("avx2,popcnt")))

namespace spress {

/// Whether the processor has AVX2 and the selected instruction set allows it.
[[nodiscard]] inline bool has_avx2() { return isa() >= Isa::avx2; }

}  // namespace spress

#endif
