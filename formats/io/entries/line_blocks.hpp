// Text cut into lines: one by one for a header, and in blocks of whole lines for threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "formats/core/array.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/byte_stream.hpp"

namespace spress::io {

/// No sensible line is longer; what is longer is no text.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Lines in order.
class LineReader {
 public:
  explicit LineReader(ByteStream& stream) : stream_(stream) {}
  /// Gives the next line without its end (LF or CRLF); false at the end of the text. The line lives until the next
  /// call. Errors: those of the stream; syntax for a line longer than longest_line.
  Result<bool> next(std::string_view& line);
  [[nodiscard]] std::uint64_t lines() const { return lines_; }                                      ///< given so far
  [[nodiscard]] std::uint64_t offset() const { return offset_; }                                    ///< bytes of them
  [[nodiscard]] std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }  ///< read, not given

 private:
  ByteStream& stream_;
  std::string buffer_;
  std::size_t begin_ = 0;
  bool at_end_ = false;
  std::uint64_t lines_ = 0, offset_ = 0;
};

/// A block of whole lines, each ended by LF; `padding` readable bytes follow `end`.
struct TextBlock {
  static constexpr std::size_t padding = 32;

  std::uint64_t index = 0;  ///< 0, 1, 2, ... in the order of the text
  const char* begin = nullptr;
  const char* end = nullptr;
  bool unterminated = false;      ///< the text ended without a line end, which was put in
  std::uint64_t failed_line = 0;  ///< where next() failed: the line within the block, from 1, or 0
  HostArray<char> memory;         ///< reused from block to block
};

/// Hands out blocks to any number of threads.
class LineBlocks {
 public:
  virtual ~LineBlocks() = default;
  /// False when the text is used up. Sets block.index even where it fails.
  /// Errors: those of the stream; syntax for a line longer than longest_line.
  virtual Result<bool> next(TextBlock& block) = 0;
};

/// Blocks of a file from `offset` on: each thread reads its own part.
[[nodiscard]] std::unique_ptr<LineBlocks> file_blocks(std::shared_ptr<InputFile> file, std::uint64_t offset,
                                                      std::size_t block_bytes);

/// Blocks of `rest` and what follows in the stream: one thread at a time fills a block while others parse.
[[nodiscard]] std::unique_ptr<LineBlocks> stream_blocks(ByteStream& stream, std::string rest, std::size_t block_bytes);

}  // namespace spress::io
