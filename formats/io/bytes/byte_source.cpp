#include "formats/io/bytes/byte_source.hpp"

#include <utility>

namespace spress::io {
namespace {

using Bytes = std::span<const std::uint8_t>;

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

class FileSource : public ByteSource {
 public:
  explicit FileSource(std::shared_ptr<InputFile> file) : file_(std::move(file)) {}
  [[nodiscard]] std::uint64_t size() const override { return file_->size(); }
  [[nodiscard]] Result<Bytes> read(std::uint64_t offset, std::size_t bytes, Scratch& scratch) const override {
    std::uint8_t* to = scratch.room(bytes);
    SPRESS_TRY(const std::size_t got, file_->read_at(offset, reinterpret_cast<char*>(to), bytes));
    if (got < bytes) return Error{ErrorCode::truncated, "became shorter while it was read"};
    return Bytes(to, bytes);
  }

 private:
  std::shared_ptr<InputFile> file_;
};

/// Memory of its own.
class StreamSource : public MemorySource {
 public:
  explicit StreamSource(std::vector<std::uint8_t> bytes) : MemorySource(bytes), bytes_(std::move(bytes)) {}

 private:
  std::vector<std::uint8_t> bytes_;  // moved, its elements stay where they are
};

}  // namespace

std::unique_ptr<ByteSource> memory_source(Bytes bytes) { return std::make_unique<MemorySource>(bytes); }

std::unique_ptr<ByteSource> file_source(std::shared_ptr<InputFile> file) {
  return std::make_unique<FileSource>(std::move(file));
}

std::unique_ptr<ByteSource> stream_source(std::vector<std::uint8_t> bytes) {
  return std::make_unique<StreamSource>(std::move(bytes));
}

}  // namespace spress::io
