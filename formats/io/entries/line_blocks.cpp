#include "formats/io/entries/line_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

namespace spress::io {
namespace {

Error too_long() {
  return {ErrorCode::syntax,
          "a line is longer than " + std::to_string(longest_line) + " bytes; this is no text of numbers"};
}

/// Makes room for `bytes` and the padding, keeping the first `used` bytes.
void grow(HostArray<char>& memory, std::size_t used, std::size_t bytes) {
  if (memory.size() >= bytes + TextBlock::padding) return;
  HostArray<char> larger(bytes + TextBlock::padding);
  if (used > 0) std::memcpy(larger.data(), memory.data(), used);
  memory = std::move(larger);
}

/// Lets the block be memory[begin, end), with a line end put in if `unterminated`, and clears the padding.
void set_block(TextBlock& block, std::size_t begin, std::size_t end, bool unterminated) {
  char* text = block.memory.data();
  block.unterminated = unterminated;
  if (unterminated) text[end++] = '\n';
  std::memset(text + end, 0, TextBlock::padding - 1);
  block.begin = text + begin;
  block.end = text + end;
}

const char* find_line_end(const char* from, const char* to) {
  return static_cast<const char*>(std::memchr(from, '\n', static_cast<std::size_t>(to - from)));
}

/// Block i holds the lines that begin in bytes [offset + i*size, offset + (i+1)*size) of the file.
class FileBlocks final : public LineBlocks {
 public:
  FileBlocks(std::shared_ptr<InputFile> file, std::uint64_t offset, std::size_t block_bytes)
      : file_(std::move(file)), offset_(offset), block_bytes_(block_bytes) {}

  Result<bool> next(TextBlock& block) override {
    block.index = next_.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t start = offset_ + block.index * block_bytes_;
    if (start >= file_->size()) return false;
    const std::size_t lead = block.index == 0 ? 0 : 1;  // the byte before tells whether a line begins at `start`
    Held held{start - lead, 0, false};
    const std::size_t last = lead + block_bytes_ - 1;  // the line that this byte belongs to ends the block
    SPRESS_CHECK(read_more(block, held, last + usual_line));
    std::size_t begin = 0;
    if (lead == 1) {
      const char* text = block.memory.data();
      const char* line_end = find_line_end(text, text + std::min(held.bytes, last));
      begin = line_end == nullptr ? held.bytes : static_cast<std::size_t>(line_end - text) + 1;
      if (line_end == nullptr) return set_block(block, begin, begin, false), true;
    }
    SPRESS_TRY(const std::size_t end, find_end(block, held, begin, last));
    const bool unterminated = end > begin && block.memory[end - 1] != '\n';
    set_block(block, begin, end, unterminated);
    return true;
  }

 private:
  static constexpr std::size_t usual_line = 512;
  struct Held {
    std::uint64_t offset;  ///< of the first byte in the block's memory
    std::size_t bytes;
    bool at_end;  ///< of the file
  };

  Status read_more(TextBlock& block, Held& held, std::size_t wanted) {
    grow(block.memory, held.bytes, wanted);
    SPRESS_TRY(const std::size_t got,
               file_->read_at(held.offset + held.bytes, block.memory.data() + held.bytes, wanted - held.bytes));
    held.bytes += got;
    held.at_end = held.bytes < wanted;
    return Ok{};
  }

  /// One past the first line end at or behind `last`, or the end of the file.
  Result<std::size_t> find_end(TextBlock& block, Held& held, std::size_t begin, std::size_t last) {
    for (std::size_t searched = last;;) {
      const char* text = block.memory.data();
      if (held.bytes > searched) {
        const char* line_end = find_line_end(text + searched, text + held.bytes);
        if (line_end != nullptr) return static_cast<std::size_t>(line_end - text) + 1;
        searched = held.bytes;
      }
      if (held.at_end) return held.bytes;
      if (searched - last > longest_line) {
        block.failed_line = 1 + static_cast<std::uint64_t>(std::count(text + begin, text + last, '\n'));
        return too_long();
      }
      SPRESS_CHECK(read_more(block, held, held.bytes + block_bytes_));
    }
  }

  std::shared_ptr<InputFile> file_;
  std::uint64_t offset_;
  std::size_t block_bytes_;
  std::atomic<std::uint64_t> next_{0};
};

class StreamBlocks final : public LineBlocks {
 public:
  StreamBlocks(ByteStream& stream, std::string rest, std::size_t block_bytes)
      : stream_(stream), carry_(std::move(rest)), block_bytes_(block_bytes) {}

  Result<bool> next(TextBlock& block) override {
    const std::lock_guard lock(mutex_);
    block.index = next_++;
    if (at_end_) return false;
    auto filled = fill(block);
    if (!filled.ok()) at_end_ = true;
    return filled;
  }

 private:
  Result<bool> fill(TextBlock& block) {
    grow(block.memory, 0, carry_.size() + block_bytes_);
    std::memcpy(block.memory.data(), carry_.data(), carry_.size());
    std::size_t held = carry_.size(), searched = 0;
    carry_.clear();
    for (;;) {
      grow(block.memory, held, held + block_bytes_);
      SPRESS_TRY(const std::size_t got, stream_.read(block.memory.data() + held, block_bytes_));
      held += got;
      const std::string_view text(block.memory.data(), held);
      if (got < block_bytes_) {
        at_end_ = true;
        set_block(block, 0, held, held > 0 && text.back() != '\n');
        return held > 0;
      }
      const std::size_t last = text.substr(searched).rfind('\n');
      if (last != std::string_view::npos) {
        const std::size_t end = searched + last + 1;
        carry_ = text.substr(end);
        set_block(block, 0, end, false);
        return true;
      }
      searched = held;
      if (held > longest_line) {
        block.failed_line = 1;
        return too_long();
      }
    }
  }

  ByteStream& stream_;
  std::string carry_;
  std::size_t block_bytes_;
  std::mutex mutex_;
  std::uint64_t next_ = 0;
  bool at_end_ = false;
};

}  // namespace

Result<bool> LineReader::next(std::string_view& line) {
  for (std::size_t searched = 0;;) {
    const std::size_t line_end = buffer_.find('\n', begin_ + searched);
    if (line_end != std::string::npos || (at_end_ && begin_ < buffer_.size())) {
      const std::size_t end = std::min(line_end, buffer_.size());
      line = std::string_view(buffer_).substr(begin_, end - begin_);
      const std::size_t used = std::min(end + 1, buffer_.size()) - begin_;
      begin_ += used;
      offset_ += used;
      ++lines_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      return true;
    }
    if (at_end_) return false;
    if (buffer_.size() - begin_ > longest_line) return too_long();
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    constexpr std::size_t step = std::size_t{16} << 10;
    buffer_.resize(searched + step);
    SPRESS_TRY(const std::size_t got, stream_.read(buffer_.data() + searched, step));
    buffer_.resize(searched + got);
    at_end_ = got < step;
  }
}

std::unique_ptr<LineBlocks> file_blocks(std::shared_ptr<InputFile> file, std::uint64_t offset,
                                        std::size_t block_bytes) {
  return std::make_unique<FileBlocks>(std::move(file), offset, block_bytes);
}

std::unique_ptr<LineBlocks> stream_blocks(ByteStream& stream, std::string rest, std::size_t block_bytes) {
  return std::make_unique<StreamBlocks>(stream, std::move(rest), block_bytes);
}

}  // namespace spress::io
