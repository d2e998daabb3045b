#include <utility>

#include "formats/core/threads.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/matrix_file/matrix_file_writer.hpp"

namespace spress::io {
namespace {

/// Writes a matrix in memory.
Status write_folded(const Csr<Viewed>& a, const ContainerInfo& info, const MatrixFileOptions& options, Fold fold,
                    Sink& sink) {
  const RowPanel whole = {0, a};
  MatrixFileWriter writer(info, {a.rows, a.cols, a.nnz, a.values.type}, fold, options, sink);
  HostArray<std::uint32_t> stored(a.rows);
  parallel_for(a.rows, threads_worth(options.threads, a.rows), [&](std::uint64_t row) {
    stored[row] = static_cast<std::uint32_t>(stored_entries(whole, fold, row, row + 1));
  });
  const auto ranges = cut_into_blocks(
      a.rows, [&](std::uint64_t row) { return std::uint64_t{stored[row]}; }, block_entries(options, a.nnz));
  if (a.values.type != ValueType::none && !ranges.empty())
    writer.choose_table(ValueTable::of(a, options.threads), whole, ranges);
  SPRESS_CHECK(writer.write_parts());
  std::vector<MatrixFileWriter::Block> blocks;
  for (const RowRange& range : ranges) blocks.push_back({&whole, range});
  SPRESS_CHECK(writer.write_blocks(blocks, threads_for_bytes(options.threads, a.nnz * 12)));
  return writer.finish();
}

/// A matrix of which only the pattern folds is written in both ways if it has no more entries, or at patient levels.
constexpr std::uint64_t few_entries = std::uint64_t{64} << 10;

/// Writes a matrix of which only the pattern folds. A fold makes columns smaller. It makes values larger where rows
/// repeat those of others.
Status write_smaller(const Csr<Viewed>& a, const ContainerInfo& info, const MatrixFileOptions& options, Sink& sink) {
  std::vector<std::uint8_t> best;
  for (const Fold fold : {Fold::pattern, Fold::none}) {
    SPRESS_TRY(auto bytes, write_sink_bytes([&](Sink& to) { return write_folded(a, info, options, fold, to); }));
    if (best.empty() || bytes.size() < best.size()) best = std::move(bytes);
  }
  SPRESS_CHECK(sink.append(best));
  return sink.finish(std::span(best).first(layout::header_bytes));
}

auto writing(const Csr<Viewed>& a, const ContainerInfo& info, const MatrixFileOptions& options) {
  return [&](Sink& sink) -> Status {
    SPRESS_CHECK(check_options(options));
    const bool raw = a.values.kind == StoreKind::raw && a.values.type != ValueType::f32;
    if (a.values.type != ValueType::none && !raw)
      return Error{ErrorCode::not_applicable, "a file of version 2 holds raw double or complex-double values"};
    const Fold fold = options.seekable ? Fold::none : fold_of(a, options.threads);
    if (fold == Fold::pattern && (a.nnz <= few_entries || options.level >= patient_level))
      return write_smaller(a, info, options, sink);
    return write_folded(a, info, options, fold, sink);
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
