// Blocks that are filled with zeros where they have no entry.
#pragma once

#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

/// Whether code 0, which fills blocks, is the number 0: then it is multiplied.
template <class Values>
inline constexpr bool zero_is_zero = false;
template <class T, class Code>
inline constexpr bool zero_is_zero<OnDevice<CastAccessor<T, Code>>> = true;

}  // namespace spress::cuda
