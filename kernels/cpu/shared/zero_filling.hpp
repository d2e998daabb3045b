// Blocks that are filled with zeros where they have no entry.
#pragma once

#include "formats/values/values.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

/// Code 0 is the number 0 where the codes are the numbers: then slots without an entry are multiplied, as in the paper.
template <class T>
constexpr bool zero_is_zero(IsoAccessor<T>) {
  return false;
}
template <class T, class Code>
constexpr bool zero_is_zero(TableAccessor<T, Code>) {
  return false;
}
template <class T, class Code>
constexpr bool zero_is_zero(CastAccessor<T, Code>) {
  return true;
}

SPRESS_KERNELS_END
