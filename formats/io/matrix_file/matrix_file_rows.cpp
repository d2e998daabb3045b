#include <algorithm>
#include <numeric>
#include <utility>

#include "formats/core/threads.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/file_parts.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/matrix_file/positions_of.hpp"
#include "formats/io/matrix_file/row_block.hpp"

namespace spress::io {
namespace {

/// A source that counts what is read.
class CountingSource : public ByteSource {
 public:
  CountingSource(const ByteSource& source, std::uint64_t& bytes) : source_(source), bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const override { return source_.size(); }
  [[nodiscard]] Result<std::span<const std::uint8_t>> read(std::uint64_t offset, std::size_t bytes,
                                                           Scratch& scratch) const override {
    bytes_ += bytes;
    return source_.read(offset, bytes, scratch);
  }

 private:
  const ByteSource& source_;
  std::uint64_t& bytes_;
};

/// Rows of one block that were asked for one after another, and the place of the first among all rows asked for.
struct Piece {
  std::size_t block;
  std::uint64_t first, last, place;
};

/// The rows asked for as pieces, those of a block together, their first rows ascending.
std::vector<Piece> pieces_of(const MatrixFileHead& head, std::span<const RowSpan> rows) {
  std::vector<Piece> pieces;
  std::uint64_t place = 0;
  const auto starts_behind = [](std::uint64_t row, const BlockPlace& block) { return row < block.first_row; };
  for (const RowSpan& span : rows) {
    auto next = std::upper_bound(head.blocks.begin(), head.blocks.end(), span.first, starts_behind);
    for (std::uint64_t row = span.first; row < span.last;) {
      const std::uint64_t end = next == head.blocks.end() ? span.last : std::min(span.last, next->first_row);
      if (end > row) pieces.push_back({static_cast<std::size_t>(next - head.blocks.begin()) - 1, row, end, place});
      place += end - row;
      row = end;
      if (next != head.blocks.end()) ++next;
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return std::pair(a.first, a.place) < std::pair(b.first, b.place); });
  return pieces;
}

/// The pieces of one block.
struct BlockTask {
  std::size_t block = 0;
  std::span<const Piece> pieces;
  std::vector<std::uint32_t> columns = {};  ///< of their rows, one after another
  std::vector<std::uint8_t> values = {};
};

std::vector<BlockTask> tasks_of(std::span<const Piece> pieces) {
  std::vector<BlockTask> tasks;
  while (!pieces.empty()) {
    const std::size_t block = pieces.front().block;
    const auto end = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.block != block; });
    const auto count = static_cast<std::size_t>(end - pieces.begin());
    tasks.push_back({block, pieces.first(count)});
    pieces = pieces.subspan(count);
  }
  return tasks;
}

class RowReader {
 public:
  RowReader(const ByteSource& source, const MatrixFileHead& head, std::span<const std::uint8_t> table, int threads)
      : source_(source), head_(head), format_{head.type, Fold::none, table}, threads_(threads) {}

  Result<Csr<Owned>> read(std::span<const RowSpan> rows) {
    const auto pieces = pieces_of(head_, rows);
    auto tasks = tasks_of(pieces);
    std::uint64_t count = 0;
    for (const RowSpan& span : rows) count += span.last - span.first;
    lengths_ = HostArray<std::uint32_t>(count);
    for (std::size_t begin = 0; begin < tasks.size();) {
      const std::size_t end = end_of_run(tasks, begin);
      SPRESS_CHECK(read_run(std::span(tasks).subspan(begin, end - begin)));
      begin = end;
    }
    return put_together(tasks);
  }

 private:
  /// Blocks that stand one after another are read at once, as long as they are no more than this.
  static constexpr std::uint64_t largest_run = std::uint64_t{32} << 20;

  [[nodiscard]] std::size_t end_of_run(const std::vector<BlockTask>& tasks, std::size_t begin) const {
    const std::uint64_t from = head_.blocks[tasks[begin].block].offset;
    std::size_t end = begin + 1;
    for (; end < tasks.size() && tasks[end].block == tasks[end - 1].block + 1; ++end) {
      const BlockPlace& last = head_.blocks[tasks[end].block];
      if (last.offset + last.stored - from > largest_run) break;
    }
    return end;
  }

  [[nodiscard]] Status read_run(std::span<BlockTask> run) {
    const std::uint64_t from = head_.blocks[run.front().block].offset;
    const BlockPlace& last = head_.blocks[run.back().block];
    SPRESS_TRY(const auto bytes, source_.read(from, last.offset + last.stored - from, stored_));
    return parallel_try(
        run.size(), threads_for_bytes(threads_, bytes.size() * 4), [] { return Worker(); },
        [&](Worker& worker, std::size_t i) -> Status {
          const BlockPlace& place = head_.blocks[run[i].block];
          return with_checked(bytes.subspan(place.offset - from, place.stored), name_of_block(run[i].block), place,
                              [&](auto stored) { return decode(stored, worker, run[i]); });
        });
  }

  [[nodiscard]] Status decode(std::span<const std::uint8_t> stored, Worker& worker, BlockTask& task) {
    const std::size_t width = size_of(head_.type);
    const BlockPlace& block = head_.blocks[task.block];
    const BlockRoom room = worker.room_for(block, head_);
    SPRESS_CHECK(decode_block(format_, head_.shape_of(block), stored, worker.decoder, room));
    const auto [lengths, columns, values, mirrored] = room;
    std::uint64_t row = 0, at = 0;
    for (const Piece& piece : task.pieces) {
      const std::uint64_t first = piece.first - block.first_row, count = piece.last - piece.first;
      for (; row < first; ++row) at += lengths[row];
      std::copy_n(lengths + first, count, lengths_.data() + piece.place);
      const std::uint64_t end = std::accumulate(lengths + first, lengths + first + count, at);
      task.columns.insert(task.columns.end(), columns + at, columns + end);
      task.values.insert(task.values.end(), values + at * width, values + end * width);
    }
    return Ok{};
  }

  /// The rows in the order in which they were asked for.
  [[nodiscard]] Csr<Owned> put_together(const std::vector<BlockTask>& tasks) const {
    Csr<Owned> a;
    a.rows = lengths_.size();
    a.cols = head_.cols;
    for (const std::uint32_t length : lengths_) a.nnz += length;
    a.row_ptr = positions_of(lengths_, a.nnz, 1);
    a.col_idx = HostArray<std::uint32_t>(a.nnz);
    a.values = uninitialised_raw_store(head_.type, a.nnz);
    const std::size_t width = size_of(head_.type);
    for (const BlockTask& task : tasks) {
      std::uint64_t from = 0;
      for (const Piece& piece : task.pieces) {
        const std::uint64_t at = a.row_ptr.position(piece.place);
        const std::uint64_t count = a.row_ptr.position(piece.place + piece.last - piece.first) - at;
        std::copy_n(task.columns.data() + from, count, a.col_idx.data() + at);
        if (width != 0)
          std::copy_n(task.values.data() + from * width, count * width, a.values.codes.memory.data() + at * width);
        from += count;
      }
    }
    return a;
  }

  const ByteSource& source_;
  const MatrixFileHead& head_;
  BlockFormat format_;
  int threads_;
  Scratch stored_;
  HostArray<std::uint32_t> lengths_;
};

Error outside(const RowSpan& span, std::uint64_t rows) {
  return {ErrorCode::out_of_range, "rows " + std::to_string(span.first) + ':' + std::to_string(span.last) +
                                       " are not all there: the matrix has " + std::to_string(rows) +
                                       " rows, counted from 0, and the end is not part of a range"};
}

Status check_rows(std::span<const RowSpan> rows, std::uint64_t all) {
  for (const RowSpan& span : rows)
    if (span.last > all || span.first > span.last) return outside(span, all);
  return Ok{};
}

/// Whether rows can be read without the others.
bool allows_rows(const std::optional<MatrixFileHead>& head) {
  return head && head->seekable && head->fold == Fold::none && !head->row_perm && !head->col_perm;
}

Status read_these(const ByteSource& source, const MatrixFileHead& head, std::span<const RowSpan> rows, int threads,
                  RowsRead& out) {
  SPRESS_CHECK(check_rows(rows, head.rows));
  Worker worker;
  Parts parts;
  SPRESS_CHECK(read_table(source, head, worker, parts));
  SPRESS_TRY(out.csr, RowReader(source, head, parts.table.span(), threads).read(rows));
  out.info = info_of_rows(head.info.matrix, out.csr.nnz);
  return Ok{};
}

Result<std::optional<RowsRead>> read_from(const ByteSource& file, std::span<const RowSpan> rows, int threads) {
  RowsRead out;
  const CountingSource source(file, out.bytes_read);
  SPRESS_TRY(const auto head, read_head(source));
  if (!allows_rows(head)) return std::optional<RowsRead>();
  SPRESS_CHECK(read_these(source, *head, rows, threads, out));
  return std::optional(std::move(out));
}

/// The row before which to cut so that about so many entries come before it. tolerance: in entries.
std::uint64_t cut_at(const MatrixFileHead& head, std::uint64_t entries, std::uint64_t tolerance) {
  const auto begins_behind = [](std::uint64_t wanted, const BlockPlace& block) { return wanted < block.first_entry; };
  const auto next = std::upper_bound(head.blocks.begin(), head.blocks.end(), entries, begins_behind);
  if (next == head.blocks.begin()) return 0;
  const BlockPlace& block = *(next - 1);
  const std::uint64_t inside = std::min(entries - block.first_entry, block.entries), rest = block.entries - inside;
  if (std::min(inside, rest) <= tolerance) return inside < rest ? block.first_row : block.first_row + block.rows;
  const double share = static_cast<double>(inside) / static_cast<double>(block.entries);
  return block.first_row + static_cast<std::uint64_t>(share * static_cast<double>(block.rows));
}

Result<std::optional<PartRead>> read_part_from(const ByteSource& file, std::uint64_t part, std::uint64_t parts,
                                               int threads) {
  constexpr std::uint64_t tolerated = 25;  // of a part, one so many-th
  PartRead out;
  const CountingSource source(file, out.bytes_read);
  SPRESS_TRY(const auto head, read_head(source));
  if (!allows_rows(head)) return std::optional<PartRead>();
  out.nnz = head->nnz;
  const std::uint64_t share = head->nnz / parts, rest = head->nnz % parts;
  for (std::uint64_t p = 0; p < parts; ++p)
    out.first_row.push_back(p == 0 ? 0 : cut_at(*head, p * share + std::min(p, rest), share / tolerated));
  out.first_row.push_back(head->rows);
  const RowSpan rows = {out.first_row[part], out.first_row[part + 1]};
  SPRESS_CHECK(read_these(source, *head, std::span(&rows, 1), threads, out));
  return std::optional(std::move(out));
}

/// read(source) of a regular file, nothing of a stream.
template <class Out, class Read>
Result<std::optional<Out>> with_source(const std::shared_ptr<InputFile>& file, const Read& read) {
  if (!file->is_regular()) return std::optional<Out>();
  try {
    Result<std::optional<Out>> result = read(*file_source(file));
    if (auto same = file->unchanged(); !same.ok()) result = std::move(same).error();
    if (!result.ok()) result.error().file = file->path().string();
    return result;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace

MatrixInfo info_of_rows(MatrixInfo whole, std::uint64_t entries) {
  whole.symmetry = Symmetry::general;
  whole.stored_entries = entries;
  whole.duplicates = 0;
  whole.comments.clear();
  return whole;
}

Result<Csr<Owned>> rows_of(const Csr<Viewed>& a, std::span<const RowSpan> rows) {
  SPRESS_CHECK(check_rows(rows, a.rows));
  Csr<Owned> out;
  out.cols = a.cols;
  for (const RowSpan& span : rows) {
    out.rows += span.last - span.first;
    out.nnz += a.row_ptr.position(span.last) - a.row_ptr.position(span.first);
  }
  out.row_ptr = Positions<Owned>(position_type(out.nnz), out.rows + 1);
  out.col_idx = HostArray<std::uint32_t>(out.nnz);
  out.values = empty_like(a.values, out.nnz);
  const std::size_t width = code_width(a.values);
  std::uint64_t row = 0, at = 0;
  fill_positions(out.row_ptr, [&]<class P>(P* row_ptr) {
    for (const RowSpan& span : rows) {
      const std::uint64_t begin = a.row_ptr.position(span.first), end = a.row_ptr.position(span.last);
      for (std::uint64_t r = span.first; r < span.last; ++r)
        row_ptr[row++] = static_cast<P>(at + a.row_ptr.position(r) - begin);
      std::copy_n(a.col_idx.data() + begin, end - begin, out.col_idx.data() + at);
      if (width != 0)
        std::copy_n(a.values.codes.memory.data() + begin * width, (end - begin) * width,
                    out.values.codes.memory.data() + at * width);
      at += end - begin;
    }
    row_ptr[row] = static_cast<P>(at);
  });
  return out;
}

Result<std::optional<RowsRead>> read_rows(const std::shared_ptr<InputFile>& file, std::span<const RowSpan> rows,
                                          int threads) {
  return with_source<RowsRead>(file, [&](const ByteSource& source) { return read_from(source, rows, threads); });
}

Result<std::optional<PartRead>> read_part(const std::shared_ptr<InputFile>& file, std::uint64_t part,
                                          std::uint64_t parts, int threads) {
  return with_source<PartRead>(file,
                               [&](const ByteSource& source) { return read_part_from(source, part, parts, threads); });
}

}  // namespace spress::io
