// Products of other libraries on our CSR: what our own kernels are measured against.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"

namespace spress::peers {

/// A matrix made ready by a peer for repeated products.
template <class T>
class Product {
 public:
  virtual ~Product() = default;
  /// y = A x. x: cols, y: rows, every element of which is written.
  virtual void multiply(const T* x, T* y) = 0;
};

/// The peers that this build has, usable here or not: preparing tells why not.
[[nodiscard]] std::vector<std::string> built_names();
/// Those of them that can be used here ("mkl-csr", "eigen-csr"); none where this build or this machine has none.
[[nodiscard]] std::vector<std::string> names();

/// Hands `a` to the peer of that name, with whatever inspection it offers. T: float or double.
/// `threads`: how many the products use, 0: all there are.
/// Requires: readable_as<T>(a.values); the values are raw or a pattern; `a` outlives the product.
/// Errors: unsupported where there is no such peer (the message lists those there are), not_applicable where the peer
/// cannot hold the matrix.
template <class T>
[[nodiscard]] Result<std::unique_ptr<Product<T>>> prepare(const std::string& name, const Csr<Viewed>& a, int threads);

}  // namespace spress::peers
