// A .spress file of container version 2 from rows that come in panels, in bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>

#include "formats/csr/row_panel.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/rows/row_stream.hpp"

namespace spress::io {

/// Bytes that write_rows takes beside the memory for reading, for each row, and as many again where the matrix is
/// square: RowStreamOptions::bytes_per_row, bytes_per_square_row.
inline constexpr std::uint64_t write_rows_bytes_per_row = 4;

struct RowsWritten {
  WholeMatrix matrix;
  std::uint64_t file_bytes = 0;
};

/// Writes the matrix and returns the file's size. The rows are read twice, and those in the middle a third time.
/// The file is, byte for byte, that of write_matrix_file, but for two cases. A matrix of which only the pattern is
/// symmetric is stored with both triangles. A table of values is not used where counting them takes more than half
/// of what the memory leaves beside the reading, or no block fits beside it.
/// info: of rows.info(); the permutations are empty. Requires: no panel was read yet.
/// Memory: rows.memory(), of which reading takes about half and the table and the blocks in work the other; fewer are
/// encoded at a time where it does not hold one for each thread. The comments come on top of it. Errors: those of
/// write_matrix_file and RowStream::next; too_large where the memory does not hold one block.
[[nodiscard]] Result<RowsWritten> write_rows(RowStream& rows, ContainerInfo info, OutputFile file,
                                             const MatrixFileOptions& options = {});

/// The file for write_rows, created before hours of reading. Errors: unwritable; usage for pipes and devices.
[[nodiscard]] Result<OutputFile> create_rows_file(const std::filesystem::path& path);

}  // namespace spress::io
