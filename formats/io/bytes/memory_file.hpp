// A file in memory, without a name in any folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/core/result.hpp"

namespace spress::io {

class MemoryFile {
 public:
  /// Errors: too_large, where the system has no room for one.
  [[nodiscard]] static Result<MemoryFile> create();
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&& other) noexcept;
  ~MemoryFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// A path that opens the file, valid in this process and its children while this object lives.
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  /// Writes all bytes at the offset; false where memory runs out.
  [[nodiscard]] bool write(std::uint64_t offset, const void* data, std::size_t bytes) const;
  /// Reads up to `bytes` bytes at the offset, fewer at the end of the file. Errors: unreadable.
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, void* to, std::size_t bytes) const;

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace spress::io
