#include "formats/io/readers/matrix_input.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "formats/io/readers/file_kinds.hpp"

namespace spress::io {
namespace {

/// A stream from its beginning, of which some bytes were read already.
class BegunStream final : public ByteStream {
 public:
  BegunStream(std::string begin, std::unique_ptr<ByteStream> rest) : begin_(std::move(begin)), rest_(std::move(rest)) {}
  Result<std::size_t> read(char* to, std::size_t n) override {
    const std::size_t known = std::min(n, begin_.size() - given_);
    std::copy_n(begin_.data() + given_, known, to);
    given_ += known;
    SPRESS_TRY(const std::size_t got, rest_->read(to + known, n - known));
    return known + got;
  }

 private:
  std::string begin_;
  std::unique_ptr<ByteStream> rest_;
  std::size_t given_ = 0;
};

Status check_promise(const InputFile& file) {
  const CompressionEntry* promised = compression_named(file.path().filename().string());
  if (file.head().empty() && (promised != nullptr || is_archive(file)))
    return Error{ErrorCode::damaged, "is empty: fetch the file again"};
  if (promised == nullptr || promised->compression == compression_of(file.head())) return Ok{};
  const std::string name(promised->name);
  return Error{ErrorCode::damaged, "is named as " + name + " data but does not begin like " + name + " data"};
}

}  // namespace

MatrixInput::MatrixInput(std::shared_ptr<InputFile> file, const ReadOptions& options)
    : file_(std::move(file)), wanted_{matrix_name(file_->path()), is_matrix_name, options.part} {
  if (is_archive(*file_)) archive_.emplace(file_, wanted_);
}

std::filesystem::path MatrixInput::name() const {
  return archive_ ? std::filesystem::path(archive_->member()).filename()
                  : std::filesystem::path(without_compression(file_->path().filename().string()));
}

std::string MatrixInput::part() const { return archive_ && archive_->is_asked_for() ? "" : wanted_.part; }

/// Reads the first bytes of the stream ahead.
Status MatrixInput::read_head() {
  constexpr std::size_t head_bytes = 1024;
  std::vector<std::uint8_t> begin;
  SPRESS_CHECK(read_up_to(*stream_, head_bytes, begin));
  head_.assign(begin.begin(), begin.end());
  stream_ = std::make_unique<BegunStream>(head_, std::move(stream_));
  return Ok{};
}

Status MatrixInput::open() {
  SPRESS_CHECK(check_promise(*file_));
  if (!archive_) {
    const Compression compression = compression_of(file_->head());
    if (compression == Compression::none && file_->is_regular()) plain_ = file_;
    SPRESS_TRY(stream_, decompress(compression, file_stream(file_)));
    SPRESS_CHECK(read_head());
    if (!is_tar(head_)) return Ok{};
    plain_ = nullptr;
    archive_.emplace(file_, wanted_, std::move(stream_));
  }
  SPRESS_TRY(stream_, archive_->open());
  return read_head();
}

std::unique_ptr<LineBlocks> MatrixInput::text_blocks(std::uint64_t offset, std::string_view rest) {
  constexpr std::size_t block_bytes = std::size_t{256} << 10;
  return plain_ != nullptr ? file_blocks(plain_, offset, block_bytes)
                           : stream_blocks(*stream_, std::string(rest), block_bytes);
}

Result<bool> MatrixInput::settle() {
  if (archive_) return archive_->settle();
  // A reader may stop before the checksum of compressed data. A stream may never end.
  if (plain_ == nullptr && file_->is_regular()) SPRESS_CHECK(drain(*stream_));
  return true;
}

}  // namespace spress::io
