#include "formats/io/rows/write_rows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/csr/mirror_sums.hpp"
#include "formats/io/container/sink.hpp"
#include "formats/io/matrix_file/matrix_file_writer.hpp"

namespace spress::io {
namespace {

// --- First pass ------------------------------------------------------------------------------------------------------

/// The fold that the mirror images of a matrix show.
class FoldSums {
 public:
  explicit FoldSums(ValueType type) {
    sums_.emplace_back(Fold::symmetric, Mirror::symmetric);
    if (type != ValueType::none) sums_.emplace_back(Fold::skew, Mirror::skew);
    if (type == ValueType::c128) sums_.emplace_back(Fold::hermitian, Mirror::hermitian);
  }
  void add(const RowPanel& panel) {
    for (auto& [fold, sums] : sums_) sums.add(panel);
  }
  /// As fold_of, but none where that is Fold::pattern. Requires: all panels of a square matrix were added.
  [[nodiscard]] Fold fold() const {
    for (const auto& [fold, sums] : sums_)
      if (sums.balanced()) return fold;
    return Fold::none;
  }

 private:
  struct Candidate {
    Candidate(Fold f, Mirror mirror) : fold(f), sums(mirror) {}
    Fold fold;
    MirrorSums sums;
  };
  std::vector<Candidate> sums_;
};

/// All that has to be known of a matrix before its first block is written.
struct Survey {
  std::uint64_t nnz = 0;
  Fold fold = Fold::none;
  HostArray<std::uint32_t> stored;  ///< entries of each row that are stored
  std::optional<ValueTable> table;
};

/// folds: whether a triangle may be left out. memory: for the table.
Result<Survey> survey(RowStream& rows, bool folds, std::uint64_t memory) {
  folds = folds && rows.rows() == rows.cols();
  Survey out;
  out.stored = HostArray<std::uint32_t>(rows.rows());
  HostArray<std::uint32_t> below(folds ? rows.rows() : 0);  // entries left of the diagonal and on it
  FoldSums sums(rows.type());
  TableCounter counter(rows.type(), rows.most_entries(), memory / 2);
  RowPanel panel;
  for (;;) {
    SPRESS_TRY(const bool more, rows.next(panel));
    if (!more) break;
    const std::uint64_t end = panel.first_row + panel.csr.rows;
    out.nnz += panel.csr.nnz;
    for (std::uint64_t r = panel.first_row; r < end; ++r) {
      out.stored[r] = static_cast<std::uint32_t>(stored_entries(panel, Fold::none, r, r + 1));
      if (folds) below[r] = static_cast<std::uint32_t>(stored_entries(panel, Fold::symmetric, r, r + 1));
    }
    if (folds) sums.add(panel);
    counter.add(panel.csr.values);
  }
  if (folds) out.fold = sums.fold();
  if (out.fold != Fold::none) out.stored = std::move(below);
  out.table = counter.table();
  return out;
}

// --- Second pass -----------------------------------------------------------------------------------------------------

/// The stored entries of a block of rows.
struct HeldBlock {
  RowRange rows;
  HostArray<std::uint32_t> row_ptr, columns;
  HostArray<std::uint8_t> values;
  RowPanel panel;
};

/// Collects blocks from the panels of a stream.
class BlockCollector {
 public:
  BlockCollector(RowStream& rows, Fold fold) : rows_(rows), fold_(fold), width_(size_of(rows.type())) {}

  /// Goes on at the row.
  void seek(std::uint64_t row) {
    rows_.seek(row);
    panel_ = {};
  }

  /// Requires: the block begins at or behind the last row that was collected since seek. Errors: those of
  /// RowStream::next.
  [[nodiscard]] Status collect(const RowRange& range, HeldBlock& block) {
    make_room(range, block);
    std::uint64_t at = 0;
    for (std::uint64_t r = range.first; r < range.last; ++r) {
      SPRESS_CHECK(reach(r));
      const std::uint64_t begin = panel_.csr.row_ptr.position(r - panel_.first_row);
      const std::uint64_t entries = stored_end(panel_, fold_, r) - begin;
      if (at + entries > range.entries) return changed();
      std::copy_n(panel_.csr.col_idx.data() + begin, entries, block.columns.data() + at);
      if (width_ != 0)
        std::memcpy(block.values.data() + at * width_,
                    static_cast<const std::uint8_t*>(panel_.csr.values.codes.raw()) + begin * width_, entries * width_);
      at += entries;
      block.row_ptr[r - range.first + 1] = static_cast<std::uint32_t>(at);
    }
    return at == range.entries ? Status(Ok{}) : Status(changed());
  }

  /// Reads to the end, where the stream looks whether its file has changed.
  [[nodiscard]] Status finish() {
    for (;;) {
      SPRESS_TRY(const bool more, rows_.next(panel_));
      if (!more) return Ok{};
    }
  }

 private:
  [[nodiscard]] static Error changed() {
    return {ErrorCode::unreadable, "has changed while it was read; read it again"};
  }

  [[nodiscard]] Status reach(std::uint64_t row) {
    while (row >= panel_.first_row + panel_.csr.rows) {
      SPRESS_TRY(const bool more, rows_.next(panel_));
      if (!more || panel_.first_row > row) return changed();
    }
    return Ok{};
  }

  void make_room(const RowRange& range, HeldBlock& block) const {
    const std::uint64_t rows = range.last - range.first;
    block.rows = range;
    if (block.row_ptr.size() < rows + 1) block.row_ptr = HostArray<std::uint32_t>(rows + 1);
    if (block.columns.size() < range.entries) block.columns = HostArray<std::uint32_t>(range.entries);
    if (block.values.size() < range.entries * width_) block.values = HostArray<std::uint8_t>(range.entries * width_);
    block.row_ptr[0] = 0;
    block.panel.first_row = range.first;
    Csr<Viewed>& a = block.panel.csr;
    a = {};
    a.rows = rows;
    a.cols = rows_.cols();
    a.nnz = range.entries;
    a.row_ptr.bind(DType::u32, block.row_ptr.raw(), rows + 1);
    a.col_idx = {block.columns.data(), range.entries};
    a.values.type = rows_.type();
    a.values.count = range.entries;
    if (width_ != 0) a.values.codes.bind(dtype_of_values(rows_.type()), block.values.data(), range.entries);
  }

  RowStream& rows_;
  Fold fold_;
  std::size_t width_;
  RowPanel panel_;
};

/// Bytes that zstd takes to compress so many bytes, beyond what it takes at the default level: measured.
std::uint64_t zstd_bytes(int level, std::uint64_t bytes) {
  constexpr std::uint64_t at_least = std::uint64_t{3} << 20;
  if (level < 10) return 0;
  return at_least + bytes * (level < 17 ? 6 : level < 20 ? 11 : 16);
}

/// Bytes of a block that is held and encoded.
std::uint64_t bytes_of(const RowRange& range, std::size_t value_bytes, int level) {
  constexpr std::uint64_t of_a_row = 12, most_of_an_encoder = std::uint64_t{5} << 20;
  const std::uint64_t of_an_encoder = std::min(most_of_an_encoder, 40 * range.entries);
  const std::uint64_t of_an_entry = 4 + value_bytes + 14 + 2 * value_bytes;  // held; encoded: measured
  return range.entries * of_an_entry + (range.last - range.first) * of_a_row + of_an_encoder +
         zstd_bytes(level, range.entries * std::max<std::uint64_t>(value_bytes, 4));
}

class RowsWriter {
 public:
  RowsWriter(RowStream& rows, ContainerInfo& info, const MatrixFileOptions& options)
      : rows_(rows), info_(info), options_(options), memory_(rows.memory() / 2) {}

  Status write(Sink& sink) {
    SPRESS_CHECK(check_options(options_));
    SPRESS_TRY(Survey found, survey(rows_, !options_.seekable, memory_));
    info_.matrix.duplicates = rows_.info().duplicates;
    matrix = {rows_.rows(), rows_.cols(), found.nnz, rows_.type()};
    const auto ranges = cut_into_blocks(
        matrix.rows, [&](std::uint64_t row) { return std::uint64_t{found.stored[row]}; },
        block_entries(options_, found.nnz));
    found.stored = {};
    MatrixFileWriter writer(info_, matrix, found.fold, options_, sink);
    SPRESS_TRY(const std::size_t batch, blocks_at_a_time(ranges, found.table));
    BlockCollector collector(rows_, found.fold);
    std::vector<HeldBlock> held(std::min(batch, ranges.size()));
    if (found.table) SPRESS_CHECK(choose_table(std::move(found.table), ranges, collector, held.front(), writer));
    SPRESS_CHECK(writer.write_parts());
    if (!ranges.empty()) collector.seek(0);
    SPRESS_CHECK(write_blocks(ranges, collector, held, thread_count(options_.threads), writer));
    SPRESS_CHECK(collector.finish());
    return writer.finish();
  }

  WholeMatrix matrix;

 private:
  /// Blocks that fit in the memory, at most two for each thread, and at least one: the table is given up for it.
  /// Errors: too_large where not one fits.
  [[nodiscard]] Result<std::size_t> blocks_at_a_time(const std::vector<RowRange>& ranges,
                                                     std::optional<ValueTable>& table) const {
    RowRange largest;
    std::uint64_t bytes = 1;
    for (const RowRange& range : ranges)
      if (const auto wanted = bytes_of(range, size_of(matrix.type), options_.level); wanted > bytes)
        bytes = wanted, largest = range;
    if (bytes > memory_) return too_large(largest, bytes);
    if (table && table->memory() + bytes > memory_) table.reset();
    const std::uint64_t left = memory_ - (table ? table->memory() : 0);
    constexpr std::uint64_t of_a_thread = std::uint64_t{4} << 20;  // that works beside another: measured
    return std::clamp<std::size_t>(left / (bytes + of_a_thread), 1,
                                   2 * static_cast<std::size_t>(thread_count(options_.threads)));
  }

  [[nodiscard]] Error too_large(const RowRange& block, std::uint64_t bytes) const {
    constexpr std::uint64_t program = std::uint64_t{33} << 20;
    const std::uint64_t wanted = 2 * bytes + 2 * write_rows_bytes_per_row * matrix.rows + program;
    const bool may_be_smaller =
        block.last - block.first > 1 && block.entries > block_entries({.seekable = true}, matrix.nnz);
    return {ErrorCode::too_large,
            "a block of rows takes " + std::to_string(bytes) +
                " bytes to encode, more than the memory leaves; --memory " + std::to_string(wanted >> 20) +
                "M lets it in" + (may_be_smaller && !options_.seekable ? ", and --seekable makes smaller blocks" : "")};
  }

  static Status choose_table(std::optional<ValueTable> table, const std::vector<RowRange>& ranges,
                             BlockCollector& collector, HeldBlock& room, MatrixFileWriter& writer) {
    collector.seek(middle_block(ranges).first);
    SPRESS_CHECK(collector.collect(middle_block(ranges), room));
    writer.choose_table(std::move(table), room.panel, ranges);
    return Ok{};
  }

  static Status write_blocks(const std::vector<RowRange>& ranges, BlockCollector& collector,
                             std::vector<HeldBlock>& held, int threads, MatrixFileWriter& writer) {
    std::vector<MatrixFileWriter::Block> blocks;
    for (std::size_t begin = 0; begin < ranges.size(); begin += held.size()) {
      blocks.clear();
      for (std::size_t i = begin; i < std::min(begin + held.size(), ranges.size()); ++i) {
        HeldBlock& block = held[i - begin];
        SPRESS_CHECK(collector.collect(ranges[i], block));
        blocks.push_back({&block.panel, ranges[i]});
      }
      SPRESS_CHECK(writer.write_blocks(blocks, threads));
    }
    return Ok{};
  }

  RowStream& rows_;
  ContainerInfo& info_;
  const MatrixFileOptions& options_;
  std::uint64_t memory_;
};

}  // namespace

Result<OutputFile> create_rows_file(const std::filesystem::path& path) {
  SPRESS_TRY(OutputFile file, OutputFile::create(path));
  if (file.seekable()) return file;
  return Error{ErrorCode::usage,
               "is no regular file, and --stream writes the head of a file last; name a file, or leave --stream out",
               path.string(), 0};
}

Result<RowsWritten> write_rows(RowStream& rows, ContainerInfo info, OutputFile file, const MatrixFileOptions& options) {
  RowsWriter writer(rows, info, options);
  RowsWritten out;
  SPRESS_TRY(out.file_bytes, write_sink_file(std::move(file), [&](Sink& sink) { return writer.write(sink); }));
  out.matrix = writer.matrix;
  return out;
}

}  // namespace spress::io
