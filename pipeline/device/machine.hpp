// What measurements were taken on.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "formats/core/description.hpp"
#include "formats/core/result.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

/// What multiplies: the CPU, or a GPU through CUDA.
enum class DeviceKind : std::uint8_t { cpu, cuda };

}  // namespace spress::pipeline

template <>
struct spress::EnumNames<spress::pipeline::DeviceKind> {
  static constexpr std::array<std::string_view, 2> names = {"cpu", "cuda"};
};

namespace spress::pipeline {

/// Good if the device can be used. Errors: unsupported, telling what is missing: CUDA in this build, or a GPU.
[[nodiscard]] Status check_device(DeviceKind device);

/// The processor, the build, the threads that work on the CPU will use (0: OpenMP's default), and the GPU if that is
/// the device. The copy bandwidth is not measured, the command not known here.
[[nodiscard]] reports::MachineRecord machine_record(int threads = 0, DeviceKind device = DeviceKind::cpu);

/// Bytes of the last-level caches of the processors that so many threads may use; 0 where the system does not tell.
[[nodiscard]] std::uint64_t last_level_cache_bytes(int threads = 0);

/// Gigabytes (10^9 bytes) per second of a copy in memory by so many threads, bytes read plus bytes written: the best of
/// a few runs over arrays of several times the last-level cache, but at most 1 GB and a quarter of the free memory.
[[nodiscard]] double copy_bandwidth(int threads = 0);

/// The same of the device's memory: on a GPU a copy of at most 1 GiB; not_measured where the device fails.
[[nodiscard]] double copy_bandwidth(DeviceKind device, int threads);

}  // namespace spress::pipeline
