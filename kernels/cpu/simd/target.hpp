// Compiling a product for one instruction set. Every source of this folder is compiled once for each (CMakeLists.txt
// sets SPRESS_ISA_LEVEL), and what stands between SPRESS_KERNELS_BEGIN and SPRESS_KERNELS_END may use its instructions;
// it lies in a namespace of its own. Nothing else may: what headers of the standard library or of the other folders
// define is shared by all instruction sets, and must run on any processor.
#pragma once

#ifndef SPRESS_ISA_LEVEL
#define SPRESS_ISA_LEVEL 0
#endif

#define SPRESS_PRAGMA(text) _Pragma(#text)
#if SPRESS_ISA_LEVEL == 0
#define SPRESS_ISA portable
#define SPRESS_TARGET_BEGIN
#define SPRESS_TARGET_END
#else
#if SPRESS_ISA_LEVEL == 1
#define SPRESS_ISA avx2
#define SPRESS_FEATURES "avx2,fma,bmi,bmi2,lzcnt,popcnt"
#else
#define SPRESS_ISA avx512
#define SPRESS_FEATURES "avx2,fma,bmi,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512bw,avx512vl"
#endif
#ifdef __clang__
#define SPRESS_TARGET_BEGIN_FOR(features) \
  SPRESS_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define SPRESS_TARGET_END SPRESS_PRAGMA(clang attribute pop)
#else
#define SPRESS_TARGET_BEGIN_FOR(features) SPRESS_PRAGMA(GCC push_options) SPRESS_PRAGMA(GCC target features)
#define SPRESS_TARGET_END SPRESS_PRAGMA(GCC pop_options)
#endif
#define SPRESS_TARGET_BEGIN SPRESS_TARGET_BEGIN_FOR(SPRESS_FEATURES)
#endif

#define SPRESS_KERNELS_BEGIN SPRESS_TARGET_BEGIN namespace spress::cpu::SPRESS_ISA {
#define SPRESS_KERNELS_END \
  }                        \
  SPRESS_TARGET_END

#define SPRESS_PRODUCT_FOR(T, F)                                                           \
  template <>                                                                              \
  void product<Isa::SPRESS_ISA, T, F>(const F<Viewed>& a, const T* x, T* y, int threads) { \
    multiply_here(a, x, y, threads);                                                       \
  }

/// Ends a format's source: makes multiply(view, x, y, threads) of this instruction set's namespace the product of the
/// format, unless the product of the next narrower set serves as well. Requires: kernels/cpu/spmv.hpp.
#define SPRESS_SPMV(F)                                                           \
  namespace spress::cpu {                                                        \
  template <class T>                                                             \
  static void multiply_here(const F<Viewed>& a, const T* x, T* y, int threads) { \
    if constexpr (is_compiled(F<Viewed>::name, Isa::SPRESS_ISA))                 \
      SPRESS_ISA::multiply(a, x, y, threads);                                    \
    else                                                                         \
      product<narrower(Isa::SPRESS_ISA)>(a, x, y, threads);                      \
  }                                                                              \
  SPRESS_PRODUCT_FOR(float, F)                                                   \
  SPRESS_PRODUCT_FOR(double, F)                                                  \
  }
