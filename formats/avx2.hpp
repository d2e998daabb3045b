// The few loops that are compiled for AVX2, too: what they find is the same. Elsewhere than on an x86 SPRESS_AVX2 is
// not defined.
#pragma once

#ifdef __x86_64__

/// Of a function that is called only where has_avx2.
#define SPRESS_AVX2 __attribute__((target("avx2,popcnt")))

namespace spress {

inline const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("popcnt") != 0;

}  // namespace spress

#endif
