#include "pipeline/convert.hpp"

#include <algorithm>

#include "formats/core/names.hpp"
#include "formats/io/bytes/listed.hpp"
#include "pipeline/compress.hpp"

namespace spress::pipeline {
std::vector<TargetKind> target_kinds() {
  std::vector<TargetKind> kinds;
  for (const io::FileKind& file : io::file_kinds())
    for (std::string& ending : io::endings_to_write(file))
      kinds.push_back({std::string(file.name), std::move(ending), &file});
  kinds.push_back({"spress", ".spress", nullptr});
  return kinds;
}

std::vector<std::string> target_endings() {
  std::vector<std::string> out;
  for (const TargetKind& kind : target_kinds()) out.push_back(kind.ending);
  return out;
}

Result<TargetKind> find_target_kind(const std::string& text) {
  for (TargetKind& kind : target_kinds())
    if (text == kind.name || text == kind.ending || '.' + text == kind.ending) return std::move(kind);
  return Error{ErrorCode::usage, with_choices("unknown kind of file to write '" + std::string(text) + "'", text,
                                              "the choices are", target_endings())};
}

Result<TargetKind> target_kind_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  for (TargetKind& kind : target_kinds())
    if (name.size() > kind.ending.size() && name.ends_with(kind.ending)) return std::move(kind);
  return Error{ErrorCode::usage,
               "its ending is of no kind that is written; the choices are " + listed(target_endings()), path.string(),
               0};
}

Status write_target(const Matrix& matrix, const TargetKind& kind, const std::filesystem::path& path, int threads) {
  if (kind.file != nullptr) return kind.file->write(view_of(matrix.csr), matrix.info, path);
  CompressOptions how;
  how.for_file = true;
  how.threads = threads;
  SPRESS_CHECK(compress(matrix, how, path));
  return Ok{};
}

}  // namespace spress::pipeline
