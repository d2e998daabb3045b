#include "formats/io/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace spress::io {
namespace {

using Bytes = std::span<const std::uint8_t>;

Error failure(ErrorCode code, std::string what, const std::string& path) { return {code, std::move(what), path, 0}; }

Error system_failure(int system_error, const std::string& path) {
  const std::string reason = std::generic_category().message(system_error);
  return system_error == ENOENT || system_error == ENOTDIR
             ? failure(ErrorCode::not_found, reason + "; give the path of a file that exists", path)
             : failure(ErrorCode::unreadable, "cannot be read: " + reason, path);
}

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] Result<Bytes> read(std::uint64_t offset, std::size_t bytes, Scratch&) const override {
    return bytes_.subspan(offset, bytes);
  }

 private:
  Bytes bytes_;
};

/// A file's number, closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

class FileSource : public ByteSource {
 public:
  FileSource(Descriptor file, std::uint64_t size, std::string path)
      : file_(std::move(file)), size_(size), path_(std::move(path)) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] Result<Bytes> read(std::uint64_t offset, std::size_t bytes, Scratch& scratch) const override {
    std::uint8_t* to = scratch.room(bytes);
    std::size_t done = 0;
    while (done < bytes) {
      const std::size_t wanted = std::min(bytes - done, std::size_t{1} << 30);
      const ssize_t got = ::pread(file_.number(), to + done, wanted, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_failure(errno, path_);
      if (got == 0) return failure(ErrorCode::truncated, "became shorter while it was read", path_);
      done += static_cast<std::size_t>(got);
    }
    return Bytes(to, bytes);
  }

 private:
  Descriptor file_;
  std::uint64_t size_;
  std::string path_;
};

/// Memory of its own.
class StreamSource : public MemorySource {
 public:
  explicit StreamSource(std::vector<std::uint8_t> bytes) : MemorySource(bytes), bytes_(std::move(bytes)) {}

 private:
  std::vector<std::uint8_t> bytes_;  // moved, its elements stay where they are
};

Result<std::vector<std::uint8_t>> read_to_end(const Descriptor& file, const std::string& path) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> piece(1 << 16);
  for (;;) {
    const ssize_t got = ::read(file.number(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_failure(errno, path);
    if (got == 0) return bytes;
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + got);
  }
}

}  // namespace

std::unique_ptr<ByteSource> memory_source(Bytes bytes) { return std::make_unique<MemorySource>(bytes); }

Result<std::unique_ptr<ByteSource>> file_source(const std::filesystem::path& path) {
  const std::string name = path.string();
  Descriptor file(name);
  struct stat found = {};
  if (file.number() < 0 || ::fstat(file.number(), &found) != 0) return system_failure(errno, name);
  if (S_ISDIR(found.st_mode)) return failure(ErrorCode::unreadable, "is a folder; give a file inside it", name);
  if (S_ISREG(found.st_mode))
    return std::unique_ptr<ByteSource>(
        std::make_unique<FileSource>(std::move(file), static_cast<std::uint64_t>(found.st_size), name));
  SPRESS_TRY(auto bytes, read_to_end(file, name));
  return std::unique_ptr<ByteSource>(std::make_unique<StreamSource>(std::move(bytes)));
}

}  // namespace spress::io
