// A zip archive, written member by member. (A static libarchive that writes needs libxml2, so zlib it is.)
// Source: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", version 6.3.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/io/bytes/output_file.hpp"

namespace spress::io {

/// Members are compressed (deflate); sizes and places beyond 4 GiB use zip64. No time is recorded, so that the same
/// members make the same bytes. Everything is written in order, so the file may be a pipe.
class ZipWriter {
 public:
  explicit ZipWriter(OutputFile& file);
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter();

  /// Begins a member of `bytes` bytes, which write() has to give, behind the last one. Errors: unwritable.
  [[nodiscard]] Status begin(const std::string& name, std::uint64_t bytes);
  [[nodiscard]] Status write(const void* data, std::size_t bytes);
  /// Ends the last member and writes the directory. Errors: unwritable.
  [[nodiscard]] Status finish();

 private:
  struct Member {
    std::string name;
    std::uint64_t place = 0, packed = 0, bytes = 0;
    std::uint32_t crc = 0;
    [[nodiscard]] bool is_wide() const;  ///< sizes take 64 bits
  };
  [[nodiscard]] Status deflate_some(const void* data, std::size_t bytes, int flush);
  [[nodiscard]] Status end_member();
  [[nodiscard]] Status put(const std::string& bytes);

  OutputFile& file_;
  z_stream zlib_{};
  std::uint64_t place_ = 0;  ///< bytes written
  std::vector<Member> members_;
  std::vector<unsigned char> buffer_;
};

}  // namespace spress::io
