// A matrix written as a file of any kind: those of formats/io/readers/file_kinds.hpp, and .spress.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/file_kinds.hpp"

namespace spress::pipeline {

struct TargetKind {
  std::string name, ending;            ///< ending: .npz, .mtx.gz
  const io::FileKind* file = nullptr;  ///< null: .spress
};

/// Every kind that is written, one row for each ending.
[[nodiscard]] std::vector<TargetKind> target_kinds();

/// Their endings.
[[nodiscard]] std::vector<std::string> target_endings();

/// The kind that `text` names: "scipy-npz", ".npz" or "npz". Errors: usage, listing the choices.
[[nodiscard]] Result<TargetKind> find_target_kind(const std::string& text);

/// The kind that a path's ending stands for. Errors: as find_target_kind.
[[nodiscard]] Result<TargetKind> target_kind_of(const std::filesystem::path& path);

/// Writes the matrix; .spress as `encode` does by default. Errors: those of the writers.
[[nodiscard]] Status write_target(const Matrix& matrix, const TargetKind& kind, const std::filesystem::path& path,
                                  int threads);

}  // namespace spress::pipeline
