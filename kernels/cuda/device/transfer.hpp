// Bytes on their way from the host to the device, without CUDA's headers: page-locked memory, copies in a row, and
// copies on one stream while another works on what has arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/result.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace spress::cuda {

/// Page-locked host memory, which the device reads by itself. Released with its owner.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(PinnedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~PinnedMemory();

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  friend Result<PinnedMemory> allocate_pinned(std::size_t bytes, std::string_view what);
  PinnedMemory(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// `bytes` of page-locked memory, uninitialised; none for 0. what: for the message. Errors: too_large; unsupported
/// without a device.
[[nodiscard]] Result<PinnedMemory> allocate_pinned(std::size_t bytes, std::string_view what);

/// `bytes` from the host to the device.
struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

/// A part of a matrix: what is copied, and what the device then does with all that has arrived so far.
struct TransferPiece {
  std::vector<Copy> copies;
  std::function<Status(Stream)> work = {};  ///< launches, and returns; empty: nothing is to be done
};

/// How copies leave the host.
enum class Departure : std::uint8_t {
  direct,  ///< as the driver does it: from page-locked memory at once, from any other through pages of its own
  staged   ///< all threads copy into a few page-locked buffers, from which it goes on while they fill the next
};

/// Two streams and what keeps them in step: one for copies, one for work on what they brought.
class Courier {
 public:
  /// Errors: unsupported without a device.
  [[nodiscard]] static Result<Courier> make();
  Courier(Courier&&) noexcept;
  Courier& operator=(Courier&&) noexcept;
  ~Courier();

  /// Copies one after the other and waits until the last has arrived. Copies of no bytes are left out.
  /// Errors: unsupported, for whatever the device reports.
  [[nodiscard]] Status send(std::span<const Copy> copies, Departure departure = Departure::direct);

  /// Copies piece after piece, and works on each as soon as it has arrived, while the next is copied. Waits for the
  /// end. Errors: as above, and those of the work.
  [[nodiscard]] Status send(std::span<const TransferPiece> pieces, Departure departure = Departure::direct);

 private:
  struct Streams;
  explicit Courier(std::unique_ptr<Streams> streams);
  std::unique_ptr<Streams> streams_;
};

}  // namespace spress::cuda
