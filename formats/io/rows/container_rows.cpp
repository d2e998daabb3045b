#include "formats/io/rows/container_rows.hpp"

#include <algorithm>
#include <complex>
#include <mutex>
#include <string>
#include <utility>

#include "formats/core/threads.hpp"
#include "formats/io/matrix_file/file_parts.hpp"
#include "formats/io/matrix_file/triangle/unfold.hpp"
#include "formats/io/rows/sorted_rows.hpp"

namespace spress::io {
namespace {

/// A file whose head and parts were read.
struct OpenFile {
  std::unique_ptr<ByteSource> source;
  MatrixFileHead head;
  Parts parts;
};

std::uint64_t bytes_of(const MatrixFileHead& head, const BlockPlace& block) {
  return block.entries * (4 + size_of(head.type) * (head.fold == Fold::pattern ? 2 : 1)) + 4 * block.rows;
}

/// Memory is taken for one block at a time, so no block may claim more than there is.
Status check_blocks(const MatrixFileHead& head, const RowStreamOptions& options) {
  for (std::size_t b = 0; b < head.blocks.size(); ++b)
    if (bytes_of(head, head.blocks[b]) > options.memory / 2)
      return Error{ErrorCode::too_large, name_of_block(b) + " takes " + std::to_string(bytes_of(head, head.blocks[b])) +
                                             " bytes, more than half of the memory; --memory grants more"};
  return Ok{};
}

MatrixInfo info_of(OpenFile& file) {
  MatrixInfo info = file.head.info.matrix;
  info.comments = std::move(file.parts.comments);
  return info;
}

// --- Blocks in the order of the matrix -------------------------------------------------------------------------------

/// Panels made of neighbouring blocks. Blocks begin at any row, so the rows of a panel's last, incomplete unit are kept
/// for the next one.
class BlockRows final : public RowStream {
 public:
  BlockRows(OpenFile file, const ReadOptions& reading, const RowStreamOptions& options)
      : file_(std::move(file)), panel_bytes_(options.memory / 8), threads_(reading.threads) {
    info_ = info_of(file_);
    rows_ = file_.head.rows;
    cols_ = file_.head.cols;
    most_entries_ = file_.head.nnz;
    type_ = file_.head.type;
    memory_ = options.memory;
    width_ = size_of(type_);
  }

  Result<bool> next(RowPanel& panel) override {
    keep_rest();
    if (next_ == file_.head.blocks.size()) return false;
    const std::size_t last = end_of_panel();
    const BlockPlace &begin = file_.head.blocks[next_], &end = file_.head.blocks[last - 1];
    const std::uint64_t decoded_rows = end.first_row + end.rows - begin.first_row;
    const std::uint64_t decoded_entries = end.first_entry + end.entries - begin.first_entry;
    make_room(rest_rows_ + decoded_rows, rest_entries_ + decoded_entries);
    first_row_ = begin.first_row - rest_rows_;
    SPRESS_CHECK(decode(next_, last));
    next_ = last;
    held_rows_ = rest_rows_ + decoded_rows;
    held_entries_ = rest_entries_ + decoded_entries;
    return give(panel), true;
  }

  void seek(std::uint64_t row) override {
    const auto& blocks = file_.head.blocks;
    const auto at = std::partition_point(blocks.begin(), blocks.end(),
                                         [&](const BlockPlace& block) { return block.first_row + block.rows <= row; });
    next_ = static_cast<std::size_t>(at - blocks.begin());
    held_rows_ = held_entries_ = rest_rows_after_ = rest_entries_after_ = 0;
  }

 private:
  std::size_t end_of_panel() const {
    const auto& blocks = file_.head.blocks;
    std::size_t last = next_ + 1;
    std::uint64_t bytes = bytes_of(file_.head, blocks[next_]), rows = rest_rows_ + blocks[next_].rows;
    for (; last < blocks.size(); ++last) {
      bytes += bytes_of(file_.head, blocks[last]);
      if (rows >= panel_unit && bytes > panel_bytes_) break;
      rows += blocks[last].rows;
    }
    return last;
  }

  /// Moves the rows that the last panel left out to the front.
  void keep_rest() {
    const std::uint64_t given_entries = held_entries_ - rest_entries_after_;
    std::copy_n(lengths_.data() + (held_rows_ - rest_rows_after_), rest_rows_after_, lengths_.data());
    std::copy_n(columns_.data() + given_entries, rest_entries_after_, columns_.data());
    std::copy_n(values_.data() + given_entries * width_, rest_entries_after_ * width_, values_.data());
    rest_rows_ = std::exchange(rest_rows_after_, 0);
    rest_entries_ = std::exchange(rest_entries_after_, 0);
  }

  void make_room(std::uint64_t rows, std::uint64_t entries) {
    grow(lengths_, rest_rows_, rows);
    grow(columns_, rest_entries_, entries);
    grow(values_, rest_entries_ * width_, entries * width_);
  }
  template <class T>
  static void grow(HostArray<T>& array, std::uint64_t kept, std::uint64_t wanted) {
    if (array.size() >= wanted) return;
    HostArray<T> larger(wanted);
    std::copy_n(array.data(), kept, larger.data());
    array = std::move(larger);
  }

  /// Decodes blocks [first, last) behind the rest.
  Status decode(std::size_t first, std::size_t last) {
    const BlockFormat format = {type_, Fold::none, file_.parts.table.span()};
    const BlockPlace& begin = file_.head.blocks[first];
    return parallel_try(
        last - first, thread_count(threads_), [] { return Worker(); },
        [&](Worker& worker, std::size_t i) -> Status {
          const BlockPlace& block = file_.head.blocks[first + i];
          const std::uint64_t at = rest_entries_ + block.first_entry - begin.first_entry;
          const BlockRoom room = {lengths_.data() + rest_rows_ + block.first_row - begin.first_row,
                                  columns_.data() + at, values_.data() + at * width_, nullptr};
          return with_block(*file_.source, name_of_block(first + i), block, worker.stored, [&](auto bytes) {
            return decode_block(format, file_.head.shape_of(block), bytes, worker.decoder, room);
          });
        });
  }

  /// All rows but those of the last, incomplete unit, which stay unless the matrix ends there.
  void give(RowPanel& panel) {
    const bool ends = next_ == file_.head.blocks.size();
    rest_rows_after_ = ends ? 0 : (first_row_ + held_rows_) % panel_unit;
    const std::uint64_t rows = held_rows_ - rest_rows_after_;
    row_ptr_ = Positions<Owned>(position_type(held_entries_), rows + 1);
    const std::uint64_t entries = fill_positions(row_ptr_, [&]<class P>(P* to) {
      std::uint64_t at = 0;
      for (std::uint64_t r = 0; r < rows; ++r) {
        to[r] = static_cast<P>(at);
        at += lengths_[r];
      }
      to[rows] = static_cast<P>(at);
      return at;
    });
    rest_entries_after_ = held_entries_ - entries;
    panel.first_row = first_row_;
    Csr<Viewed>& a = panel.csr;
    a.rows = rows;
    a.cols = cols_;
    a.nnz = entries;
    a.row_ptr = {};
    a.row_ptr.bind(row_ptr_.dtype(), row_ptr_.raw(), row_ptr_.size());
    a.col_idx = {columns_.data(), entries};
    a.values = {};
    a.values.type = type_;
    a.values.count = entries;
    if (type_ != ValueType::none) a.values.codes.bind(dtype_of_values(type_), values_.data(), entries);
  }

  OpenFile file_;
  std::uint64_t panel_bytes_;
  int threads_;
  std::size_t width_ = 0, next_ = 0;  // bytes of a value; the next block
  HostArray<std::uint32_t> lengths_, columns_;
  HostArray<std::uint8_t> values_;
  Positions<Owned> row_ptr_;
  std::uint64_t first_row_ = 0, held_rows_ = 0, held_entries_ = 0;  // in the arrays
  std::uint64_t rest_rows_ = 0, rest_entries_ = 0;                  // of them, those kept from the panel before
  std::uint64_t rest_rows_after_ = 0, rest_entries_after_ = 0;      // and those that are not in the panel
};

// --- Blocks to be sorted ---------------------------------------------------------------------------------------------

MatrixHead sorter_head(const MatrixFileHead& head) {
  MatrixHead out;
  out.field = head.type == ValueType::none   ? Field::pattern
              : head.type == ValueType::c128 ? Field::complex
                                             : Field::real;
  out.rows = head.rows;
  out.cols = head.cols;
  out.entries = head.nnz;
  return out;
}

/// Groups the entries of a decoded block, each at its place in the matrix.
template <class V>
void group(const OpenFile& file, const BlockPlace& block, const BlockRoom& room, const EntrySorter& sorter,
           GroupedEntries& out) {
  const auto place = [](const HostArray<std::uint32_t>& perm, std::uint64_t i) {
    return perm.empty() ? static_cast<std::uint32_t>(i) : perm[i];
  };
  const Parts& parts = file.parts;
  const Fold fold = file.head.fold;
  [[maybe_unused]] const auto *below = reinterpret_cast<const V*>(room.values),
                              *above = reinterpret_cast<const V*>(room.mirrored);
  sorter.group<V>(
      [&](const auto& use) {
        std::uint64_t k = 0;
        for (std::uint64_t i = 0; i < block.rows; ++i)
          for (const std::uint64_t r = block.first_row + i, end = k + room.lengths[i]; k < end; ++k) {
            const std::uint32_t c = room.columns[k];
            V value{}, mirrored{};
            if constexpr (!std::is_same_v<V, NoValue>) {
              value = below[k];
              if (fold != Fold::none) mirrored = fold == Fold::pattern ? above[k] : mirror_of(value, fold);
            }
            use(place(parts.row_perm, r), place(parts.col_perm, c), value);
            if (fold != Fold::none && c != r) use(place(parts.row_perm, c), place(parts.col_perm, r), mirrored);
          }
      },
      out);
}

/// A thread's own room.
struct SortWorker {
  Worker worker;
  GroupedEntries grouped;
};

/// Threads for whose blocks in work (stored, decoded and grouped) there is memory.
int affordable_threads(const MatrixFileHead& head, const RowStreamOptions& options, int threads) {
  std::uint64_t largest = 1;
  for (const BlockPlace& block : head.blocks) largest = std::max(largest, bytes_of(head, block));
  const std::uint64_t affordable = std::max<std::uint64_t>(1, options.memory / 4 / (4 * largest));
  return static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(thread_count(threads)), affordable));
}

Result<std::unique_ptr<RowStream>> sorted_rows(OpenFile file, const ReadOptions& reading,
                                               const RowStreamOptions& options) {
  auto rows = std::make_unique<SortedRows>(info_of(file), sorter_head(file.head), reading, options);
  rows->set_mirrored(file.head.fold != Fold::none && file.parts.row_perm.size() == file.parts.col_perm.size() &&
                     std::equal(file.parts.row_perm.begin(), file.parts.row_perm.end(), file.parts.col_perm.begin()));
  EntrySorter& sorter = rows->sorter();
  const BlockFormat format = {file.head.type, file.head.fold, file.parts.table.span()};
  std::mutex mutex;
  std::uint64_t entries = 0;  // no entry stands twice, so blocks may come in any order
  const auto sort_block = [&](SortWorker& mine, std::size_t i) -> Status {
    const BlockPlace& block = file.head.blocks[i];
    return with_block(*file.source, name_of_block(i), block, mine.worker.stored, [&](auto bytes) -> Status {
      const BlockRoom room = mine.worker.room_for(block, file.head);
      SPRESS_CHECK(decode_block(format, file.head.shape_of(block), bytes, mine.worker.decoder, room));
      with_value_type(file.head.type, [&]<class V>(V) { group<V>(file, block, room, sorter, mine.grouped); });
      const std::lock_guard hold(mutex);
      entries += mine.grouped.ends.empty() ? 0 : mine.grouped.ends.back();
      return sorter.add(mine.grouped);
    });
  };
  SPRESS_CHECK(parallel_try(
      file.head.blocks.size(), affordable_threads(file.head, options, reading.threads), [] { return SortWorker(); },
      sort_block));
  if (entries != file.head.nnz) return other_entries();
  SPRESS_CHECK(sorter.finish());
  return std::unique_ptr<RowStream>(std::move(rows));
}

}  // namespace

Result<std::unique_ptr<RowStream>> container_rows(const std::shared_ptr<InputFile>& file, const ReadOptions& reading,
                                                  const RowStreamOptions& options) {
  if (!file->is_regular())
    return Error{
        ErrorCode::unsupported,
        "is a pipe, and the rows of a .spress file are read from places of their own; write it to a file first"};
  OpenFile open{file_source(file), {}, {}};
  SPRESS_TRY(auto head, read_head(*open.source));
  if (!head)
    return Error{ErrorCode::unsupported,
                 "is of container version 1, whose rows cannot be had one after another; decode it and encode it "
                 "without --format"};
  open.head = std::move(*head);
  SPRESS_TRY(const auto shaped, options_for_shape(open.head.rows, open.head.cols, options));
  SPRESS_CHECK(check_blocks(open.head, shaped));
  Worker worker;
  SPRESS_TRY(open.parts, read_parts(*open.source, open.head, worker));
  if (open.head.fold != Fold::none || !open.parts.row_perm.empty() || !open.parts.col_perm.empty())
    return sorted_rows(std::move(open), reading, shaped);
  return std::unique_ptr<RowStream>(std::make_unique<BlockRows>(std::move(open), reading, shaped));
}

}  // namespace spress::io
