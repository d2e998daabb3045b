// A file for what does not fit in memory: without a name, so that nothing is left of it whatever ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "formats/core/result.hpp"

namespace spress::io {

class ScratchFile {
 public:
  ScratchFile() = default;
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&& other) noexcept;
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  /// Creates the file in `folder`. Errors: unwritable, naming the folder.
  [[nodiscard]] static Result<ScratchFile> create(const std::filesystem::path& folder);

  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  /// Writes behind all that was written, and returns where that is. Errors: unwritable (a full disk).
  [[nodiscard]] Result<std::uint64_t> append(const std::uint8_t* bytes, std::size_t n);
  /// Reads what was written at `offset`. Errors: unreadable.
  [[nodiscard]] Status read(std::uint64_t offset, std::uint8_t* to, std::size_t n) const;

 private:
  [[nodiscard]] Error failed(int system_error) const;

  int file_ = -1;
  std::uint64_t end_ = 0;
  std::filesystem::path folder_;
};

}  // namespace spress::io
