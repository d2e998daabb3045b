// The bytes of a matrix file, whatever it is packed in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/io/bytes/archive.hpp"
#include "formats/io/bytes/byte_stream.hpp"
#include "formats/io/entries/line_blocks.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// Opens a file and unpacks it by its first bytes: gzip, zstd, xz, bzip2, zip, tar; also tar by its name.
class MatrixInput {
 public:
  /// options.part names the member of an archive, or a part within its only matrix.
  MatrixInput(std::shared_ptr<InputFile> file, const ReadOptions& options);

  /// Errors: damaged where a name promises another compression; those of reading; as ArchiveMatrix::open.
  [[nodiscard]] Status open();

  /// What was unpacked, from its beginning. Requires of the calls below: open() went well.
  [[nodiscard]] ByteStream& stream() { return *stream_; }
  /// The first bytes of stream(), which it gives all the same: 1024, fewer where there are no more.
  [[nodiscard]] std::string_view head() const { return head_; }
  /// The file where it is regular and the stream is exactly its bytes, else null.
  [[nodiscard]] const std::shared_ptr<InputFile>& plain() const { return plain_; }
  /// The text after the header lines, in blocks that threads parse. offset: where it begins; rest: what a LineReader of
  /// stream() has read of it, which does not count where the input is a plain file.
  [[nodiscard]] std::unique_ptr<LineBlocks> text_blocks(std::uint64_t offset, std::string_view rest);
  /// The name of what was unpacked: that of a member, or the file's without the ending of its compression.
  [[nodiscard]] std::filesystem::path name() const;
  [[nodiscard]] const InputFile& file() const { return *file_; }
  /// The part that is asked for within what was unpacked. It is empty where options.part is, and where that names the
  /// member of an archive.
  [[nodiscard]] std::string part() const;

  /// Reads the rest of the input. Damaged data is no matrix, and explains why a text is none.
  /// False: another member of the archive is the matrix; open() gives it. Errors: those of reading.
  [[nodiscard]] Result<bool> settle();
  /// As ArchiveMatrix::note.
  [[nodiscard]] std::string note() const { return archive_ ? archive_->note() : ""; }

 private:
  [[nodiscard]] Status read_head();

  std::shared_ptr<InputFile> file_, plain_;
  WantedMember wanted_;
  std::optional<ArchiveMatrix> archive_;
  std::unique_ptr<ByteStream> stream_;
  std::string head_;
};

}  // namespace spress::io
