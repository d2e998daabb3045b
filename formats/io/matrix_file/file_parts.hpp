// The parts of a version-2 file beside its rows, and the reading of a block. Private to formats/io.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/io/bytes/byte_source.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/descriptor.hpp"
#include "formats/io/matrix_file/row_block.hpp"
#include "formats/io/matrix_file/streams/stream.hpp"

namespace spress::io {

/// Errors: damaged, and those of the source.
[[nodiscard]] Result<MatrixFileHead> read_descriptor(const ByteSource& source, const layout::Header& header);

/// Reads header and descriptor; returns nothing for a file of version 1. Errors: as above.
[[nodiscard]] Result<std::optional<MatrixFileHead>> read_head(const ByteSource& source);

/// A thread's own room for reading.
struct Worker {
  StreamDecoder decoder;
  Scratch stored, lengths, columns, values, mirrored;

  /// Room of its own for a block of rows. Throws std::bad_alloc.
  [[nodiscard]] BlockRoom room_for(const BlockPlace& block, const MatrixFileHead& head);
};

/// Checks the bytes of a block and hands them to use(bytes), which answers with a Status. name: of the block, for
/// errors.
template <class Use>
[[nodiscard]] Status with_checked(std::span<const std::uint8_t> bytes, const std::string& name, const BlockPlace& place,
                                  Use use) {
  Status status =
      layout::checksum64(bytes) == place.checksum ? use(bytes) : Status(layout::damaged("its checksum does not match"));
  if (status.ok()) return status;
  Error error = std::move(status).error();
  error.message = name + " at byte " + std::to_string(place.offset) + ": " + error.message;
  return error;
}

/// Reads the block from the source, then does the same.
template <class Use>
[[nodiscard]] Status with_block(const ByteSource& source, const std::string& name, const BlockPlace& place,
                                Scratch& scratch, Use use) {
  SPRESS_TRY(const auto bytes, source.read(place.offset, place.stored, scratch));
  return with_checked(bytes, name, place, use);
}

[[nodiscard]] inline std::string name_of_block(std::size_t number) {
  return "block " + std::to_string(number) + " of rows";
}

/// The parts of a file beside its rows.
struct Parts {
  std::string comments;
  HostArray<std::uint8_t> table;
  HostArray<std::uint32_t> row_perm, col_perm;
};

[[nodiscard]] Status read_comments(const ByteSource& source, const MatrixFileHead& head, Worker& worker, Parts& parts);
[[nodiscard]] Status read_table(const ByteSource& source, const MatrixFileHead& head, Worker& worker, Parts& parts);

/// All of it.
[[nodiscard]] Result<Parts> read_parts(const ByteSource& source, const MatrixFileHead& head, Worker& worker);

}  // namespace spress::io
