#include "pipeline/line_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace spress::pipeline {
namespace {

/// The n bytes at `offset`; false where they cannot be read, with errno set.
bool read_bytes(int handle, off_t offset, char* to, std::size_t n) {
  for (std::size_t done = 0; done < n;) {
    const ssize_t got = ::pread(handle, to + done, n - done, offset + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;  // the file was longer just now
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool write_all(int handle, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(handle, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

bool is_named(int handle, const std::filesystem::path& file) {
  struct stat open = {}, named = {};
  return ::fstat(handle, &open) == 0 && ::stat(file.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

LineFile::LineFile(LineFile&& other) noexcept
    : file_(std::move(other.file_)),
      handle_(std::exchange(other.handle_, -1)),
      regular_(other.regular_),
      created_(std::exchange(other.created_, false)) {}

LineFile::~LineFile() {
  if (handle_ < 0) return;
  if (created_) ::unlink(file_.c_str());
  ::close(handle_);
}

Error LineFile::failed(const std::string& what) const {
  return {ErrorCode::unwritable, what + ": " + std::strerror(errno), file_.string(), 0};
}

Status LineFile::cut_torn_line() {
  off_t end = ::lseek(handle_, 0, SEEK_END);
  if (end <= 0) return Ok{};
  const auto unreadable = [&] {
    return Error{ErrorCode::unreadable, std::string("cannot be read: ") + std::strerror(errno), file_.string(), 0};
  };
  // Every record begins like this, so that no other file is taken for one, and cut.
  const std::string expected = "{\"schema_version\"";
  std::string begin(std::min(expected.size(), static_cast<std::size_t>(end)), '\0');
  if (!read_bytes(handle_, 0, begin.data(), begin.size())) return unreadable();
  if (expected.compare(0, begin.size(), begin) != 0)
    return Error{ErrorCode::usage, "holds no records of an earlier run; choose another name", file_.string(), 0};
  const off_t whole = end;
  for (char last = 0; end > 0; --end) {
    if (!read_bytes(handle_, end - 1, &last, 1)) return unreadable();
    if (last == '\n') break;
  }
  if (end != whole && ::ftruncate(handle_, end) != 0) return failed("cannot be repaired");
  return Ok{};
}

Result<LineFile> LineFile::open(const std::filesystem::path& file) {
  LineFile out(file);
  constexpr int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  out.handle_ = ::open(file.c_str(), flags | O_EXCL, 0666);
  const bool created = out.handle_ >= 0;
  if (!created && errno == EEXIST) out.handle_ = ::open(file.c_str(), flags, 0666);
  if (out.handle_ < 0) return out.failed("cannot be written");
  struct stat status = {};
  if (::fstat(out.handle_, &status) != 0) return out.failed("cannot be written");
  out.regular_ = S_ISREG(status.st_mode);
  if (!out.regular_) return out;  // a pipe or a device: nothing to lock, nothing to repair
  if (::flock(out.handle_, LOCK_EX | LOCK_NB) != 0)
    return Error{ErrorCode::usage, "another run is writing here; wait for it or choose another file", file.string(), 0};
  if (::fstat(out.handle_, &status) == 0 && status.st_nlink == 0)
    return open(file);  // the run that created it had no record and removed it just now
  out.created_ = created;
  SPRESS_CHECK(out.cut_torn_line());
  return out;
}

Status LineFile::append(const std::string& line) {
  const off_t end = ::lseek(handle_, 0, SEEK_END);
  if (write_all(handle_, line + "\n")) {
    created_ = false;
    if (regular_ && !is_named(handle_, file_))
      return Error{ErrorCode::unwritable, std::string(moved_message), file_.string(), 0};
    return Ok{};
  }
  Error error = failed("cannot be written");
  if (regular_ && end >= 0 && ::ftruncate(handle_, end) != 0) {
    created_ = false;
    error.message += "; its last line is torn, the next run will cut it off";
  }
  return error;
}

}  // namespace spress::pipeline
