// Matrix Market files, plain or compressed (.gz, .zst, SuiteSparse's .tar.gz), to and from CSR.
#pragma once

#include <filesystem>

#include "formats/matrix.hpp"
#include "formats/result.hpp"

namespace spress::io {

struct ReadOptions {
  int threads = 0;  ///< 0: OpenMP's default
};

/// Reads a matrix: symmetric halves expanded, columns sorted, duplicates summed, explicit zeros kept.
/// The result does not depend on the number of threads.
/// Compressed data is told by what it begins with; of a SuiteSparse archive NAME.tar.gz the member NAME.mtx is read.
/// Memory: at most about twice the finished matrix where entries come sorted by rows or columns, 2.5 times in any
/// other order (patterns 3 times).
/// Errors: not_found, unreadable, syntax, out_of_range, truncated, not_representable, too_large, each with file and
/// line; damaged (compressed data), unsupported (Rutherford-Boeing).
[[nodiscard]] Result<Matrix> read_matrix_market(const std::filesystem::path& path, const ReadOptions& options = {});

/// Writes a matrix as Matrix Market text whose numbers read back to the same bits. The file appears complete or not at
/// all (temporary name, synced, renamed). Declares info.symmetry only where the entries really have it, bit for bit;
/// `general` otherwise. A path ending in .gz or .zst is compressed.
/// Errors: unwritable; unsupported for archives.
[[nodiscard]] Status write_matrix_market(const Csr<Viewed>& a, const MatrixInfo& info,
                                         const std::filesystem::path& path);

/// The file's name without .gz, .zst, .tar.gz and then .mtx, .rb.
[[nodiscard]] std::string matrix_name(const std::filesystem::path& path);

/// True for names that a walk over a folder should pick up: .mtx and archives, plain or compressed, and .rb, so that
/// a file that cannot be read is reported rather than passed over.
[[nodiscard]] bool looks_like_matrix(const std::filesystem::path& path);

}  // namespace spress::io
