#include "formats/io/entries/read_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "formats/core/in_order.hpp"
#include "formats/core/threads.hpp"

namespace spress::io {
namespace {

/// Parses blocks until the text ends, an error turns up or there are more entries than there should be.
class BodyReader {
 public:
  BodyReader(LineBlocks& source, const BlockContents& contents, const ParseBlock& parse)
      : source_(source), contents_(contents), parse_(parse) {}

  void work() {
    TextBlock text;
    BlockScratch scratch;
    BlockArena arena;
    std::vector<EntryBlock> blocks;
    while (!stop_.load(std::memory_order_relaxed)) {
      auto more = source_.next(text);
      if (more.ok() && !*more) break;
      blocks.push_back(more.ok() ? parse(text, scratch, arena) : failed(text, std::move(more).error()));
      const EntryBlock& block = blocks.back();
      const std::uint64_t total = entries_.fetch_add(block.entries, std::memory_order_relaxed) + block.entries;
      if (block.error != nullptr || total > contents_.most_entries) stop_.store(true, std::memory_order_relaxed);
    }
    const std::lock_guard lock(mutex_);
    std::move(blocks.begin(), blocks.end(), std::back_inserter(blocks_));
  }

  /// All blocks in order. Blocks are handed out in order and each that was handed out is parsed, so whatever stopped
  /// the threads, all blocks up to the first error are here.
  std::vector<EntryBlock> take() {
    std::sort(blocks_.begin(), blocks_.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
    return std::move(blocks_);
  }

 private:
  EntryBlock parse(const TextBlock& text, BlockScratch& scratch, BlockArena& arena) const {
    EntryBlock block;
    block.index = text.index;
    scratch.reserve(static_cast<std::size_t>(text.end - text.begin));
    parse_(text, scratch, block);
    const std::size_t ids = contents_.ids ? block.entries : 0;
    pack_into(block, {scratch.rows.data(), ids}, {scratch.cols.data(), ids},
              {scratch.values.data(), block.entries * contents_.values_per_entry}, arena);
    return block;
  }

  static EntryBlock failed(const TextBlock& text, Error error) {
    EntryBlock block;
    block.index = text.index;
    block.lines = text.failed_line;
    block.error = std::make_unique<Error>(std::move(error));
    return block;
  }

  LineBlocks& source_;
  const BlockContents& contents_;
  const ParseBlock& parse_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> entries_{0};
  std::mutex mutex_;
  std::vector<EntryBlock> blocks_;
};

/// Parses blocks and hands them on in order, until the text ends or an error turns up.
class BlockPasser {
 public:
  BlockPasser(LineBlocks& source, const ParseBlock& parse, const BlockTaker& taker, BlockCheck& check)
      : source_(source), parse_(parse), taker_(taker), check_(check) {}

  /// The thread waits only for blocks that others have already drawn.
  void work(std::size_t t) {
    TextBlock text;
    BlockScratch scratch;
    try {
      while (!turns_.failed()) {
        auto more = source_.next(text);
        if (more.ok() && !*more) return;
        EntryBlock block;
        block.index = text.index;
        if (more.ok()) {
          scratch.reserve(static_cast<std::size_t>(text.end - text.begin));
          parse_(text, scratch, block);
          taker_.prepare(t, scratch, block);
        } else {
          block.lines = text.failed_line;
          block.error = std::make_unique<Error>(std::move(more).error());
        }
        if (!hand_on(t, block)) return;
      }
    } catch (...) {
      turns_.fail(Error{ErrorCode::too_large, "memory ran out"});  // nobody may wait for this thread's turn
      throw;
    }
  }

  [[nodiscard]] Status take_status() { return turns_.take_status(); }

 private:
  bool hand_on(std::size_t t, const EntryBlock& block) {
    return turns_.take_turn(block.index, [&]() -> Status {
      SPRESS_CHECK(check_.take(block));
      return taker_.take(t, block, check_);
    });
  }

  LineBlocks& source_;
  const ParseBlock& parse_;
  const BlockTaker& taker_;
  BlockCheck& check_;
  InOrder turns_;
};

}  // namespace

std::uint64_t line_of_entry(const EntryBlock& block, std::uint64_t n) {
  std::uint64_t line = n;
  for (const auto& run : block.skipped)
    if (run.first <= line) line += run.count;
  return line;
}

void BlockScratch::reserve(std::size_t text_bytes) {
  if (values.size() >= text_bytes / 2 + 1) return;
  rows = HostArray<std::uint32_t>(text_bytes / 4 + 1);
  cols = HostArray<std::uint32_t>(text_bytes / 4 + 1);
  values = HostArray<double>(text_bytes / 2 + 1);
}

void note_skipped_line(EntryBlock& block) {
  if (!block.skipped.empty() && block.skipped.back().first + block.skipped.back().count == block.lines)
    ++block.skipped.back().count;
  else
    block.skipped.push_back({block.lines, 1});
}

std::vector<EntryBlock> read_blocks(LineBlocks& source, const BlockContents& contents, const ParseBlock& parse,
                                    int threads) {
  BodyReader reader(source, contents, parse);
  run_on_threads(threads, [&](int) { reader.work(); });
  return reader.take();
}

Status BlockCheck::take(const EntryBlock& block) {
  if (block.entries > contents_.most_entries - entries_)
    return Error{
        ErrorCode::syntax,
        "there are more entries than the " + std::to_string(contents_.most_entries) + " that the size line says",
        {},
        lines_ + line_of_entry(block, contents_.most_entries - entries_ + 1)};
  entries_ += block.entries;
  lines_ += block.lines;
  if (block.error != nullptr) {
    Error error = *block.error;
    error.line = block.lines > 0 ? lines_ : 0;
    return error;
  }
  return Ok{};
}

Status check_blocks(const std::vector<EntryBlock>& blocks, const BlockContents& contents, std::uint64_t lines) {
  BlockCheck check(contents, lines);
  for (const EntryBlock& block : blocks) SPRESS_CHECK(check.take(block));
  return Ok{};
}

Status pass_blocks(LineBlocks& source, const ParseBlock& parse, int threads, const BlockTaker& taker,
                   BlockCheck& check) {
  BlockPasser passer(source, parse, taker, check);
  run_on_threads(threads, [&](int t) { passer.work(static_cast<std::size_t>(t)); });
  return passer.take_status();
}

std::uint64_t line_of_entry(const std::vector<EntryBlock>& blocks, std::uint64_t n, std::uint64_t lines_before) {
  for (const EntryBlock& block : blocks) {
    if (n < block.entries) return lines_before + line_of_entry(block, n + 1);
    n -= block.entries;
    lines_before += block.lines;
  }
  return lines_before;
}

}  // namespace spress::io
