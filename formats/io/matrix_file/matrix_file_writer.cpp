#include "formats/io/matrix_file/matrix_file_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "formats/core/in_order.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/comments.hpp"

namespace spress::io {
namespace {

constexpr std::uint64_t entries_of_a_block = std::uint64_t{1} << 20;
/// Blocks for seeking rows are so small that a hundredth of the rows takes few more, if the matrix is not tiny.
constexpr std::uint64_t least_if_seekable = 1 << 15, most_if_seekable = 1 << 17, blocks_if_seekable = 512;

/// The rows whose values show whether a table is worth its bytes: those of a block at patient levels, or of its middle.
constexpr std::uint64_t sample_entries = 16 << 10;

/// The rows in the middle of a block with about sample_entries entries that are stored.
RowRange middle_of(const RowPanel& panel, Fold fold, const RowRange& block) {
  const std::uint64_t from = (block.entries - std::min(block.entries, sample_entries)) / 2;
  RowRange out = {block.first, block.first, 0};
  std::uint64_t before = 0;  // entries of the block in front of out.first
  const auto entries_of = [&](std::uint64_t row) { return stored_entries(panel, fold, row, row + 1); };
  for (; out.first + 1 < block.last; ++out.first) {
    const std::uint64_t entries = entries_of(out.first);
    if (before + entries > from) break;
    before += entries;
  }
  out.last = out.first + 1;
  out.entries = entries_of(out.first);
  while (out.last < block.last && before + out.entries < from + sample_entries) out.entries += entries_of(out.last++);
  return out;
}

}  // namespace

std::uint64_t block_entries(const MatrixFileOptions& options, std::uint64_t nnz) {
  if (options.block_entries != 0) return std::min(options.block_entries, longest_same);
  return options.seekable ? std::clamp(nnz / blocks_if_seekable, least_if_seekable, most_if_seekable)
                          : entries_of_a_block;
}

Status check_options(const MatrixFileOptions& options) {
  return check_write_options({.level = options.level, .threads = 0});
}

MatrixFileWriter::MatrixFileWriter(const ContainerInfo& info, const WholeMatrix& shape, Fold fold,
                                   const MatrixFileOptions& options, Sink& sink)
    : info_(info), options_(options), sink_(sink), encoder_(options.level), end_(layout::header_bytes) {
  head_.info.matrix = info.matrix;
  head_.info.ordering = info.ordering;
  head_.info.made_from = info.made_from;
  head_.rows = shape.rows;
  head_.cols = shape.cols;
  head_.nnz = shape.nnz;
  head_.type = shape.type;
  head_.fold = fold;
  head_.seekable = options.seekable;
}

void MatrixFileWriter::choose_table(std::optional<ValueTable> table, const RowPanel& panel,
                                    std::span<const RowRange> blocks) {
  if (!table) return;
  std::vector<std::uint8_t> bytes;
  table->encode(encoder_, bytes);
  std::uint64_t stored = 0;
  for (const RowRange& block : blocks) stored += block.entries;
  const RowRange& middle = middle_block(blocks);
  const bool is_whole = middle.entries <= sample_entries || encoder_.is_patient();
  const RowRange sample = is_whole ? middle : middle_of(panel, head_.fold, middle);
  const auto sizes = value_bytes({panel, head_.fold, &*table}, sample, encoder_.judge());
  const double scale = static_cast<double>(stored) / static_cast<double>(std::max<std::uint64_t>(sample.entries, 1));
  const double with = static_cast<double>(bytes.size()) + scale * static_cast<double>(sizes.with_table);
  if (with >= scale * static_cast<double>(sizes.without)) return;
  table_ = std::move(table);
  table_bytes_ = std::move(bytes);
}

Status MatrixFileWriter::write_parts() {
  const std::array<std::uint8_t, layout::header_bytes> room = {};
  SPRESS_CHECK(sink_.append(room));
  const std::string& comments = info_.matrix.comments;
  if (!comments.empty()) SPRESS_CHECK(write_part(encode_comments(comments, encoder_), head_.comments.emplace()));
  if (table_) SPRESS_CHECK(write_part(table_bytes_, head_.table.emplace()));
  if (!info_.row_perm.empty()) SPRESS_CHECK(write_permutation(info_.row_perm, head_.row_perm.emplace()));
  if (info_.col_perm.empty()) return Ok{};
  head_.col_perm_is_row_perm = info_.row_perm.size() == info_.col_perm.size() &&
                               std::memcmp(info_.row_perm.data(), info_.col_perm.data(), info_.col_perm.bytes()) == 0;
  if (head_.col_perm_is_row_perm) return Ok{};
  return write_permutation(info_.col_perm, head_.col_perm.emplace());
}

Status MatrixFileWriter::write_permutation(const HostArray<std::uint32_t>& perm, BlockPlace& place) {
  std::vector<std::uint8_t> bytes;
  encoder_.put(perm.span(), bytes);
  return write_part(bytes, place);
}

Status MatrixFileWriter::write_part(std::span<const std::uint8_t> bytes, BlockPlace& place) {
  place.stored = bytes.size();
  place.checksum = layout::checksum64(bytes);
  end_ += bytes.size();
  return sink_.append(bytes);
}

Status MatrixFileWriter::write_blocks(std::span<const Block> blocks, int threads) {
  return parallel_in_order(
      blocks.size(), threads, [&] { return StreamEncoder(options_.level); },
      [&](StreamEncoder& encoder, std::size_t i) {
        const Block& block = blocks[i];
        return encode_block({*block.panel, head_.fold, table_ ? &*table_ : nullptr}, block.rows, encoder);
      },
      [&](const std::vector<std::uint8_t>& encoded, std::size_t i) {
        BlockPlace& place = head_.blocks.emplace_back();
        place.rows = blocks[i].rows.last - blocks[i].rows.first;
        place.entries = blocks[i].rows.entries;
        return write_part(encoded, place);
      });
}

Status MatrixFileWriter::finish() {
  const auto descriptor = matrix_file_descriptor(head_);
  SPRESS_CHECK(sink_.append(descriptor));
  return sink_.finish(
      layout::encode_header({layout::matrix_version, end_, descriptor.size(), layout::checksum64(descriptor)}));
}

}  // namespace spress::io
