// An open input: a regular file, read at any place, or a stream (a pipe, a device), read once from its beginning.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "formats/core/result.hpp"

struct stat;

namespace spress::io {

class InputFile {
 public:
  /// Errors: not_found, unreadable (also for a folder).
  [[nodiscard]] static Result<std::shared_ptr<InputFile>> open(const std::filesystem::path& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool is_regular() const { return regular_; }
  [[nodiscard]] std::uint64_t size() const { return seen_.bytes; }  ///< of a regular file, when it was opened
  [[nodiscard]] std::string_view head() const { return head_; }     ///< the first bytes, at most 64

  /// The bytes at [offset, offset + n); fewer only at the end. Requires: is_regular(). Errors: unreadable.
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t n) const;
  /// Reads the next bytes of a stream, beginning after head(); fewer than asked for only at the end.
  /// Requires: !is_regular(). Errors: unreadable.
  [[nodiscard]] Result<std::size_t> read_next(char* to, std::size_t n) const;

  /// A path by which a library, also in a child process, opens this very file again, whatever its name means by now.
  [[nodiscard]] std::string open_path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  /// Has the system drop the file from its memory, so that it is read from the disk next. Requires: is_regular().
  /// Errors: unsupported where more than a hundredth of it stays there, or the system does not tell.
  [[nodiscard]] Status drop_from_memory() const;

  /// Ends the reading. Errors: unreadable where a regular file is not as it was when it was opened.
  [[nodiscard]] Status unchanged() const;

 private:
  /// What an edit of a file changes.
  struct Seen {
    std::uint64_t bytes = 0;
    std::int64_t seconds = 0, nanoseconds = 0;  ///< modification time
    bool operator==(const Seen&) const = default;
  };
  static Seen seen(const struct stat& facts);

  InputFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_;
  bool regular_ = false;
  Seen seen_;
  std::string head_;
};

}  // namespace spress::io
