// The text of a matrix file, whatever it is packed in.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/io/bytes/archive.hpp"
#include "formats/io/bytes/byte_stream.hpp"

namespace spress::io {

/// Opens a file and unpacks it by its first bytes: gzip, zstd, xz, bzip2, zip, tar; also tar by its name.
class MatrixInput {
 public:
  explicit MatrixInput(std::shared_ptr<InputFile> file);

  /// Errors: damaged where a name promises another compression; those of reading; as ArchiveMatrix::open.
  [[nodiscard]] Status open();
  [[nodiscard]] ByteStream& stream() { return *stream_; }
  /// The file where it is regular and the stream is exactly its bytes, else null.
  [[nodiscard]] std::shared_ptr<InputFile> plain() const { return plain_; }

  /// Reads the rest of the input. Where the text was not `good`, damaged data explains why.
  /// False: another member of the archive is the matrix; open() gives it. Errors: those of reading.
  [[nodiscard]] Result<bool> settle(bool good);
  /// As ArchiveMatrix::note.
  [[nodiscard]] std::string note() const { return archive_ ? archive_->note() : ""; }

 private:
  std::shared_ptr<InputFile> file_, plain_;
  std::optional<ArchiveMatrix> archive_;
  std::unique_ptr<ByteStream> stream_;
};

}  // namespace spress::io
