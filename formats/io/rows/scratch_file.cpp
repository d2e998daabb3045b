#include "formats/io/rows/scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "formats/io/bytes/fully.hpp"

namespace spress::io {
namespace {

namespace fs = std::filesystem;

/// A descriptor, or -1 with errno.
int open_nameless(const fs::path& folder) {
#ifdef O_TMPFILE
  if (const int file = beside_streams(::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600)); file >= 0)
    return file;
#endif
  std::string name = (folder / ".spress-XXXXXX").native();  // the file system has no files without a name
  const int file = beside_streams(::mkostemp(name.data(), O_CLOEXEC));
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

}  // namespace

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), end_(other.end_), folder_(std::move(other.folder_)) {}

ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(end_, other.end_);
  folder_.swap(other.folder_);
  return *this;
}

ScratchFile::~ScratchFile() {
  if (file_ >= 0) ::close(file_);
}

Result<ScratchFile> ScratchFile::create(const fs::path& folder) {
  ScratchFile out;
  out.folder_ = folder.empty() ? fs::path(".") : folder;
  out.file_ = open_nameless(out.folder_);
  if (out.file_ < 0) return out.failed(errno);
  return out;
}

Error ScratchFile::failed(int system_error) const {
  return {ErrorCode::unwritable, "the scratch file in the folder " + folder_.string() + " cannot be written: " +
                                     std::strerror(system_error) + "; TMPDIR names another folder"};
}

Result<std::uint64_t> ScratchFile::append(const std::uint8_t* bytes, std::size_t n) {
  const std::uint64_t offset = end_;
  if (const int error = write_fully_at(file_, offset, bytes, n); error != 0) return failed(error);
  end_ += n;
  return offset;
}

Status ScratchFile::read(std::uint64_t offset, std::uint8_t* to, std::size_t n) const {
  std::size_t got = 0;
  const int error = read_fully_at(file_, offset, to, n, got);
  if (error == 0 && got == n) return Ok{};
  return Error{ErrorCode::unreadable, "the scratch file in the folder " + folder_.string() +
                                          " cannot be read: " + (error != 0 ? std::strerror(error) : "it ends early")};
}

}  // namespace spress::io
