#include "pipeline/collection/line_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "formats/json/tree.hpp"
#include "reports/records/records.hpp"

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

bool is_record(std::string_view line) {
  json::Tree tree;
  if (!tree.parse(line).empty() || !tree.root().is(json::Kind::object)) return false;
  const auto version = tree.root().find("schema_version");
  return version && version->natural() == reports::schema_version;
}

bool holds_records(std::string_view lines) {
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    const std::string_view line = lines.substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos && !is_record(line)) return false;
    begin = end + 1;
  }
  return true;
}

/// Whether a line without its end is a record or the torn beginning of one.
bool begins_record(std::string_view line) {
  constexpr std::size_t least = 8;  // a shorter beginning could be anybody's
  const std::string begin = "{\"schema_version\":" + std::to_string(reports::schema_version);
  const std::size_t common = std::min(begin.size(), line.size());
  if (line.size() < least || line.substr(0, common) != std::string_view(begin).substr(0, common)) return false;
  return is_record(line) || !json::Tree().parse(line).empty();
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

Status LineFile::take_up_records() {
  const off_t end = ::lseek(handle_, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::max<off_t>(end, 0)), '\0');
  if (!read_bytes(handle_, 0, text.data(), text.size()))
    return Error{ErrorCode::unreadable, std::string("cannot be read: ") + std::strerror(errno), file_.string(), 0};
  const std::size_t whole = text.rfind('\n') + 1;  // 0 without any line end
  const std::string_view last = std::string_view(text).substr(whole);
  if (!holds_records(std::string_view(text).substr(0, whole)) || !(last.empty() || begins_record(last)))
    return Error{ErrorCode::usage, "holds something else than records of spress; choose another name", file_.string(),
                 0};
  if (last.empty()) return Ok{};
  if (is_record(last)) return write_all(handle_, "\n") ? Status(Ok{}) : failed("cannot be written");
  if (::ftruncate(handle_, static_cast<off_t>(whole)) != 0) return failed("cannot be repaired");
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
  SPRESS_CHECK(out.take_up_records());
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
