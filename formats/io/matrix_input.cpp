#include "formats/io/matrix_input.hpp"

namespace spress::io {
namespace {

Status check_promise(const InputFile& file) {
  const CompressionEntry* promised = compression_named(file.path().filename().string());
  if (promised == nullptr || promised->compression == compression_of(file.head())) return Ok{};
  const std::string name(promised->name);
  return Error{ErrorCode::damaged, "is named as " + name + " data but does not begin like " + name + " data", {}, 0};
}

}  // namespace

MatrixInput::MatrixInput(std::shared_ptr<InputFile> file) : file_(std::move(file)) {
  if (is_archive(*file_)) archive_.emplace(file_, matrix_name(file_->path()));
}

Status MatrixInput::open() {
  SPRESS_CHECK(check_promise(*file_));
  if (archive_) {
    SPRESS_TRY(stream_, archive_->open());
    return Ok{};
  }
  const Compression compression = compression_of(file_->head());
  if (compression == Compression::none && file_->is_regular()) plain_ = file_;
  SPRESS_TRY(stream_, decompress(compression, file_stream(file_)));
  return Ok{};
}

Result<bool> MatrixInput::settle(bool good) {
  if (archive_) return archive_->settle();
  // A stream may never end.
  if (!good && plain_ == nullptr && file_->is_regular()) SPRESS_CHECK(drain(*stream_));
  return true;
}

}  // namespace spress::io
