// cuSPARSE's products on our matrices: what our kernels on the device are measured against. The library is loaded when
// it is first asked for, and never required. Without CUDA's headers: what callers hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/csr/csr.hpp"
#include "kernels/cuda/spmv.hpp"

namespace spress::cuda::cusparse {

/// The peers that this build has, usable here or not: preparing tells why not. "cusparse-csr-alg1",
/// "cusparse-csr-alg2", "cusparse-coo-alg1", "cusparse-coo-alg2", "cusparse-sell" (slices of 32 rows), "cusparse-bsr".
[[nodiscard]] std::vector<std::string> built_names();
/// Those of them that can be used here; none where the library is missing. Whether there is a device is not asked.
[[nodiscard]] std::vector<std::string> names();
/// Of the library loaded, as in "12.6.3". Errors: unsupported, with the reason, where there is none.
[[nodiscard]] Result<std::string> version();

template <class T>
struct PreparedPeer {
  Product<T> product;             ///< its kernel is cuSPARSE's name of the algorithm, and what it was given
  std::uint64_t total_bytes = 0;  ///< index arrays and values, padding and filled-in zeros included; no scratch
  std::uint64_t scratch_bytes = 0;
};

/// Hands a matrix to the peer of that name, prepared for repeated products: preprocessed where the algorithm knows how,
/// with scratch memory of its own. Arrays that cuSPARSE takes as they are, are those of `device`; others (rows of COO,
/// sliced ELL, blocks, the ones of a pattern, 64-bit indices) are made by `threads` threads (0: all there are) and
/// copied to the device.
/// Positions and ids are of 32 bits where all fit 31, else of 64 bits: cuSPARSE takes no mixture.
/// host, device: the same matrix, as it lies in the memory of each. The device's must outlive the product, the host's
/// need not. T: float or double.
/// Errors: unsupported where there is no such peer or no library; not_applicable where the values are no raw T and no
/// pattern, where there is no entry, where padding would be out of proportion, where blocks do not pay, and where
/// cuSPARSE refuses; too_large where the device's memory does not hold it.
template <class T>
[[nodiscard]] Result<PreparedPeer<T>> prepare(const std::string& name, const Csr<Viewed>& host,
                                              const Csr<Viewed>& device, int threads = 0);

}  // namespace spress::cuda::cusparse
