#include "formats/io/matrix_file/file_parts.hpp"

#include <algorithm>

#include "formats/core/checks.hpp"
#include "formats/io/matrix_file/comments.hpp"
#include "formats/io/matrix_file/values/value_table.hpp"

namespace spress::io {
namespace {

using layout::damaged;

Status read_permutation(const ByteSource& source, const std::string& name, const std::optional<BlockPlace>& place,
                        std::uint64_t n, Worker& worker, HostArray<std::uint32_t>& perm) {
  if (!place) return Ok{};
  return with_block(source, name, *place, worker.stored, [&](std::span<const std::uint8_t> bytes) -> Status {
    if (n > most_numbers_in(bytes.size())) return damaged("ends early");
    perm = HostArray<std::uint32_t>(n);
    ByteReader in(bytes);
    SPRESS_CHECK(worker.decoder.next(name, in, n, perm.data()));
    if (in.left() != 0) return damaged("has bytes that belong to nothing");
    return checks::permutation(name, View<std::uint32_t>{perm.data(), perm.size()}, n);
  });
}

}  // namespace

BlockRoom Worker::room_for(const BlockPlace& block, const MatrixFileHead& head) {
  const auto words = [](Scratch& scratch, std::uint64_t count) {
    return reinterpret_cast<std::uint32_t*>(scratch.room((count + 1) * sizeof(std::uint32_t)));
  };
  const std::size_t bytes = (block.entries + 1) * size_of(head.type);
  return {words(lengths, block.rows), words(columns, block.entries), values.room(bytes),
          head.fold == Fold::pattern ? mirrored.room(bytes) : nullptr};
}

Result<MatrixFileHead> read_descriptor(const ByteSource& source, const layout::Header& header) {
  Scratch scratch;
  SPRESS_TRY(const auto bytes, layout::read_descriptor(source, header, scratch));
  return parse_matrix_file_descriptor(bytes, layout::header_bytes, header.descriptor_offset);
}

Result<std::optional<MatrixFileHead>> read_head(const ByteSource& source) {
  SPRESS_TRY(const auto header, layout::read_header(source));
  if (header.version != layout::matrix_version) return std::optional<MatrixFileHead>();
  SPRESS_TRY(auto head, read_descriptor(source, header));
  return std::optional(std::move(head));
}

Status read_comments(const ByteSource& source, const MatrixFileHead& head, Worker& worker, Parts& parts) {
  if (!head.comments) return Ok{};
  return with_block(source, "comments", *head.comments, worker.stored,
                    [&](auto bytes) { return decode_comments(bytes, worker.decoder, parts.comments); });
}

Status read_table(const ByteSource& source, const MatrixFileHead& head, Worker& worker, Parts& parts) {
  if (!head.table) return Ok{};
  return with_block(source, "table of values", *head.table, worker.stored, [&](auto bytes) {
    ByteReader in(bytes);
    return decode_table(head.type, std::max<std::uint64_t>(head.nnz, 1), in, worker.decoder, parts.table);
  });
}

Result<Parts> read_parts(const ByteSource& source, const MatrixFileHead& head, Worker& worker) {
  Parts parts;
  SPRESS_CHECK(read_comments(source, head, worker, parts));
  SPRESS_CHECK(read_table(source, head, worker, parts));
  SPRESS_CHECK(read_permutation(source, "order of rows", head.row_perm, head.rows, worker, parts.row_perm));
  SPRESS_CHECK(read_permutation(source, "order of columns", head.col_perm, head.cols, worker, parts.col_perm));
  if (head.col_perm_is_row_perm) {
    if (head.rows != head.cols) return damaged("the order of rows cannot be that of columns");
    parts.col_perm = parts.row_perm;
  }
  return parts;
}

}  // namespace spress::io
