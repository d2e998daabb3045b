// The way from the host to a device, and the memory at both ends, behind one interface: the GPU's is in wire.cpp, and
// tests have one of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "formats/core/description.hpp"
#include "formats/core/result.hpp"
#include "kernels/cuda/expand/expand.hpp"
#include "pipeline/device/device.hpp"

namespace spress::pipeline {

/// Host memory, by how a device gets at it.
enum class HostMemory : std::uint8_t {
  pinned,    ///< page-locked: the device reads it by itself
  pageable,  ///< any other: the driver copies it into its own locked pages first
  staged     ///< pageable too, but all threads copy it into locked buffers of ours, from where it goes on meanwhile
};

}  // namespace spress::pipeline

template <>
struct spress::EnumNames<spress::pipeline::HostMemory> {
  static constexpr std::array<std::string_view, 3> names = {"pinned", "pageable", "staged"};
};

namespace spress::pipeline {

class Wire {
 public:
  virtual ~Wire() = default;

  /// One more to the same device, for another thread. Errors: unsupported.
  [[nodiscard]] virtual Result<std::unique_ptr<Wire>> another() = 0;

  /// Memory at either end, for as long as it is held. what: for the message. Errors: too_large; unsupported.
  [[nodiscard]] virtual Result<std::shared_ptr<void>> host_memory(std::size_t bytes, HostMemory kind,
                                                                  std::string_view what) = 0;
  [[nodiscard]] virtual Result<std::shared_ptr<void>> device_memory(std::size_t bytes, std::string_view what) = 0;

  /// Sends, and returns when everything has arrived and all work on it is done.
  /// Errors: unsupported, for whatever the device reports.
  [[nodiscard]] virtual Status send(std::span<const cuda::Copy> copies, HostMemory from) = 0;
  [[nodiscard]] virtual Status send(std::span<const cuda::TransferPiece> pieces, HostMemory from) = 0;

  /// Sets every byte of device memory to 0xFF, or copies it back.
  [[nodiscard]] virtual Status poison(void* device, std::size_t bytes) = 0;
  [[nodiscard]] virtual Status fetch(void* host, const void* device, std::size_t bytes) = 0;

  /// True for the formats that the device can make a CSR of.
  [[nodiscard]] virtual bool expands(const AnyView& format) const = 0;
  /// The way of a format to a CSR on the device (see kernels/cuda/expand/expand.hpp). Errors: those of cuda::expansion.
  [[nodiscard]] virtual Result<cuda::Expansion> expansion(const AnyView& host, const AnyView& device,
                                                          const Csr<Viewed>& target, std::size_t piece) = 0;

  /// Seconds of one product of a matrix that lies in both memories, the median of some. spec: what it was encoded with.
  /// type: f32 or f64.
  /// Errors: unsupported where the device has no product of it; too_large; damaged for what it reports of a run.
  [[nodiscard]] virtual Result<double> product_seconds(const AnyView& host, const AnyView& device, const Spec& spec,
                                                       ValueType type) = 0;
};

/// That to the GPU. Errors: unsupported, telling what is missing: CUDA in this build, or a device.
[[nodiscard]] Result<std::unique_ptr<Wire>> wire_to_gpu();

}  // namespace spress::pipeline
