// A file that is being written beside its target and has no name of its own where the file system allows that.
#pragma once

#include <filesystem>

namespace spress::io {

/// Opened with O_TMPFILE, so that nothing is left of it whatever ends the program. Where the file system has no such
/// files it is called `.spress-*.part`, is locked while it is open, and remove_unfinished_files() knows it.
/// Functions return 0 or the system's error number. Not for use by two threads at once.
class TemporaryFile {
 public:
  enum class Naming { nameless_where_possible, named };  ///< named: for tests

  TemporaryFile() = default;
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { discard(); }

  /// Creates the file in `folder` (empty: the working directory), for writing; its mode follows the umask. Removes
  /// what killed runs left in that folder when it is called for it for the first time.
  [[nodiscard]] int create(const std::filesystem::path& folder, Naming naming);

  /// The file's descriptor, -1 where there is none.
  [[nodiscard]] int descriptor() const { return file_; }

  /// Syncs the file, gives it the name `target`, replacing what stands there, and closes it. On an error the target is
  /// as before. Requires: `target` lies in the folder of create().
  [[nodiscard]] int publish(const std::filesystem::path& target);

  /// Closes the file and removes it.
  void discard() noexcept;

 private:
  [[nodiscard]] int create_named();
  [[nodiscard]] int link_as(const std::filesystem::path& path) const;
  [[nodiscard]] int take_name(const std::filesystem::path& target);
  void forget_name() noexcept;

  int file_ = -1;
  int listed_ = -1;                      ///< place in the list of unfinished files
  std::filesystem::path folder_, name_;  ///< name_: empty while the file has none
};

/// Removes the named temporary files of this process. Safe in signal handlers: for programs that are told to end.
void remove_unfinished_files() noexcept;

}  // namespace spress::io
