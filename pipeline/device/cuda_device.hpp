// The GPU, as far as this build knows one: cuda_device.cpp alone in this folder differs with and without CUDA.
#pragma once

#include "pipeline/device/device.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

/// Errors: unsupported, telling what is missing: CUDA in this build, or a device.
[[nodiscard]] Status check_cuda();
/// Errors: as check_cuda.
[[nodiscard]] Result<Device> cuda_device();
/// Adds what is known of the GPU; nothing where there is none.
void describe_cuda(reports::MachineRecord& record);
/// Gigabytes per second, read plus written, of a copy in the device's memory; not_measured where that fails.
[[nodiscard]] double cuda_copy_bandwidth();

}  // namespace spress::pipeline
