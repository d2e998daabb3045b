// Blocks that are filled with zeros where they have no entry.
#pragma once

#include "formats/values/values.hpp"

namespace spress::cpu {

/// Code 0 is the number 0 where the codes are the numbers: then slots without an entry are multiplied, as in the paper.
template <class Values>
inline constexpr bool zero_is_zero = false;
template <class T, class Code>
inline constexpr bool zero_is_zero<CastAccessor<T, Code>> = true;

}  // namespace spress::cpu
