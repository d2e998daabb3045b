// The GPU's product of a matrix as its spec asks for it.
#pragma once

#include "encode/shared/any.hpp"
#include "kernels/cuda/spmv.hpp"

namespace spress::pipeline {

/// As cuda::product. spec: what the matrix was encoded with. Errors: also as check_format.
template <class T, template <class> class F>
[[nodiscard]] Result<cuda::Product<T>> chosen_product(const F<Viewed>& host, const F<Viewed>& device,
                                                      const Spec& spec) {
  SPRESS_TRY(const auto params, parse_params<ParamsOf<F>>(spec));
  return cuda::product<T>(host, device, params);
}

}  // namespace spress::pipeline
