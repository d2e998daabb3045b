// One matrix from a file of any kind.
#include <new>
#include <utility>

#include "formats/io/bytes/endings.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "formats/io/readers/file_kinds.hpp"

namespace spress::io {

Status check_no_part(const std::string& file, const std::string& part) {
  if (part.empty()) return Ok{};
  return Error{ErrorCode::usage,
               "holds one matrix without a name, and the part '" + part + "' was asked for; name no part", file, 0};
}

Result<const FileKind*> kind_to_read(const MatrixInput& input, const ReadOptions& options) {
  if (is_container(input.head()))
    return Error{ErrorCode::unsupported, "holds a .spress file within another: unpack it first"};
  const FileKind* const matrix_market = &file_kinds().front();  // whose reader says what other texts lack
  if (options.kind.empty()) {
    const FileKind* const known = kind_of_content(input.head(), input.name());
    return known != nullptr ? known : matrix_market;
  }
  SPRESS_TRY(const FileKind* const asked, find_file_kind(options.kind));
  if (asked != matrix_market && matrix_market->recognises(input.head()))  // a banner would pass for a comment
    return Error{ErrorCode::usage, "is a Matrix Market file, as its first line says, and was to be read as " +
                                       options.kind + "; leave --kind out"};
  return asked;
}

namespace {

Status check_readable(const FileKind& kind, const MatrixInput& input) {
  if (kind.read == nullptr)
    return Error{ErrorCode::unsupported, "is a file of the kind " + std::string(kind.name) +
                                             ", which this build does not read" +
                                             (kind.needs.empty() ? "" : " (it lacks " + std::string(kind.needs) + ")") +
                                             "; convert it to Matrix Market (.mtx)"};
  return kind.has_parts ? Status(Ok{}) : check_no_part({}, input.part());
}

Result<Matrix> read(const std::shared_ptr<InputFile>& file, const ReadOptions& options) {
  MatrixInput input(file, options);
  for (;;) {
    SPRESS_CHECK(input.open());
    SPRESS_TRY(const FileKind* kind, kind_to_read(input, options));
    SPRESS_CHECK(check_readable(*kind, input));
    auto matrix = kind->read(input, options);
    SPRESS_TRY(const bool settled, input.settle());
    if (!settled) continue;
    if (!matrix.ok()) {
      const bool guessed = options.kind.empty() && kind_of_content(input.head(), input.name()) == nullptr;
      if (guessed && matrix.error().code == ErrorCode::syntax)
        matrix.error().message += "; if it is of another kind, name that with --kind (spress list files)";
      return matrix;
    }
    MatrixInfo& info = matrix->info;
    info.name = matrix_name(file->path());
    info.path = file->path().string();
    const std::string note = input.note();
    if (!note.empty()) info.note = info.note.empty() ? note : note + "; " + info.note;
    return matrix;
  }
}

}  // namespace

std::string ReadOptions::text() const {
  std::string out;
  if (index_base) out += " index-base=" + std::to_string(*index_base);
  if (!part.empty()) out += " part=" + part;
  if (!kind.empty()) out += " kind=" + kind;
  return out;
}

Result<Matrix> read_matrix(const std::shared_ptr<InputFile>& file, const ReadOptions& options) {
  Result<Matrix> matrix = Error{ErrorCode::too_large, "memory ran out while it was read"};
  try {
    matrix = read(file, options);
  } catch (const std::bad_alloc&) {
  }
  if (auto same = file->unchanged(); !same.ok()) matrix = std::move(same).error();
  if (!matrix.ok()) matrix.error().file = file->path().string();
  return matrix;
}

Result<Matrix> read_matrix(const std::filesystem::path& path, const ReadOptions& options) {
  auto file = InputFile::open(path);
  if (file.ok()) return read_matrix(*file, options);
  file.error().file = path.string();
  return std::move(file).error();
}

Result<Matrix> read_matrix_market(const std::filesystem::path& path, const ReadOptions& options) {
  ReadOptions as_text = options;
  as_text.kind = file_kinds().front().name;
  return read_matrix(path, as_text);
}

}  // namespace spress::io
