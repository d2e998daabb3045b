// What a reading may be told about its file.
#pragma once

#include <optional>
#include <string>

namespace spress::io {

struct ReadOptions {
  int threads = 0;                     ///< 0: OpenMP's default
  std::optional<int> index_base = {};  ///< 0 or 1: the first id in a file that does not say it
  std::string part = {};               ///< which matrix of a file with several: a variable, a layer, a member
  std::string kind = {};               ///< of the file, as in file_kinds(); empty: by content and ending

  /// Everything that shapes the matrix, as one line; empty where nothing is set.
  [[nodiscard]] std::string text() const;
};

}  // namespace spress::io
