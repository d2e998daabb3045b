#include "formats/io/bytes/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "formats/io/bytes/fully.hpp"

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
    case EFBIG: return "raise the limit on the size of files (ulimit -f), or choose a disk that holds larger ones";
    case EPIPE: return "the program that reads it has stopped";
    default: return "choose another place";
  }
}

/// The number of an open file that `path` stands for (-, /dev/stdout, /dev/fd/7), or -1. Opening such a name again
/// would start at the file's beginning, and renaming over it would replace the link in /dev.
int open_file_behind(const fs::path& path) {
  const std::string text = path.lexically_normal().string();
  if (text == "/dev/stdout" || text == "-") return 1;
  if (text == "/dev/stderr") return 2;
  for (std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"})
    if (text.starts_with(prefix)) {
      int number = -1;
      const auto [end, code] = std::from_chars(text.data() + prefix.size(), text.data() + text.size(), number);
      if (code == std::errc{} && end == text.data() + text.size()) return number;
    }
  return -1;
}

}  // namespace

Error unwritable(const fs::path& target, int system_error) {
  return {
      ErrorCode::unwritable,
      "cannot be written: " + std::generic_category().message(system_error) + "; " + std::string(remedy(system_error)),
      target.string(), 0};
}

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

Result<OutputFile> OutputFile::create(const fs::path& target, TemporaryFile::Naming naming) {
  OutputFile out;
  out.target_ = target;
  if (target.empty()) return unwritable(target, ENOENT);
  if (const int number = open_file_behind(target); number >= 0) {
    out.direct_ = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (out.direct_ < 0) return unwritable(target, errno);
    return out;
  }
  SPRESS_TRY(out.resolved_, follow_links(target));
  struct stat found = {};
  const bool exists = ::stat(out.resolved_.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) return unwritable(target, errno);
  if (exists && S_ISDIR(found.st_mode)) return unwritable(target, EISDIR);
  if (!out.resolved_.has_filename()) return unwritable(target, EISDIR);
  if (exists && !S_ISREG(found.st_mode)) {
    out.direct_ = retry([&] { return beside_streams(::open(out.resolved_.c_str(), O_WRONLY | O_CLOEXEC)); });
    if (out.direct_ < 0) return unwritable(target, errno);
    return out;
  }
  if (const int error = out.temporary_.create(out.resolved_.parent_path(), naming); error != 0)
    return unwritable(target, error);
  if (exists && ::fchmod(out.descriptor(), found.st_mode & 07777) != 0) return unwritable(target, errno);
  return out;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : temporary_(std::move(other.temporary_)),
      direct_(std::exchange(other.direct_, -1)),
      target_(std::move(other.target_)),
      resolved_(std::move(other.resolved_)),
      size_(std::exchange(other.size_, 0)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  if (direct_ >= 0) ::close(direct_);
  temporary_ = std::move(other.temporary_);
  direct_ = std::exchange(other.direct_, -1);
  target_ = std::move(other.target_);
  resolved_ = std::move(other.resolved_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

OutputFile::~OutputFile() {
  if (direct_ >= 0) ::close(direct_);
}

Error OutputFile::failure(int system_error) const { return unwritable(target_, system_error); }

Status OutputFile::write(const void* data, std::size_t bytes) {
  assert(descriptor() >= 0);
  const int failed = write_fully(data, bytes, [&](const char* from, std::size_t count, std::size_t) {
    return ::write(descriptor(), from, count);
  });
  if (failed != 0) return failure(failed);
  size_ += bytes;
  return Ok{};
}

Status OutputFile::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
  assert(descriptor() >= 0 && offset + bytes <= size_);
  if (!seekable()) return failure(ESPIPE);
  if (const int failed = write_fully_at(descriptor(), offset, data, bytes); failed != 0) return failure(failed);
  return Ok{};
}

Result<std::shared_ptr<InputFile>> OutputFile::open_written() const {
  assert(seekable());
  if (::fsync(descriptor()) != 0) return failure(errno);
  return InputFile::open(open_path());
}

Status OutputFile::commit() {
  assert(descriptor() >= 0);
  if (seekable()) {
    if (const int error = temporary_.publish(resolved_); error != 0) return failure(error);
    return Ok{};
  }
  if (::close(std::exchange(direct_, -1)) != 0 && errno != EINTR) return failure(errno);
  return Ok{};
}

}  // namespace spress::io
