// A file that benchmarks write and read.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace spress::bench {

/// The path of a file in the temporary folder, which goes away with this.
struct Scratch {
  std::filesystem::path path;
  explicit Scratch(const std::string& suffix)
      : path(std::filesystem::temp_directory_path() / ("spress_bench_" + std::to_string(getpid()) + suffix)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace spress::bench
