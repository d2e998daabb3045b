// Every kind of file that matrices come in: one row each. Reading, writing, walks over folders, messages and
// `spress list files` run over the table.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/input_file.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"
#include "formats/io/rows/row_stream.hpp"

namespace spress::io {

/// Reads a matrix from what was unpacked. The caller puts in the name and the path, and the file of an error.
using ReadKind = Result<Matrix> (*)(MatrixInput& input, const ReadOptions& options);
/// Writes a matrix. The file appears complete or not at all. Errors: unwritable; unsupported, not_representable and
/// too_large where such a file cannot hold it.
using WriteKind = Status (*)(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path);

/// Opens the rows of what was unpacked (formats/io/rows/row_stream.hpp). The caller puts in the name and the path.
using OpenRows = Result<std::unique_ptr<RowStream>> (*)(MatrixInput& input, const ReadOptions& reading,
                                                        const RowStreamOptions& options);

struct FileKind {
  std::string_view name;                                ///< as `spress list files` shows it
  std::string_view summary;                             ///< one line
  std::vector<std::string_view> endings;                ///< that a walk over a folder picks up
  std::vector<std::string_view> endings_if_named = {};  ///< that much else has, too: taken where a file is named itself
  bool (*recognises)(std::string_view head) = nullptr;  ///< by the first 1024 bytes; null: by ending or option alone
  ReadKind read = nullptr;                              ///< null: not read by this build
  WriteKind write = nullptr;                            ///< null: not written; else with the first of `endings`
  OpenRows rows = nullptr;                              ///< null: its rows cannot be had without the whole matrix
  bool has_parts = false;   ///< whether ReadOptions::part chooses among several matrices in it
  bool compresses = false;  ///< whether such files are often compressed by themselves
  std::vector<std::string_view> packed_endings = {};  ///< of compressions that `write` makes: .gz
  std::string_view needs = {};                        ///< the library that it is read with, or empty
};

/// Every kind. Where two recognise a file, the first one is taken.
[[nodiscard]] std::span<const FileKind> file_kinds();

/// Errors: usage, listing the choices.
[[nodiscard]] Result<const FileKind*> find_file_kind(std::string_view name);
/// The kind that what was unpacked has: by its first bytes, else by the ending of its name; null where neither says.
[[nodiscard]] const FileKind* kind_of_content(std::string_view head, const std::filesystem::path& name);
/// The kind to read as what was unpacked: options.kind, else that of the content, else Matrix Market. Errors: usage for
/// an unknown kind, and for a Matrix Market file that is to be read as another; unsupported for a .spress file.
[[nodiscard]] Result<const FileKind*> kind_to_read(const MatrixInput& input, const ReadOptions& options);
/// The kind that is written to a file of that name, compressed or not; null where none is.
[[nodiscard]] const FileKind* kind_to_write(const std::filesystem::path& path);
/// What a written kind's file names may end with: .mtx, .mtx.gz.
[[nodiscard]] std::vector<std::string> endings_to_write(const FileKind& kind);

/// A file's name without endings of compressions and archives, and then that of its kind: .mtx, .rb, .npz.
[[nodiscard]] std::string matrix_name(const std::filesystem::path& path);
/// True for names of files that hold more than their bytes: packed, or of kinds that compress by themselves.
[[nodiscard]] bool may_be_compressed(const std::filesystem::path& path);
/// True for names, without compression, that a walk over a folder picks up.
[[nodiscard]] bool is_matrix_name(const std::filesystem::path& name);
/// The same for files: also packed, and archives.
[[nodiscard]] bool looks_like_matrix(const std::filesystem::path& path);
/// ".mtx, .rb, ..., each also with .gz, ..., .tar, ..., .zip": what a walk over a folder picks up, for messages.
[[nodiscard]] std::string input_endings();

/// Reads a matrix of whatever kind: symmetric halves expanded, columns sorted, duplicates summed, explicit zeros kept.
/// The result does not depend on the number of threads. Text may be packed (endings.hpp).
/// Errors: not_found, unreadable, syntax, out_of_range, truncated, damaged, not_representable, too_large, each with
/// the file, and the line where there is one; unreadable also where the file changed meanwhile; unsupported for what
/// the kind has and spress has not, and for kinds that this build lacks; usage for an unknown options.kind or part.
[[nodiscard]] Result<Matrix> read_matrix(const std::shared_ptr<InputFile>& file, const ReadOptions& options = {});
[[nodiscard]] Result<Matrix> read_matrix(const std::filesystem::path& path, const ReadOptions& options = {});

/// For a file that is one matrix without a name. file: for the message; may be empty.
/// Errors: usage where a part is named (ReadOptions::part).
[[nodiscard]] Status check_no_part(const std::string& file, const std::string& part);

/// Writes a matrix as the kind of the path's ending. Errors: usage for an ending that is not written; those of
/// WriteKind.
[[nodiscard]] Status write_matrix(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path);

}  // namespace spress::io
