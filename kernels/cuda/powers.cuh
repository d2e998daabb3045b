// Powers of ten where kernels find them.
#pragma once

#include "formats/value_frames.hpp"

namespace spress::cuda {

static __constant__ PowersOfTen device_powers;

}  // namespace spress::cuda
