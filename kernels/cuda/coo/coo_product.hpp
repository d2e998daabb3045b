// The product of sorted coordinates, for all formats that hold entries so.
#pragma once

#include <cstdint>

#include "formats/coo/coo.hpp"
#include "kernels/cuda/spmv.hpp"

namespace spress::cuda {

/// A product in which each warp takes as many chunks of b entries as make up what it should get, or part of one:
/// however the rows are, all warps do the same. Errors: as product. Requires: b >= 1.
template <class T>
[[nodiscard]] Result<Product<T>> coo_product(const Coo<Viewed>& host, const Coo<Viewed>& device, std::uint64_t b);

extern template Result<Product<float>> coo_product(const Coo<Viewed>&, const Coo<Viewed>&, std::uint64_t);
extern template Result<Product<double>> coo_product(const Coo<Viewed>&, const Coo<Viewed>&, std::uint64_t);

}  // namespace spress::cuda
