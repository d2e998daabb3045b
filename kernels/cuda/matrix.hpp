// Any format on the device: its mirror follows from its own description.
#pragma once

#include <string>
#include <utility>

#include "formats/core/description.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace spress::cuda {

/// A format in one piece of device memory. The scalars of the view are good on the host, its arrays on the device only.
template <template <class> class F>
struct DeviceMatrix {
  DeviceMemory memory;
  F<Viewed> view;
};

/// Errors: as allocate and copy_to_device.
template <template <class> class F>
[[nodiscard]] Result<DeviceMatrix<F>> upload(const F<Viewed>& host) {
  DeviceMatrix<F> out;
  SPRESS_TRY(out.memory, allocate(packed_size(host), "the matrix as " + std::string(F<Viewed>::name)));
  SPRESS_CHECK(fill_bytes(out.memory.data(), 0, out.memory.bytes()));  // kernels read whole words beyond an array's end
  out.view = packed_view(host, out.memory.data());
  Status done = Ok{};
  for_each_array(
      [&](const ArrayInfo&, const auto& from, const auto& to) {
        if (done.ok()) done = copy_to_device(const_cast<void*>(to.raw()), from.raw(), from.bytes());
      },
      host, out.view);
  SPRESS_CHECK(done);
  return Result<DeviceMatrix<F>>(std::move(out));  // nvcc does not move it by itself
}

}  // namespace spress::cuda
