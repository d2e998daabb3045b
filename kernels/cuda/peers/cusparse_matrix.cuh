// Matrices on the device as cuSPARSE takes them. Internal, and only where its header was found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/csr/csr.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/peers/cusparse_library.cuh"

namespace spress::cuda::cusparse {

/// The matrix on the host and on the device, and the threads that convert it.
struct BothMatrices {
  const Csr<Viewed>& host;
  const Csr<Viewed>& device;
  int threads;
};

/// A matrix for one of the algorithms, and the memory that it takes besides the device's own arrays.
struct PeerMatrix {
  std::vector<DeviceMemory> memory;
  std::uint64_t bytes = 0;  ///< of the matrix: in `memory`, and those of its arrays that are read in place
  Owning<cusparseConstSpMatDescr_t, DestroyMatrix> matrix;
  std::string note;  ///< for the kernel's name

  const void* in_place(const void* array, std::uint64_t array_bytes) {
    bytes += array_bytes;
    return array;
  }
  template <class T>
  Result<const void*> put(const HostArray<T>& array, const Algorithm& peer) {
    SPRESS_TRY(DeviceMemory copy, upload(array.span(), "the matrix as " + std::string(peer.name)));
    memory.push_back(std::move(copy));
    return in_place(memory.back().data(), array.bytes());
  }
};

/// Makes the matrix for an algorithm in `held`. Errors: not_applicable where the algorithm does not take the matrix or
/// its layout takes more bytes than CSR; too_large.
template <class T>
[[nodiscard]] Status make_matrix(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held);

}  // namespace spress::cuda::cusparse
