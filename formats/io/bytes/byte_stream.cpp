#include "formats/io/bytes/byte_stream.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "formats/io/bytes/libarchive_reader.hpp"

namespace spress::io {
namespace {

constexpr std::size_t input_bytes = std::size_t{256} << 10;

Error damaged(std::string message) { return {ErrorCode::damaged, std::move(message)}; }
Error truncated(std::string message) { return {ErrorCode::truncated, std::move(message)}; }

class FileStream final : public ByteStream {
 public:
  explicit FileStream(std::shared_ptr<InputFile> file) : file_(std::move(file)) {}
  Result<std::size_t> read(char* to, std::size_t n) override {
    if (file_->is_regular()) {
      SPRESS_TRY(const std::size_t got, file_->read_at(given_, to, n));
      given_ += got;
      return got;
    }
    const std::size_t from_head = std::min<std::size_t>(n, file_->head().size() - given_);
    std::memcpy(to, file_->head().data() + given_, from_head);
    given_ += from_head;
    SPRESS_TRY(const std::size_t rest, file_->read_next(to + from_head, n - from_head));
    return from_head + rest;
  }

 private:
  std::shared_ptr<InputFile> file_;
  std::uint64_t given_ = 0;  ///< bytes; of a stream those of its head
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

/// What libarchive decompresses (xz, bzip2).
class LibarchiveStream final : public ByteStream {
 public:
  LibarchiveStream(Wrapping wrapping, std::unique_ptr<ByteStream> bytes) : reader_(wrapping, std::move(bytes)) {}
  Status open() {
    SPRESS_CHECK(reader_.open());
    SPRESS_CHECK(reader_.next());
    return Ok{};
  }
  Result<std::size_t> read(char* to, std::size_t n) override {
    SPRESS_TRY(const std::size_t got, reader_.read(to, n));
    if (got < n) SPRESS_CHECK(check_end());
    return got;
  }

 private:
  /// bzip2 data may be followed by what is none, which libarchive does not look at.
  Status check_end() {
    SPRESS_TRY(const std::uint64_t left, reader_.bytes_left());
    if (left == 0) return Ok{};
    return damaged("has " + std::to_string(left) + " bytes behind the end of its compressed data");
  }

  LibarchiveReader reader_;
};

Result<std::unique_ptr<ByteStream>> by_libarchive(Wrapping wrapping, std::unique_ptr<ByteStream> bytes) {
  auto stream = std::make_unique<LibarchiveStream>(wrapping, std::move(bytes));
  SPRESS_CHECK(stream->open());
  return std::unique_ptr<ByteStream>(std::move(stream));
}

}  // namespace

Status read_up_to(ByteStream& stream, std::uint64_t most, std::vector<std::uint8_t>& bytes) {
  while (bytes.size() < most) {
    const std::size_t before = bytes.size(), wanted = std::min<std::uint64_t>(most - before, input_bytes);
    bytes.resize(before + wanted);
    SPRESS_TRY(const std::size_t got, stream.read(reinterpret_cast<char*>(bytes.data()) + before, wanted));
    bytes.resize(before + got);
    if (got < wanted) break;
  }
  return Ok{};
}

std::unique_ptr<ByteStream> file_stream(std::shared_ptr<InputFile> file) {
  return std::make_unique<FileStream>(std::move(file));
}

Result<std::unique_ptr<ByteStream>> decompress(Compression compression, std::unique_ptr<ByteStream> bytes) {
  switch (compression) {
    case Compression::gzip: return std::unique_ptr<ByteStream>(std::make_unique<GzipStream>(std::move(bytes)));
    case Compression::zstd: return std::unique_ptr<ByteStream>(std::make_unique<ZstdStream>(std::move(bytes)));
    case Compression::xz: return by_libarchive(Wrapping::xz, std::move(bytes));
    case Compression::bzip2: return by_libarchive(Wrapping::bzip2, std::move(bytes));
    case Compression::none: break;
  }
  return bytes;
}

Status drain(ByteStream& stream) {
  std::vector<char> buffer(input_bytes);
  for (std::size_t got = buffer.size(); got == buffer.size();) {
    SPRESS_TRY(got, stream.read(buffer.data(), buffer.size()));
  }
  return Ok{};
}

}  // namespace spress::io
