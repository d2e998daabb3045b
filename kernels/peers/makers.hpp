// One declaration per peer. What a build leaves out (SPRESS_WITH_*) is declared all the same, and not defined.
#pragma once

#include <memory>

#include "kernels/peers/peer.hpp"

namespace spress::peers {

template <class T>
[[nodiscard]] Result<std::unique_ptr<Product<T>>> eigen_csr(const Csr<Viewed>& a, int threads);

template <class T>
[[nodiscard]] Result<std::unique_ptr<Product<T>>> mkl_csr(const Csr<Viewed>& a, int threads);
/// Whether MKL can be used in this process; loads it. Errors: unsupported, with the reason.
[[nodiscard]] Status mkl_status();

}  // namespace spress::peers
