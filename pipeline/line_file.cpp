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

char byte_at(int handle, off_t offset) {
  char byte = 0;
  return ::pread(handle, &byte, 1, offset) == 1 ? byte : '\0';
}

/// Every record begins like this, so that no other file is taken for one, and cut.
bool begins_with_record(int handle, off_t size) {
  const std::string expected = "{\"schema_version\"";
  std::string begin(std::min(expected.size(), static_cast<std::size_t>(size)), '\0');
  const ssize_t n = ::pread(handle, begin.data(), begin.size(), 0);
  return n == static_cast<ssize_t>(begin.size()) && expected.compare(0, begin.size(), begin) == 0;
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
  if (!begins_with_record(handle_, end))
    return Error{ErrorCode::usage, "holds no records of an earlier run; choose another name", file_.string(), 0};
  const off_t whole = end;
  while (end > 0 && byte_at(handle_, end - 1) != '\n') --end;
  if (end != whole && ::ftruncate(handle_, end) != 0) return failed("cannot be repaired");
  return Ok{};
}

Result<LineFile> LineFile::open(const std::filesystem::path& file) {
  LineFile out(file);
  constexpr int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  out.handle_ = ::open(file.c_str(), flags | O_EXCL, 0666);
  out.created_ = out.handle_ >= 0;
  if (!out.created_ && errno == EEXIST) out.handle_ = ::open(file.c_str(), flags, 0666);
  if (out.handle_ < 0) return out.failed("cannot be written");
  struct stat status = {};
  if (::fstat(out.handle_, &status) != 0) return out.failed("cannot be written");
  out.regular_ = S_ISREG(status.st_mode);
  if (!out.regular_) return out;  // a pipe or a device: nothing to lock, nothing to repair
  if (::flock(out.handle_, LOCK_EX | LOCK_NB) != 0)
    return Error{ErrorCode::usage, "another run is writing here; wait for it or choose another file", file.string(), 0};
  SPRESS_CHECK(out.cut_torn_line());
  return out;
}

Status LineFile::append(const std::string& line) {
  const off_t end = ::lseek(handle_, 0, SEEK_END);
  if (write_all(handle_, line + "\n")) {
    created_ = false;
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
