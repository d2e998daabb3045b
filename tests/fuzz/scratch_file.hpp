// Files for readers that take a path.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace spress::fuzz {

/// A folder of its own, in memory where the system has /dev/shm, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code code;
    const std::filesystem::path memory = "/dev/shm";
    const auto base = std::filesystem::is_directory(memory, code) ? memory : std::filesystem::temp_directory_path();
    std::string name = (base / "spress-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// The path of a file with this content, until the next call with that name.
  [[nodiscard]] std::filesystem::path file(const char* name, std::string_view content) const {
    std::ofstream(folder_ / name, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
    return folder_ / name;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace spress::fuzz
