// Compressed over the wire, plain CSR on arrival: a format is copied piece by piece, and the device undoes each piece
// while the next is on its way. Defined in kernels/cuda/expand_<format>.cu for the formats that have it.
#pragma once

#include <cstddef>
#include <memory>

#include "formats/list.hpp"
#include "kernels/cuda/device/transfer.hpp"

namespace spress::cuda {

/// A matrix in the host's memory that is to become a CSR with raw values on the device.
template <template <class> class F>
struct ExpandTask {
  F<Viewed> host;         ///< packed in one buffer (see pack in formats/core/description.hpp), page-locked or not
  F<Viewed> device;       ///< the same layout in the device's memory: where the pieces land
  Csr<Viewed> target;     ///< the CSR's arrays in the device's memory, every byte of which is written
  std::size_t piece = 0;  ///< least bytes of a piece, about; a matrix of an eighth is sent in one copy
};

/// How it is done: pieces for a courier, as often as wanted. Keeps its scratch memory on the device; the memory of the
/// task must outlive it.
struct Expansion {
  std::vector<TransferPiece> pieces;
  std::size_t bytes = 0;  ///< that are copied, in all
  std::vector<std::shared_ptr<DeviceMemory>> scratch = {};
};

/// True for the formats that have an expansion.
template <template <class> class F>
inline constexpr bool expandable = false;

/// Requires: validate(task.host) holds, decoding it gives the shape of the target, whose values have its type; they are
/// no complex ones. Errors: not_applicable for complex values; too_large where the scratch does not fit;
/// unsupported, for whatever the device reports.
template <template <class> class F>
[[nodiscard]] Result<Expansion> expansion(const ExpandTask<F>& task);

#define SPRESS_EXPANDABLE(F)                  \
  template <>                                 \
  inline constexpr bool expandable<F> = true; \
  template <>                                 \
  Result<Expansion> expansion<F>(const ExpandTask<F>& task);
SPRESS_EXPANDABLE(Csr)
SPRESS_EXPANDABLE(OptCsr)
SPRESS_EXPANDABLE(BmSparseCsr)
SPRESS_EXPANDABLE(HybridBmCsr)
SPRESS_EXPANDABLE(Amb)
SPRESS_EXPANDABLE(Bccoo)
SPRESS_EXPANDABLE(BccooGpu)
SPRESS_EXPANDABLE(SliceDelta)
#undef SPRESS_EXPANDABLE

}  // namespace spress::cuda
