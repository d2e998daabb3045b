#include "formats/io/byte_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

#include "formats/io/tar_stream.hpp"

namespace spress::io {
namespace {

constexpr std::size_t input_bytes = std::size_t{256} << 10;

Error unreadable(int error_number) {
  return {ErrorCode::unreadable, std::string("cannot be read: ") + std::strerror(error_number), {}, 0};
}
Error damaged(std::string message) { return {ErrorCode::damaged, std::move(message), {}, 0}; }
Error truncated(std::string message) { return {ErrorCode::truncated, std::move(message), {}, 0}; }

/// Calls read(to, n) until n bytes came or none are left; restarts what a signal interrupted.
template <class Read>
Result<std::size_t> read_fully(char* to, std::size_t n, Read&& read) {
  std::size_t done = 0;
  while (done < n) {
    const ssize_t got = read(to + done, std::min<std::size_t>(n - done, std::size_t{1} << 30), done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

class FileStream final : public ByteStream {
 public:
  explicit FileStream(std::shared_ptr<InputFile> file) : file_(std::move(file)) {}
  Result<std::size_t> read(char* to, std::size_t n) override {
    const std::size_t from_head = std::min(n, file_->head().size() - head_used_);
    std::memcpy(to, file_->head().data() + head_used_, from_head);
    head_used_ += from_head;
    SPRESS_TRY(const std::size_t rest, file_->read_next(to + from_head, n - from_head));
    return from_head + rest;
  }

 private:
  std::shared_ptr<InputFile> file_;
  std::size_t head_used_ = 0;
};

/// The compressed bytes that a decompressor has not used yet.
class CompressedInput {
 public:
  explicit CompressedInput(std::unique_ptr<ByteStream> inner) : inner_(std::move(inner)), buffer_(input_bytes) {}
  /// Makes at least one byte available unless the end is reached.
  Status refill() {
    if (begin_ < end_ || at_end_) return Ok{};
    SPRESS_TRY(end_, inner_->read(buffer_.data(), buffer_.size()));
    begin_ = 0;
    at_end_ = end_ < buffer_.size();
    return Ok{};
  }
  [[nodiscard]] std::size_t available() const { return end_ - begin_; }
  char* data() { return buffer_.data() + begin_; }
  void use(std::size_t n) { begin_ += n; }

 private:
  std::unique_ptr<ByteStream> inner_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
};

/// One or more gzip members, as gzip itself accepts them; padding with zeros after the last is let pass.
class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteStream> inner) : input_(std::move(inner)) {
    if (inflateInit2(&zlib_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { inflateEnd(&zlib_); }

  Result<std::size_t> read(char* to, std::size_t n) override {
    std::size_t done = 0;
    while (done < n) {
      SPRESS_CHECK(input_.refill());
      if (between_members_) {
        SPRESS_TRY(const bool more, begin_member());
        if (!more) break;
      }
      if (input_.available() == 0) return truncated("the gzip data ends too early");
      SPRESS_TRY(const std::size_t got, inflate_some(to + done, n - done));
      done += got;
    }
    return done;
  }

 private:
  Result<bool> begin_member() {
    if (first_) {
      first_ = false;
    } else {
      while (input_.available() > 0 && *input_.data() == 0) {
        input_.use(1);
        SPRESS_CHECK(input_.refill());
      }
      if (input_.available() == 0) return false;
      inflateReset(&zlib_);
    }
    between_members_ = false;
    return true;
  }

  Result<std::size_t> inflate_some(char* to, std::size_t n) {
    const auto room = static_cast<uInt>(std::min<std::size_t>(n, std::numeric_limits<uInt>::max()));
    const auto offered = static_cast<uInt>(input_.available());
    zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
    zlib_.avail_in = offered;
    zlib_.next_out = reinterpret_cast<Bytef*>(to);
    zlib_.avail_out = room;
    const int status = inflate(&zlib_, Z_NO_FLUSH);
    input_.use(offered - zlib_.avail_in);
    if (status == Z_STREAM_END)
      between_members_ = true;
    else if (status != Z_OK && status != Z_BUF_ERROR)
      return damaged(std::string("the gzip data is damaged (") + (zlib_.msg != nullptr ? zlib_.msg : "checksum") + ")");
    return std::size_t{room - zlib_.avail_out};
  }

  CompressedInput input_;
  z_stream zlib_{};
  bool between_members_ = true, first_ = true;
};

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(std::unique_ptr<ByteStream> inner) : input_(std::move(inner)), context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
  }
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;
  ~ZstdStream() override { ZSTD_freeDCtx(context_); }

  Result<std::size_t> read(char* to, std::size_t n) override {
    ZSTD_outBuffer out{to, n, 0};
    while (out.pos < out.size) {
      SPRESS_CHECK(input_.refill());
      if (input_.available() == 0 && frame_finished_) break;
      const std::size_t before = out.pos;
      ZSTD_inBuffer in{input_.data(), input_.available(), 0};
      const std::size_t status = ZSTD_decompressStream(context_, &out, &in);
      if (ZSTD_isError(status) != 0)
        return damaged(std::string("the zstd data is damaged (") + ZSTD_getErrorName(status) + ")");
      frame_finished_ = status == 0;
      input_.use(in.pos);
      if (in.size == 0 && out.pos == before) return truncated("the zstd data ends too early");
    }
    return out.pos;
  }

 private:
  CompressedInput input_;
  ZSTD_DCtx* context_;
  bool frame_finished_ = true;
};

bool ends_with(std::string_view text, std::string_view ending) { return text.ends_with(ending); }

Result<std::unique_ptr<ByteStream>> decompressed(std::shared_ptr<InputFile> file, const std::string& name) {
  const std::string_view head = file->head();
  const bool gzip = head.starts_with("\x1f\x8b");
  const bool zstd = head == "\x28\xb5\x2f\xfd";
  if (!gzip && (ends_with(name, ".gz") || ends_with(name, ".tgz")))
    return damaged("is named as gzip data but does not begin like gzip data");
  if (!zstd && ends_with(name, ".zst")) return damaged("is named as zstd data but does not begin like zstd data");
  std::unique_ptr<ByteStream> stream = std::make_unique<FileStream>(std::move(file));
  if (gzip) stream = std::make_unique<GzipStream>(std::move(stream));
  if (zstd) stream = std::make_unique<ZstdStream>(std::move(stream));
  return stream;
}

}  // namespace

Status drain(ByteStream& stream) {
  std::vector<char> buffer(input_bytes);
  for (std::size_t got = buffer.size(); got == buffer.size();) {
    SPRESS_TRY(got, stream.read(buffer.data(), buffer.size()));
  }
  return Ok{};
}

Result<std::shared_ptr<InputFile>> InputFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Error{ErrorCode::not_found, "no such file", {}, 0};
    return unreadable(errno);
  }
  std::shared_ptr<InputFile> file(new InputFile(descriptor));
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return unreadable(errno);
  if (S_ISDIR(facts.st_mode)) return Error{ErrorCode::unreadable, "is a directory, where a file is wanted", {}, 0};
  file->regular_ = S_ISREG(facts.st_mode);
  file->size_ = file->regular_ ? static_cast<std::uint64_t>(facts.st_size) : 0;
  char head[4];
  SPRESS_TRY(const std::size_t got, file->read_next(head, sizeof head));
  file->head_.assign(head, got);
  return file;
}

InputFile::~InputFile() { ::close(descriptor_); }

Result<std::size_t> InputFile::read_at(std::uint64_t offset, char* to, std::size_t n) const {
  return read_fully(to, n, [&](char* at, std::size_t count, std::size_t done) {
    return ::pread(descriptor_, at, count, static_cast<off_t>(offset + done));
  });
}

Result<std::size_t> InputFile::read_next(char* to, std::size_t n) const {
  return read_fully(to, n, [&](char* at, std::size_t count, std::size_t) { return ::read(descriptor_, at, count); });
}

std::string without_compression(std::string name) {
  if (ends_with(name, ".tgz")) return name.substr(0, name.size() - 4);
  for (const std::string_view ending : {".gz", ".zst"})
    if (ends_with(name, ending)) {
      name.resize(name.size() - ending.size());
      break;
    }
  if (ends_with(name, ".tar")) name.resize(name.size() - 4);
  return name;
}

bool is_archive(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return ends_with(name, ".tar.gz") || ends_with(name, ".tgz") || ends_with(name, ".tar.zst") ||
         ends_with(name, ".tar");
}

Result<OpenedInput> open_input(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (is_archive(path)) {
    const auto open_archive = [&]() -> Result<std::unique_ptr<ByteStream>> {
      SPRESS_TRY(auto file, InputFile::open(path));
      return decompressed(std::move(file), name);
    };
    SPRESS_TRY(auto member, open_main_member(open_archive, without_compression(name)));
    return OpenedInput{std::move(member), nullptr};
  }
  SPRESS_TRY(auto file, InputFile::open(path));
  SPRESS_TRY(auto stream, decompressed(file, name));
  const std::string_view head = file->head();
  const bool plain = file->is_regular() && !head.starts_with("\x1f\x8b") && head != "\x28\xb5\x2f\xfd";
  return OpenedInput{std::move(stream), plain ? std::move(file) : nullptr};
}

}  // namespace spress::io
