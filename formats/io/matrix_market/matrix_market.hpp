// Matrix Market files, plain, compressed or in archives (endings.hpp), to and from CSR.
#pragma once

#include <filesystem>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// Reads the text of a Matrix Market file (formats/io/readers/file_kinds.hpp finds it).
/// Memory: at most about twice the finished matrix where entries come sorted by rows or columns, 2.5 times in any
/// other order (patterns 3 times).
/// Errors: syntax, out_of_range, truncated, not_representable, too_large, each with its line; those of the input.
[[nodiscard]] Result<Matrix> read_matrix_market_text(MatrixInput& input, const ReadOptions& options);

/// read_matrix of a file that has to be Matrix Market, plain, compressed or in an archive.
[[nodiscard]] Result<Matrix> read_matrix_market(const std::filesystem::path& path, const ReadOptions& options = {});

/// Writes a matrix as Matrix Market text whose numbers read back to the same bits, below the comments of info.
/// The file appears complete or not at
/// all (temporary name, synced, renamed). Declares info.symmetry only where the entries really have it, bit for bit;
/// `general` otherwise. A path ending in .gz or .zst is compressed.
/// Errors: unwritable; unsupported for archives.
[[nodiscard]] Status write_matrix_market(const Csr<Viewed>& a, const MatrixInfo& info,
                                         const std::filesystem::path& path);

}  // namespace spress::io
