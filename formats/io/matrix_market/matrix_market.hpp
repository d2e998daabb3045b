// Matrix Market files, plain, compressed or in archives (endings.hpp), to and from CSR.
#pragma once

#include <filesystem>
#include <memory>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/endings.hpp"
#include "formats/io/bytes/input_file.hpp"

namespace spress::io {

struct ReadOptions {
  int threads = 0;  ///< 0: OpenMP's default
};

/// Reads a matrix: symmetric halves expanded, columns sorted, duplicates summed, explicit zeros kept.
/// The result does not depend on the number of threads.
/// Compressed data is known by its first bytes. The matrix NAME of an archive is the member NAME.mtx (archive.hpp).
/// Memory: at most about twice the finished matrix where entries come sorted by rows or columns, 2.5 times in any
/// other order (patterns 3 times).
/// Errors: not_found, unreadable, syntax, out_of_range, truncated, not_representable, too_large, each with file and
/// line; unreadable also where the file changed meanwhile; damaged (compressed data); unsupported (Rutherford-Boeing, a
/// compression that this build lacks).
[[nodiscard]] Result<Matrix> read_matrix_market(const std::filesystem::path& path, const ReadOptions& options = {});
[[nodiscard]] Result<Matrix> read_matrix_market(const std::shared_ptr<InputFile>& file,
                                                const ReadOptions& options = {});

/// Writes a matrix as Matrix Market text whose numbers read back to the same bits, below the comments of info.
/// The file appears complete or not at
/// all (temporary name, synced, renamed). Declares info.symmetry only where the entries really have it, bit for bit;
/// `general` otherwise. A path ending in .gz or .zst is compressed.
/// Errors: unwritable; unsupported for archives.
[[nodiscard]] Status write_matrix_market(const Csr<Viewed>& a, const MatrixInfo& info,
                                         const std::filesystem::path& path);

}  // namespace spress::io
