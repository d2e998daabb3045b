// Subcommands that run for long, or multiply: their options.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "pipeline/collection/collection.hpp"
#include "pipeline/collection/line_file.hpp"
#include "pipeline/device/machine.hpp"

namespace spress::cli {

/// Ends the examples of subcommands that multiply.
inline constexpr const char* isa_note =
    "\n\nThe environment variable SPRESS_ISA=portable, avx2 or avx512 limits the CPU instructions of products.";

/// "3:07" or "1:00:12".
inline std::string clock_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

inline pipeline::DeviceKind device_kind(const std::string& name) {
  return name == "cuda" ? pipeline::DeviceKind::cuda : pipeline::DeviceKind::cpu;
}

/// --device, as device_kind takes it.
inline Option add_device(Command command, std::string& device) {
  const auto fault_of = [](const std::string& text) {  // which looks like cpu
    return text == "gpu" || text == "GPU" ? "a GPU is called cuda" : "";
  };
  return command.add_option("--device", device, "Device that multiplies; cuda is a GPU")
      .type_name("cpu|cuda")
      .checked(fault_of)
      .one_of({"cpu", "cuda"})
      .shows_default();
}

/// --memory of a GPU, as device_memory_of takes it.
inline Option add_device_memory(Command command, std::string& memory) {
  return command
      .add_option(
          "--memory", memory,
          "With --device cuda: bytes of its memory for a matrix, such as 2G; what does not fit is streamed from the "
          "host in each product [all in memory]")
      .type_name("SIZE");
}

/// The bytes of --memory, 0 where it is not given. Errors: usage.
[[nodiscard]] inline Result<std::uint64_t> device_memory_of(const std::string& memory, const std::string& device) {
  if (memory.empty()) return std::uint64_t{0};
  if (device_kind(device) != pipeline::DeviceKind::cuda)
    return Error{ErrorCode::usage, "--memory is that of a GPU; it goes with --device cuda"};
  return pipeline::parse_size(memory);
}

inline void add_no_progress(Command command, Common& common) {
  command.add_flag("--no-progress", common.no_progress, "Show no progress on a terminal");
}

inline bool shows_progress(const Common& common) {
  return !common.quiet && !common.no_progress && isatty(STDERR_FILENO) != 0;
}

/// The file of -o, none where none is asked for. Errors: those of opening it.
[[nodiscard]] inline Result<std::optional<pipeline::LineFile>> open_records(const std::string& path) {
  std::optional<pipeline::LineFile> file;
  if (path.empty()) return file;
  SPRESS_TRY(auto opened, pipeline::LineFile::open(path));
  file.emplace(std::move(opened));
  return file;
}

}  // namespace spress::cli
