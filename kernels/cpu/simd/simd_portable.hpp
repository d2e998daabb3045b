// Simd<T>, chosen lanes and Near<T> of simd.hpp for every processor: arrays of numbers.
#pragma once

#include "kernels/cpu/simd/target.hpp"

#if SPRESS_ISA_LEVEL == 0

#include <cstdint>

SPRESS_KERNELS_BEGIN

template <class T>
struct Simd {
  static constexpr int lanes = 4;
  static constexpr bool has_masks = false;
  struct Vector {
    T lane[lanes];
  };
  struct Ids {
    std::int64_t lane[lanes];
  };
  static Vector zero() { return {}; }
  static Vector splat(T v) { return {v, v, v, v}; }
  template <class Code>
  static Vector load(const Code* p) {
    return {static_cast<T>(p[0]), static_cast<T>(p[1]), static_cast<T>(p[2]), static_cast<T>(p[3])};
  }
  template <class Code>
  static Ids ids(const Code* p) {
    return {p[0], p[1], p[2], p[3]};
  }
  static Vector gather(const T* x, Ids i) { return {x[i.lane[0]], x[i.lane[1]], x[i.lane[2]], x[i.lane[3]]}; }
  static Vector fma(Vector a, Vector b, Vector c) {
    for (int i = 0; i < lanes; ++i) c.lane[i] += a.lane[i] * b.lane[i];
    return c;
  }
  static void store(T* p, Vector v) {
    for (int i = 0; i < lanes; ++i) p[i] = v.lane[i];
  }
  static T sum(Vector v) { return (v.lane[0] + v.lane[2]) + (v.lane[1] + v.lane[3]); }
};

using Chosen = unsigned;
template <class T>
Chosen choose(std::uint32_t bits) {
  return bits & ((1u << Simd<T>::lanes) - 1);
}
template <class T>
unsigned chosen_bits(Chosen chosen) {
  return chosen;
}
template <class T>
Chosen chosen_ids(const typename Simd<T>::Ids& ids, std::uint32_t none) {
  Chosen bits = 0;
  for (int i = 0; i < Simd<T>::lanes; ++i) bits |= static_cast<unsigned>(ids.lane[i] != none) << i;
  return bits;
}
template <class T>
auto gather_chosen(const T* x, const typename Simd<T>::Ids& ids, Chosen chosen) {
  typename Simd<T>::Vector v = {};
  for (int i = 0; i < Simd<T>::lanes; ++i)
    if ((chosen >> i & 1) != 0) v.lane[i] = x[ids.lane[i]];
  return v;
}
template <class T>
auto fma_chosen(typename Simd<T>::Vector a, typename Simd<T>::Vector b, typename Simd<T>::Vector c, Chosen chosen) {
  for (int i = 0; i < Simd<T>::lanes; ++i)
    if ((chosen >> i & 1) != 0) c.lane[i] += a.lane[i] * b.lane[i];
  return c;
}

template <class T>
struct Near {
  static constexpr std::uint32_t span = 0, columns = 4;
  std::uint32_t first;
  Near(const typename Simd<T>::Ids&, std::uint32_t first_id) : first(first_id) {}
  static bool holds() { return false; }
  static bool side_by_side() { return false; }
  struct Window {
    static auto at(std::uint32_t) { return Simd<T>::zero(); }
  };
  static Window window(const T*) { return {}; }
};

SPRESS_KERNELS_END

#endif
