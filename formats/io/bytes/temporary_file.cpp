#include "formats/io/bytes/temporary_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "formats/io/bytes/fully.hpp"

namespace spress::io {
namespace {

namespace fs = std::filesystem;

/// The names of named temporary files, where a signal handler can read them: memory that never moves. What finds no
/// room is removed like what a killed run left.
struct Listed {
  enum State : int { unused, in_work, ready };
  std::atomic<int> state{unused};
  char name[PATH_MAX] = {};
};
std::array<Listed, 16> list;

int put_on_list(const std::string& name) noexcept {
  if (name.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    int expected = Listed::unused;
    if (!list[i].state.compare_exchange_strong(expected, Listed::in_work)) continue;
    std::memcpy(list[i].name, name.c_str(), name.size() + 1);
    list[i].state = Listed::ready;
    return static_cast<int>(i);
  }
  return -1;
}

constexpr std::string_view prefix = ".spress-", suffix = ".part";

/// A name that nobody else will choose; short, so that it fits wherever the target's own name does.
std::string random_name() {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  char digits[17] = {};
  std::to_chars(digits, digits + sizeof digits - 1, random(), 16);
  return std::string(prefix) + digits + std::string(suffix);
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
    return false;
  const auto digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  return digits.size() <= 16 && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Held by whoever writes the file. It is shared, so that who reads it under its name, and locks it as HDF5 does, may.
bool lock_own(int file) { return ::flock(file, LOCK_SH | LOCK_NB) == 0; }

fs::path or_here(const fs::path& folder) { return folder.empty() ? fs::path(".") : folder; }

/// Removes a temporary file that no process holds locked. It stays locked until it is gone, so that a process which has
/// just created it notices.
void remove_if_abandoned(int folder, const char* name) {
  const int file = ::openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat found = {};
  if (::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && ::flock(file, LOCK_EX | LOCK_NB) == 0)
    ::unlinkat(folder, name, 0);
  ::close(file);
}

/// Removes what killed runs left in the folder; looks at each folder once. By the system's own functions: iterators of
/// the standard library end the program where memory ends.
void clean(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> seen;
  const std::lock_guard hold(mutex);
  if (!seen.insert(folder).second) return;
  DIR* const names = ::opendir(or_here(folder).c_str());
  if (names == nullptr) return;
  while (const dirent* entry = ::readdir(names))
    if (is_temporary_name(entry->d_name)) remove_if_abandoned(::dirfd(names), entry->d_name);
  ::closedir(names);
}

/// Makes a name durable. Some file systems cannot sync folders: that is no failure of ours.
void sync_folder(const fs::path& folder) {
  const int file = ::open(or_here(folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

std::string path_of_descriptor(int file) { return "/proc/self/fd/" + std::to_string(file); }

int open_nameless(const fs::path& folder) {
#ifdef O_TMPFILE
  const int file = beside_streams(::open(or_here(folder).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (file < 0) return -1;
  if (::access(path_of_descriptor(file).c_str(), F_OK) == 0) return file;  // else it could never get a name
  ::close(file);
#else
  static_cast<void>(folder);
#endif
  return -1;
}

}  // namespace

void remove_unfinished_files() noexcept {
  for (Listed& entry : list)
    if (entry.state.load() == Listed::ready) ::unlink(entry.name);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      listed_(std::exchange(other.listed_, -1)),
      folder_(std::move(other.folder_)),
      name_(std::exchange(other.name_, {})) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  file_ = std::exchange(other.file_, -1);
  listed_ = std::exchange(other.listed_, -1);
  folder_ = std::move(other.folder_);
  name_ = std::exchange(other.name_, {});
  return *this;
}

int TemporaryFile::create(const fs::path& folder, Naming naming) {
  folder_ = folder;
  clean(folder);
  if (naming == Naming::nameless_where_possible) file_ = open_nameless(folder);
  return file_ >= 0 ? 0 : create_named();
}

int TemporaryFile::create_named() {
  for (int attempt = 0; attempt < 100; ++attempt) {
    name_ = folder_ / random_name();
    listed_ = put_on_list(name_.native());
    file_ = beside_streams(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    struct stat found = {};
    if (file_ >= 0 && lock_own(file_) && ::fstat(file_, &found) == 0 && found.st_nlink != 0) return 0;
    const int error = file_ < 0 ? errno : EEXIST;  // somebody cleans the folder just now
    if (file_ >= 0) ::close(std::exchange(file_, -1));
    forget_name();
    if (error != EEXIST && error != EINTR) return error;
  }
  return EEXIST;
}

int TemporaryFile::link_as(const fs::path& path) const {
  return ::linkat(AT_FDCWD, path_of_descriptor(file_).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0
                                                                                                               : errno;
}

/// Only a rename replaces what stands at the target, so a nameless file gets a temporary name on the way there.
int TemporaryFile::take_name(const fs::path& target) {
  if (name_.empty()) {
    if (const int error = link_as(target); error != EEXIST) return error;
    static_cast<void>(lock_own(file_));
    name_ = folder_ / random_name();
    listed_ = put_on_list(name_.native());
    if (const int error = link_as(name_); error != 0) {
      forget_name();
      return error;
    }
  }
  if (::rename(name_.c_str(), target.c_str()) != 0) return errno;
  static_cast<void>(::flock(file_, LOCK_UN));  // a child that another thread has started may keep the file open
  forget_name();
  return 0;
}

int TemporaryFile::publish(const fs::path& target) {
  while (::fsync(file_) != 0)
    if (errno != EINTR) return errno;
  if (const int error = take_name(target); error != 0) return error;
  const int closed = ::close(std::exchange(file_, -1));
  sync_folder(folder_);
  return closed == 0 || errno == EINTR ? 0 : errno;
}

void TemporaryFile::forget_name() noexcept {
  name_.clear();
  if (listed_ >= 0) list[static_cast<std::size_t>(std::exchange(listed_, -1))].state = Listed::unused;
}

void TemporaryFile::discard() noexcept {
  if (!name_.empty()) ::unlink(name_.c_str());
  forget_name();
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

}  // namespace spress::io
