#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/core/threads.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/container/sink.hpp"
#include "formats/io/matrix_file/comments.hpp"
#include "formats/io/matrix_file/descriptor.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/matrix_file/row_block.hpp"

namespace spress::io {
namespace {

constexpr std::uint64_t entries_of_a_block = std::uint64_t{1} << 20, entries_if_seekable = std::uint64_t{1} << 17;

/// The rows whose values show whether a table is worth its bytes: those of a block, or of its middle.
constexpr std::uint64_t sample_entries = 16 << 10;

class Writer {
 public:
  Writer(const Csr<Viewed>& a, const ContainerInfo& info, const MatrixFileOptions& options, Fold fold, Sink& sink)
      : a_(a), info_(info), options_(options), sink_(sink), encoder_(options.level) {
    head_.fold = fold;
  }

  Status write() {
    describe();
    const std::array<std::uint8_t, layout::header_bytes> room = {};
    SPRESS_CHECK(sink_.append(room));
    const auto ranges = cut_into_blocks(a_, head_.fold, block_entries());
    choose_table(ranges);
    SPRESS_CHECK(write_parts());
    SPRESS_CHECK(write_blocks(ranges));
    return finish();
  }

 private:
  [[nodiscard]] std::uint64_t block_entries() const {
    if (options_.block_entries != 0) return std::min(options_.block_entries, longest_same);
    return options_.seekable ? entries_if_seekable : entries_of_a_block;
  }

  void describe() {
    head_.info.matrix = info_.matrix;
    head_.info.ordering = info_.ordering;
    head_.info.made_from = info_.made_from;
    head_.rows = a_.rows;
    head_.cols = a_.cols;
    head_.nnz = a_.nnz;
    head_.type = a_.values.type;
    head_.seekable = options_.seekable;
  }

  /// A table is taken where it saves bytes in the middle of the matrix, scaled to all of it.
  void choose_table(const std::vector<RowRange>& ranges) {
    if (a_.values.type == ValueType::none || ranges.empty()) return;
    auto table = ValueTable::of(a_, options_.threads);
    if (!table) return;
    std::vector<std::uint8_t> bytes;
    table->encode(encoder_, bytes);
    std::uint64_t stored = 0;
    for (const RowRange& range : ranges) stored += range.entries;
    RowRange sample = ranges[ranges.size() / 2];
    if (sample.entries > sample_entries) sample = middle_of(sample);
    const auto sizes = value_bytes({a_, head_.fold, &*table}, sample, encoder_);
    const double scale = static_cast<double>(stored) / static_cast<double>(std::max<std::uint64_t>(sample.entries, 1));
    const double with = static_cast<double>(bytes.size()) + scale * static_cast<double>(sizes.with_table);
    if (with >= scale * static_cast<double>(sizes.without)) return;
    table_ = std::move(table);
    table_bytes_ = std::move(bytes);
  }
  /// The rows in the middle of a range with about sample_entries entries of the matrix.
  [[nodiscard]] RowRange middle_of(const RowRange& range) const {
    const std::uint64_t begin = a_.row_ptr.position(range.first), end = a_.row_ptr.position(range.last);
    const std::uint64_t from = begin + (end - begin - std::min(end - begin, sample_entries)) / 2;
    RowRange out = {range.first, range.first, 0};
    while (out.first + 1 < range.last && a_.row_ptr.position(out.first + 1) <= from) ++out.first;
    out.last = out.first + 1;
    while (out.last < range.last && a_.row_ptr.position(out.last) < from + sample_entries) ++out.last;
    out.entries = stored_entries(a_, head_.fold, out.first, out.last);
    return out;
  }

  /// Writes the parts in front of the rows.
  Status write_parts() {
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
  Status write_permutation(const HostArray<std::uint32_t>& perm, BlockPlace& place) {
    std::vector<std::uint8_t> bytes;
    encoder_.put(perm.span(), bytes);
    return write_part(bytes, place);
  }
  Status write_part(std::span<const std::uint8_t> bytes, BlockPlace& place) {
    place.stored = bytes.size();
    place.checksum = layout::checksum64(bytes);
    end_ += bytes.size();
    return sink_.append(bytes);
  }

  /// Encodes one block for each thread at a time, then appends them in order, so that little memory is held.
  Status write_blocks(const std::vector<RowRange>& ranges) {
    const BlockContext context = {a_, head_.fold, table_ ? &*table_ : nullptr};
    const int threads = threads_for_bytes(options_.threads, a_.nnz * 12);
    const std::size_t batch = 2 * static_cast<std::size_t>(threads);
    std::vector<std::vector<std::uint8_t>> encoded(std::min(batch, ranges.size()));
    for (std::size_t begin = 0; begin < ranges.size(); begin += batch) {
      const std::size_t count = std::min(batch, ranges.size() - begin);
      SPRESS_CHECK(parallel_try(
          count, threads, [&] { return StreamEncoder(options_.level); },
          [&](StreamEncoder& encoder, std::size_t i) -> Status {
            encoded[i] = encode_block(context, ranges[begin + i], encoder);
            return Ok{};
          }));
      for (std::size_t i = 0; i < count; ++i) {
        const RowRange& range = ranges[begin + i];
        BlockPlace& place = head_.blocks.emplace_back();
        place.rows = range.last - range.first;
        place.entries = range.entries;
        SPRESS_CHECK(write_part(encoded[i], place));
      }
    }
    return Ok{};
  }

  Status finish() {
    const auto descriptor = matrix_file_descriptor(head_);
    SPRESS_CHECK(sink_.append(descriptor));
    return sink_.finish(
        layout::encode_header({layout::matrix_version, end_, descriptor.size(), layout::checksum64(descriptor)}));
  }

  const Csr<Viewed>& a_;
  const ContainerInfo& info_;
  const MatrixFileOptions& options_;
  Sink& sink_;
  StreamEncoder encoder_;
  MatrixFileHead head_;
  std::optional<ValueTable> table_;
  std::vector<std::uint8_t> table_bytes_;
  std::uint64_t end_ = layout::header_bytes;
};

/// A matrix of which only the pattern folds is written in both ways if it has no more entries, or at patient levels.
constexpr std::uint64_t few_entries = std::uint64_t{64} << 10;

/// Writes a matrix of which only the pattern folds. A fold makes columns smaller. It makes values larger where rows
/// repeat those of others.
Status write_smaller(const Csr<Viewed>& a, const ContainerInfo& info, const MatrixFileOptions& options, Sink& sink) {
  std::vector<std::uint8_t> best;
  for (const Fold fold : {Fold::pattern, Fold::none}) {
    SPRESS_TRY(auto bytes, write_sink_bytes([&](Sink& to) { return Writer(a, info, options, fold, to).write(); }));
    if (best.empty() || bytes.size() < best.size()) best = std::move(bytes);
  }
  SPRESS_CHECK(sink.append(best));
  return sink.finish(std::span(best).first(layout::header_bytes));
}

auto writing(const Csr<Viewed>& a, const ContainerInfo& info, const MatrixFileOptions& options) {
  return [&](Sink& sink) -> Status {
    SPRESS_CHECK(check_write_options({.level = options.level, .threads = 0}));
    const bool raw = a.values.kind == StoreKind::raw && a.values.type != ValueType::f32;
    if (a.values.type != ValueType::none && !raw)
      return Error{ErrorCode::not_applicable, "a file of version 2 holds raw double or complex-double values", {}, 0};
    const Fold fold = options.seekable ? Fold::none : fold_of(a);
    if (fold == Fold::pattern && (a.nnz <= few_entries || options.level >= patient_level))
      return write_smaller(a, info, options, sink);
    return Writer(a, info, options, fold, sink).write();
  };
}

}  // namespace

Result<std::uint64_t> write_matrix_file(const Csr<Viewed>& a, const ContainerInfo& info,
                                        const std::filesystem::path& path, const MatrixFileOptions& options) {
  return write_sink_file(path, writing(a, info, options));
}

Result<std::vector<std::uint8_t>> write_matrix_file_bytes(const Csr<Viewed>& a, const ContainerInfo& info,
                                                          const MatrixFileOptions& options) {
  return write_sink_bytes(writing(a, info, options));
}

}  // namespace spress::io
