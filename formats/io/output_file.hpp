// A file that appears complete or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "formats/result.hpp"

namespace spress::io {

/// Writes to a temporary name in the target's folder; commit() syncs it and renames it over the target. Destroyed
/// without a commit, it leaves no trace, and a file that stood at the target stays as it was. A link is followed: what
/// it points to is replaced, not the link. A target that is no regular file (a pipe, a device, /dev/stdout) is written
/// directly. Not for use by two threads at once.
class OutputFile {
 public:
  /// Errors: unwritable, with the target, the system's reason and what to do.
  [[nodiscard]] static Result<OutputFile> create(const std::filesystem::path& target);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Appends. Errors: unwritable.
  [[nodiscard]] Status write(const void* data, std::size_t bytes);

  /// Overwrites bytes that were written before. Requires: offset + bytes <= size(); seekable().
  /// Errors: unwritable.
  [[nodiscard]] Status write_at(std::uint64_t offset, const void* data, std::size_t bytes);

  /// False where written bytes cannot be changed any more: pipes, terminals.
  [[nodiscard]] bool seekable() const { return !temporary_.empty(); }

  /// Bytes appended so far.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Makes the file durable and visible under its name. Nothing may be written afterwards. Errors: unwritable.
  [[nodiscard]] Status commit();

 private:
  OutputFile() = default;
  [[nodiscard]] Error failure(int system_error) const;
  [[nodiscard]] Status rename_over_target();
  void abandon() noexcept;

  int file_ = -1;
  std::filesystem::path target_;     ///< as given, for messages
  std::filesystem::path resolved_;   ///< where the links lead
  std::filesystem::path temporary_;  ///< empty: writing directly
  std::uint64_t size_ = 0;
};

}  // namespace spress::io
