// A file of records that grows by whole lines.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "formats/core/result.hpp"

namespace spress::pipeline {

/// Writes all of it; false with errno set. A short write is continued, so that only a kill or a full disk tears a line.
[[nodiscard]] bool write_all(int handle, const std::string& text);

/// Whether `file` still names the file that the handle has open: false once somebody deleted or replaced it.
[[nodiscard]] bool is_named(int handle, const std::filesystem::path& file);

/// The message where it does not.
inline constexpr std::string_view moved_message =
    "was deleted or replaced while this run wrote to it, so the records in it are lost; run the command again";

/// Open for appending from its creation to its end.
class LineFile {
 public:
  /// Opens or creates the file. A last line without its end, which a killed run left behind, is cut off.
  /// Errors: unwritable; unreadable; usage where the file holds something else than JSON records, or another run is
  /// writing it.
  [[nodiscard]] static Result<LineFile> open(const std::filesystem::path& file);

  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&&) = delete;
  ~LineFile();  ///< removes a file that it created and that nothing was appended to

  /// Appends the line and its end by one write; the file stays as it was if that fails. Errors: unwritable,
  /// also where the file is no longer in its place.
  [[nodiscard]] Status append(const std::string& line);

 private:
  explicit LineFile(std::filesystem::path file) : file_(std::move(file)) {}
  [[nodiscard]] Error failed(const std::string& what) const;
  [[nodiscard]] Status take_up_records();

  std::filesystem::path file_;
  int handle_ = -1;
  bool regular_ = false;  ///< no pipe and no device
  bool created_ = false;  ///< by this run, and nothing was appended yet
};

}  // namespace spress::pipeline
