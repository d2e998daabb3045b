// MATLAB 5 files, as `save` writes them with -v6 and -v7.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/byte_stream.hpp"

namespace spress::io {

/// Whether a file that begins with these bytes is one.
[[nodiscard]] bool is_mat5(std::string_view head);

/// Reads the sparse matrix of a file, also one in a struct, as the SuiteSparse Collection has them (Problem.A with
/// explicit zeros in Problem.Zeros); or its dense matrix, of which all that is not 0 becomes an entry.
/// part: the name of the variable, with dots for fields; empty where the file leaves no choice.
/// Errors: truncated, damaged, unsupported (no matrix, another version), usage (several matrices, no such part); those
/// of the stream and of assemble_stored.
[[nodiscard]] Result<Matrix> read_mat5(ByteStream& stream, const std::string& part, int threads);

}  // namespace spress::io
