#include "formats/io/rows/row_stream.hpp"

#include <new>
#include <string>
#include <utility>

#include "formats/io/bytes/listed.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/readers/file_kinds.hpp"
#include "formats/io/rows/container_rows.hpp"

namespace spress::io {
namespace {

/// Refuses what changed while it was read: the panels of a text were sorted when it was opened, those of a container
/// are read later.
class CheckedRows final : public RowStream {
 public:
  CheckedRows(std::shared_ptr<InputFile> file, std::unique_ptr<RowStream> rows, MatrixInfo info)
      : file_(std::move(file)), inner_(std::move(rows)) {
    info_ = std::move(info);
    rows_ = inner_->rows();
    cols_ = inner_->cols();
    most_entries_ = inner_->most_entries();
    type_ = inner_->type();
    mirrored_ = inner_->mirrored();
    memory_ = inner_->memory();
  }
  Result<bool> next(RowPanel& panel) override {
    auto more = inner_->next(panel);
    info_.duplicates = inner_->info().duplicates;
    if (more.ok() && !*more)
      if (auto same = file_->unchanged(); !same.ok()) more = std::move(same).error();
    if (!more.ok()) more.error().file = file_->path().string();
    return more;
  }
  void seek(std::uint64_t row) override { inner_->seek(row); }

 private:
  std::shared_ptr<InputFile> file_;
  std::unique_ptr<RowStream> inner_;
};

Error not_streamed(const std::string& what) {
  std::vector<std::string> kinds;
  for (const FileKind& kind : file_kinds())
    if (kind.rows != nullptr) kinds.emplace_back(kind.name);
  return {ErrorCode::unsupported, what + " cannot be read by rows in little memory; files of these kinds can: " +
                                      listed(kinds) + " and .spress. Convert it with 'spress convert'"};
}

Result<const FileKind*> kind_of(const MatrixInput& input, const ReadOptions& reading) {
  SPRESS_TRY(const FileKind* const kind, kind_to_read(input, reading));
  if (kind->rows == nullptr) return not_streamed("a file of the kind " + std::string(kind->name));
  if (!kind->has_parts) SPRESS_CHECK(check_no_part({}, input.part()));
  return kind;
}

struct Opened {
  std::unique_ptr<RowStream> rows;
  std::string note;
};

Result<Opened> open(const std::shared_ptr<InputFile>& file, const ReadOptions& reading,
                    const RowStreamOptions& options) {
  Opened out;
  if (is_container(*file) || file->path().extension() == ".spress") {
    SPRESS_TRY(out.rows, container_rows(file, reading, options));
    return out;
  }
  MatrixInput input(file, reading);
  for (;;) {
    SPRESS_CHECK(input.open());
    SPRESS_TRY(const FileKind* kind, kind_of(input, reading));
    auto rows = kind->rows(input, reading, options);
    SPRESS_TRY(const bool settled, input.settle());
    if (!settled) continue;
    SPRESS_TRY(out.rows, std::move(rows));
    out.note = input.note();
    return out;
  }
}

Result<std::unique_ptr<RowStream>> open_checked(const std::shared_ptr<InputFile>& file, const ReadOptions& reading,
                                                const RowStreamOptions& options) {
  SPRESS_TRY(Opened opened, open(file, reading, options));
  MatrixInfo info = opened.rows->info();
  if (info.name.empty()) info.name = matrix_name(file->path());
  info.path = file->path().string();
  if (!opened.note.empty()) info.note = opened.note;
  SPRESS_CHECK(file->unchanged());
  return std::unique_ptr<RowStream>(std::make_unique<CheckedRows>(file, std::move(opened.rows), std::move(info)));
}

}  // namespace

std::string memory_option_for(std::uint64_t bytes) {
  const std::uint64_t all = bytes + std::min(most_for_program, bytes / 3);
  return "--memory " + std::to_string((all >> 20) + 1) + "M";
}

Result<RowStreamOptions> options_for_shape(std::uint64_t rows, std::uint64_t cols, RowStreamOptions options) {
  const std::uint64_t share = rows * (options.bytes_per_row + (rows == cols ? options.bytes_per_square_row : 0));
  if (share > options.memory / 4 * 3)
    return Error{ErrorCode::too_large, "its " + std::to_string(rows) + " rows alone take " + std::to_string(share) +
                                           " bytes, more than three quarters of the memory; " +
                                           memory_option_for(share / 3 * 4) + " lets them in"};
  options.memory -= share;
  options.kept = share;
  return options;
}

Result<std::unique_ptr<RowStream>> open_rows(const std::filesystem::path& path, const ReadOptions& reading,
                                             const RowStreamOptions& options) {
  Result<std::unique_ptr<RowStream>> rows = Error{ErrorCode::too_large, "memory ran out while it was read"};
  try {
    auto file = InputFile::open(path);
    rows = file.ok() ? open_checked(*file, reading, options) : std::move(file).error();
  } catch (const std::bad_alloc&) {
  }
  if (!rows.ok()) rows.error().file = path.string();
  return rows;
}

}  // namespace spress::io
