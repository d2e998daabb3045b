#include "formats/io/bytes/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "formats/io/bytes/fully.hpp"

namespace spress::io {
namespace {

std::string reason_of(int system_error) { return std::generic_category().message(system_error); }

}  // namespace

Result<MemoryFile> MemoryFile::create() {
  MemoryFile file(beside_streams(::memfd_create("spress", MFD_CLOEXEC)));
  if (file.descriptor_ < 0)
    return Error{ErrorCode::too_large, "there is no room for a file in memory: " + reason_of(errno)};
  return file;
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool MemoryFile::write(std::uint64_t offset, const void* data, std::size_t bytes) const {
  return write_fully_at(descriptor_, offset, data, bytes) == 0;
}

Result<std::size_t> MemoryFile::read(std::uint64_t offset, void* to, std::size_t bytes) const {
  for (;;) {
    const ssize_t got = ::pread(descriptor_, to, bytes, static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return Error{ErrorCode::unreadable, "a file in memory cannot be read: " + reason_of(errno)};
  }
}

}  // namespace spress::io
