// Vectors on the device, for callers of products.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"

namespace spress::cuda {

/// y = alpha p + beta y, elementwise, in the order of the stream; y is not read where beta is 0. p, y: n, on the
/// device. T: float or double. Errors: unsupported, for whatever the device reports.
template <class T>
[[nodiscard]] Status blend(T alpha, const T* p, T beta, T* y, std::uint64_t n, Stream stream);

}  // namespace spress::cuda
