// A file that appears complete or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "formats/core/result.hpp"
#include "formats/io/bytes/input_file.hpp"
#include "formats/io/bytes/temporary_file.hpp"

namespace spress::io {

/// Writes to a temporary file in the target's folder; commit() syncs it and puts it in the target's place. Destroyed
/// without a commit, it leaves no trace, and a file that stood at the target stays as it was. The new file has the mode
/// of the one that it replaces. A link is followed: what it points to is replaced, not the link. A target that is no
/// regular file (a pipe, a device, /dev/stdout) is written directly, and so is standard output, called `-`.
/// Not for use by two threads at once.
class OutputFile {
 public:
  /// Errors: unwritable, with the target, the system's reason and what to do.
  [[nodiscard]] static Result<OutputFile> create(
      const std::filesystem::path& target,
      TemporaryFile::Naming naming = TemporaryFile::Naming::nameless_where_possible);

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
  [[nodiscard]] bool seekable() const { return temporary_.descriptor() >= 0; }

  /// Bytes appended so far.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// A path by which a library, also in a child process, opens the file for writing. What it writes is not counted by
  /// size(), and is whole once commit() has been called. Requires: seekable().
  [[nodiscard]] std::filesystem::path open_path() const { return "/proc/self/fd/" + std::to_string(descriptor()); }

  /// Syncs what was written and opens it for reading, although it is not visible yet. Requires: seekable().
  /// Errors: unwritable; those of InputFile::open.
  [[nodiscard]] Result<std::shared_ptr<InputFile>> open_written() const;

  /// Makes the file durable and visible under its name. Nothing may be written afterwards. Errors: unwritable.
  [[nodiscard]] Status commit();

 private:
  OutputFile() = default;
  [[nodiscard]] Error failure(int system_error) const;
  [[nodiscard]] int descriptor() const { return seekable() ? temporary_.descriptor() : direct_; }

  TemporaryFile temporary_;
  int direct_ = -1;                 ///< where the target itself is written
  std::filesystem::path target_;    ///< as given, for messages
  std::filesystem::path resolved_;  ///< where the links lead
  std::uint64_t size_ = 0;
};

/// The error of a target that could not be written, with what to do about the system's reason.
[[nodiscard]] Error unwritable(const std::filesystem::path& target, int system_error);

/// Where the links at `path` lead, whether something stands there or not. Errors: unwritable for links in a circle.
[[nodiscard]] Result<std::filesystem::path> follow_links(const std::filesystem::path& path);

}  // namespace spress::io
