// Bytes of an input file, decompressed on the way: plain, gzip, zstd, and a member of a tar archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "formats/result.hpp"

namespace spress::io {

/// Bytes in order.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `to` with the next `n` bytes; fewer only at the end.
  /// Errors: unreadable, truncated, damaged.
  virtual Result<std::size_t> read(char* to, std::size_t n) = 0;
};

/// Reads and drops what is left, so that checksums at the end of compressed data are verified.
[[nodiscard]] Status drain(ByteStream& stream);

/// An open file.
class InputFile {
 public:
  /// Errors: not_found, unreadable (a directory, permission).
  [[nodiscard]] static Result<std::shared_ptr<InputFile>> open(const std::filesystem::path& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  [[nodiscard]] bool is_regular() const { return regular_; }  ///< has a size and can be read at any place
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::string_view head() const { return head_; }  ///< the first bytes, at most 4
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t n) const;
  [[nodiscard]] Result<std::size_t> read_next(char* to, std::size_t n) const;  ///< after head()

 private:
  explicit InputFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
  bool regular_ = false;
  std::uint64_t size_ = 0;
  std::string head_;
};

/// What a file holds once it is decompressed.
struct OpenedInput {
  std::unique_ptr<ByteStream> stream;
  std::shared_ptr<InputFile> plain;  ///< set where the stream is exactly the bytes of a regular file
};

/// Opens a file and decompresses by what it begins with (gzip, zstd). In archives (.tar.gz, .tgz, .tar.zst, .tar) the
/// stream is the main matrix: the member NAME.mtx of NAME.tar.gz, else the only member X/X.mtx named like its folder,
/// else the only .mtx member.
/// Errors: as InputFile::open; damaged or truncated archives; not_found where no member can be chosen, listing them.
[[nodiscard]] Result<OpenedInput> open_input(const std::filesystem::path& path);

/// The name without the endings `.gz`, `.zst`, and `.tar` or nothing: what is compressed inside.
[[nodiscard]] std::string without_compression(std::string name);
[[nodiscard]] bool is_archive(const std::filesystem::path& path);

}  // namespace spress::io
