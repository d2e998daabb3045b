#include "formats/io/bytes/input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "formats/io/bytes/fully.hpp"

namespace spress::io {
namespace {

constexpr std::size_t head_bytes = 64;

Error unreadable(int error_number) {
  const std::string reason = std::generic_category().message(error_number);
  if (error_number == ENOENT || error_number == ENOTDIR)
    return {ErrorCode::not_found, reason + "; give the path of a file that exists"};
  return {ErrorCode::unreadable, "cannot be read: " + reason};
}

}  // namespace

InputFile::Seen InputFile::seen(const struct stat& facts) {
  return {static_cast<std::uint64_t>(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
}

Result<std::shared_ptr<InputFile>> InputFile::open(const std::filesystem::path& path) {
  const int descriptor = retry([&] { return beside_streams(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); });
  if (descriptor < 0) return unreadable(errno);
  std::shared_ptr<InputFile> file(new InputFile(path, descriptor));
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return unreadable(errno);
  if (S_ISDIR(facts.st_mode)) return Error{ErrorCode::unreadable, "is a folder; give the path of a file inside it"};
  file->regular_ = S_ISREG(facts.st_mode);
  if (file->regular_) file->seen_ = seen(facts);
  char head[head_bytes];
  SPRESS_TRY(const std::size_t got,
             file->regular_ ? file->read_at(0, head, sizeof head) : file->read_next(head, sizeof head));
  file->head_.assign(head, got);
  return file;
}

InputFile::~InputFile() { ::close(descriptor_); }

Result<std::size_t> InputFile::read_at(std::uint64_t offset, char* to, std::size_t n) const {
  std::size_t got = 0;
  if (const int error = read_fully_at(descriptor_, offset, to, n, got); error != 0) return unreadable(error);
  return got;
}

Result<std::size_t> InputFile::read_next(char* to, std::size_t n) const {
  std::size_t got = 0;
  const int error =
      do_fully(to, n, got, [&](char* at, std::size_t count, std::size_t) { return ::read(descriptor_, at, count); });
  if (error != 0) return unreadable(error);
  return got;
}

Status InputFile::drop_from_memory() const {
  if (seen_.bytes == 0) return Ok{};
  static_cast<void>(::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED));
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t pages = (seen_.bytes + page - 1) / page;
  std::vector<unsigned char> there(pages, 1);
  if (void* const map = ::mmap(nullptr, seen_.bytes, PROT_READ, MAP_SHARED, descriptor_, 0); map != MAP_FAILED) {
    if (::mincore(map, seen_.bytes, there.data()) != 0) std::fill(there.begin(), there.end(), 1);
    ::munmap(map, seen_.bytes);
  }
  const auto kept = std::count_if(there.begin(), there.end(), [](unsigned char flags) { return (flags & 1u) != 0; });
  if (100 * static_cast<std::size_t>(kept) <= pages) return Ok{};
  return Error{
      ErrorCode::unsupported,
      "the system keeps the file in memory, as file systems of memory do, or does not tell that it dropped it"};
}

Status InputFile::unchanged() const {
  if (!regular_) return Ok{};
  struct stat facts {};
  if (fstat(descriptor_, &facts) != 0) return unreadable(errno);
  if (seen(facts) == seen_) return Ok{};
  return Error{ErrorCode::unreadable, "changed while it was read; read it again once it is complete"};
}

}  // namespace spress::io
