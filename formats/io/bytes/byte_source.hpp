// Bytes read from anywhere within a file or within memory, by several threads. Private to formats/io.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "formats/core/array.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/input_file.hpp"

namespace spress::io {

/// Memory that grows to the largest size asked for; its contents are lost when it grows.
class Scratch {
 public:
  [[nodiscard]] std::uint8_t* room(std::size_t bytes) {
    if (const std::size_t before = memory_.size(); before < bytes) {
      memory_ = {};
      memory_ = HostArray<std::uint8_t>(std::max(bytes, 2 * before));
    }
    return memory_.data();
  }
  [[nodiscard]] std::span<const std::uint8_t> copy_of(std::span<const std::uint8_t> bytes) {
    return {static_cast<const std::uint8_t*>(std::memcpy(room(bytes.size()), bytes.data(), bytes.size())),
            bytes.size()};
  }

 private:
  HostArray<std::uint8_t> memory_;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// The bytes at [offset, offset + bytes), in `scratch` or elsewhere; valid until scratch is used again.
  /// Requires: offset + bytes <= size(). Errors: unreadable; truncated where the file has shrunk.
  [[nodiscard]] virtual Result<std::span<const std::uint8_t>> read(std::uint64_t offset, std::size_t bytes,
                                                                   Scratch& scratch) const = 0;
};

/// The source must not outlive `bytes`.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::span<const std::uint8_t> bytes);

/// The bytes of a regular file. Requires: file->is_regular().
[[nodiscard]] std::unique_ptr<ByteSource> file_source(std::shared_ptr<InputFile> file);

/// Bytes that were read from a stream.
[[nodiscard]] std::unique_ptr<ByteSource> stream_source(std::vector<std::uint8_t> bytes);

}  // namespace spress::io
