#include "formats/io/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

namespace spress::io {
namespace {

namespace fs = std::filesystem;

/// What the user can do about a system error.
std::string_view remedy(int system_error) {
  switch (system_error) {
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder that you may write to";
    case ENOENT:
    case ENOTDIR: return "create its folder first, or choose one that exists";
    case EISDIR: return "give a file name inside it";
    case ENOSPC:
    case EDQUOT: return "free some space, or choose another disk";
    case ENAMETOOLONG: return "choose a shorter name";
    case ELOOP: return "its links lead in a circle: give the file's own name";
    case EPIPE: return "the program that reads it has stopped";
    default: return "choose another place";
  }
}

Error unwritable(const fs::path& target, int system_error) {
  return {
      ErrorCode::unwritable,
      "cannot be written: " + std::generic_category().message(system_error) + "; " + std::string(remedy(system_error)),
      target.string(), 0};
}

/// Repeats a system call that a signal interrupts.
template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Writes all of `data` with calls put(from, bytes) that may take less than offered; 0, or the system's error.
template <class Put>
int write_fully(const void* data, std::size_t bytes, Put put) {
  const auto* from = static_cast<const char*>(data);
  while (bytes != 0) {
    const std::size_t offered = std::min(bytes, std::size_t{1} << 30);  // Linux takes at most 2 GiB at once
    const ssize_t taken = retry([&] { return put(from, offered); });
    if (taken < 0) return errno;
    if (taken == 0) return ENOSPC;
    from += taken;
    bytes -= static_cast<std::size_t>(taken);
  }
  return 0;
}

/// The number of an open file that `path` stands for (/dev/stdout, /dev/fd/7), or -1. Opening such a name again would
/// start at the file's beginning, and renaming over it would replace the link in /dev.
int open_file_behind(const fs::path& path) {
  const std::string text = path.lexically_normal().string();
  if (text == "/dev/stdout") return 1;
  if (text == "/dev/stderr") return 2;
  for (std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"})
    if (text.starts_with(prefix)) {
      int number = -1;
      const auto [end, code] = std::from_chars(text.data() + prefix.size(), text.data() + text.size(), number);
      if (code == std::errc{} && end == text.data() + text.size()) return number;
    }
  return -1;
}

/// Where the links at `path` lead, whether something stands there or not. Errors: ELOOP.
Result<fs::path> follow_links(const fs::path& path) {
  fs::path at = path;
  std::error_code code;
  for (int steps = 0; steps < 40; ++steps) {
    const fs::path next = fs::read_symlink(at, code);
    if (code) return at;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return unwritable(path, ELOOP);
}

/// A name beside `target` that nobody else will choose; short, so that it fits wherever the target's own name does.
fs::path temporary_beside(const fs::path& target) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  char digits[17] = {};
  std::to_chars(digits, digits + sizeof digits - 1, random(), 16);
  return target.parent_path() / (".spress-" + std::string(digits) + ".part");
}

int open_temporary(const fs::path& target, fs::path& temporary) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = temporary_beside(target);
    const int file = retry([&] { return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

/// Makes the renaming itself durable. Some file systems cannot sync folders: that is no failure of ours.
void sync_folder(const fs::path& folder) {
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}  // namespace

Result<OutputFile> OutputFile::create(const fs::path& target) {
  OutputFile out;
  out.target_ = target;
  if (target.empty()) return unwritable(target, ENOENT);
  if (const int number = open_file_behind(target); number >= 0) {
    out.file_ = ::fcntl(number, F_DUPFD_CLOEXEC, 0);
    if (out.file_ < 0) return unwritable(target, errno);
    return out;
  }
  SPRESS_TRY(out.resolved_, follow_links(target));
  struct stat found = {};
  const bool exists = ::stat(out.resolved_.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) return unwritable(target, errno);
  if (exists && S_ISDIR(found.st_mode)) return unwritable(target, EISDIR);
  if (!out.resolved_.has_filename()) return unwritable(target, EISDIR);
  if (exists && !S_ISREG(found.st_mode))
    out.file_ = retry([&] { return ::open(out.resolved_.c_str(), O_WRONLY | O_CLOEXEC); });
  else
    out.file_ = open_temporary(out.resolved_, out.temporary_);
  if (out.file_ < 0) {
    const int system_error = errno;
    out.temporary_.clear();
    return unwritable(target, system_error);
  }
  return out;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      target_(std::move(other.target_)),
      resolved_(std::move(other.resolved_)),
      temporary_(std::exchange(other.temporary_, {})),
      size_(std::exchange(other.size_, 0)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  abandon();
  file_ = std::exchange(other.file_, -1);
  target_ = std::move(other.target_);
  resolved_ = std::move(other.resolved_);
  temporary_ = std::exchange(other.temporary_, {});
  size_ = std::exchange(other.size_, 0);
  return *this;
}

OutputFile::~OutputFile() { abandon(); }

void OutputFile::abandon() noexcept {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

Error OutputFile::failure(int system_error) const { return unwritable(target_, system_error); }

Status OutputFile::write(const void* data, std::size_t bytes) {
  assert(file_ >= 0);
  const int failed =
      write_fully(data, bytes, [&](const char* from, std::size_t count) { return ::write(file_, from, count); });
  if (failed != 0) return failure(failed);
  size_ += bytes;
  return Ok{};
}

Status OutputFile::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
  assert(file_ >= 0 && offset + bytes <= size_);
  if (!seekable()) return failure(ESPIPE);
  const int failed = write_fully(data, bytes, [&, at = offset](const char* from, std::size_t count) mutable {
    const ssize_t taken = ::pwrite(file_, from, count, static_cast<off_t>(at));
    if (taken > 0) at += static_cast<std::uint64_t>(taken);
    return taken;
  });
  if (failed != 0) return failure(failed);
  return Ok{};
}

Status OutputFile::rename_over_target() {
  if (::rename(temporary_.c_str(), resolved_.c_str()) != 0) return failure(errno);
  temporary_.clear();
  sync_folder(resolved_.parent_path());
  return Ok{};
}

Status OutputFile::commit() {
  assert(file_ >= 0);
  const bool visible_only_when_renamed = !temporary_.empty();
  if (visible_only_when_renamed && retry([&] { return ::fsync(file_); }) != 0) return failure(errno);
  if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) return failure(errno);
  return visible_only_when_renamed ? rename_over_target() : Status(Ok{});
}

}  // namespace spress::io
