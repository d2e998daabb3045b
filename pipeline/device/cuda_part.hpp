// Parts of a matrix on the GPUs of several ranks.
#pragma once

#include <memory>

#include "kernels/cuda/parts/part_links.hpp"
#include "pipeline/device/machine.hpp"
#include "pipeline/ranks/part_product.hpp"

namespace spress::pipeline {

/// Gives each rank a GPU of its own as the current one; nothing on the CPU, or alone. Errors: unsupported where ranks
/// are on several machines, or have not a GPU each.
[[nodiscard]] Status take_gpu(const Ranks& ranks, DeviceKind kind);

#ifdef SPRESS_WITH_CUDA

/// A format of any kind on the current GPU, and its product, which reads `memory`. spec: what the format was encoded
/// with. Errors: those of upload and product.
template <class T>
struct UploadedFormat {
  std::shared_ptr<const void> memory;
  cuda::Product<T> product;
};
template <class T>
[[nodiscard]] Result<UploadedFormat<T>> upload_any(const AnyFormat& a, const Spec& spec);

/// All ranks call it, and release what it gives, at the same time. Errors: those of PartLinks::make, on all ranks.
template <class T>
[[nodiscard]] Result<std::shared_ptr<cuda::PartLinks<T>>> link_gpus(const MatrixPart& part);

/// The product of a part on the current GPU. Errors: those of upload.
template <class T>
[[nodiscard]] Result<cuda::Product<T>> part_product(const EncodedPart& a, std::shared_ptr<cuda::PartLinks<T>> links);

#endif

}  // namespace spress::pipeline
