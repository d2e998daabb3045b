// libarchive, reading from a stream or a file of ours. Private to formats/io.
#pragma once

#include <archive.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/bytes/byte_stream.hpp"

namespace spress::io {

/// What libarchive takes off. A streamed zip archive is one in bytes that allow no seeking.
enum class Wrapping : std::uint8_t { tar, zip, streamed_zip, xz, bzip2 };

class LibarchiveReader {
 public:
  struct Entry {
    std::string path;
    bool encrypted = false;
  };

  LibarchiveReader(Wrapping wrapping, std::unique_ptr<ByteStream> bytes);
  /// Seeks in the file instead of reading what it skips. Requires: file->is_regular().
  LibarchiveReader(Wrapping wrapping, std::shared_ptr<InputFile> file);
  LibarchiveReader(const LibarchiveReader&) = delete;
  LibarchiveReader& operator=(const LibarchiveReader&) = delete;
  ~LibarchiveReader();

  /// Errors: unsupported where this build's libarchive lacks the wrapping; those of reading.
  [[nodiscard]] Status open();
  /// Goes to the next regular file; nothing at the end. Errors: those of the bytes, damaged, truncated.
  [[nodiscard]] Result<std::optional<Entry>> next();
  /// Fills `to` with bytes of the file; fewer only at its end. Errors: as next().
  [[nodiscard]] Result<std::size_t> read(char* to, std::size_t n);
  /// Reads what lies behind the end, so that the bytes' own checksums are verified; counts what was not taken.
  [[nodiscard]] Result<std::uint64_t> bytes_left();

 private:
  static la_ssize_t supply(archive* handle, void* self, const void** data);
  static la_int64_t seek(archive* handle, void* self, la_int64_t offset, int whence);
  la_ssize_t fail_supply(Error error);
  Error failure();

  Wrapping wrapping_;
  std::unique_ptr<ByteStream> bytes_;
  std::shared_ptr<InputFile> file_;
  std::uint64_t supplied_ = 0;  ///< bytes; in a file the place of the next
  std::vector<char> buffer_;
  archive* archive_;
  std::optional<Error> error_;  ///< the first; what follows it is a consequence
};

}  // namespace spress::io
