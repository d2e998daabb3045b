// Work in a child process, so that a library which parses other people's files can crash, loop or ask for all memory
// without harm to this program. POSIX and Linux.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "formats/core/result.hpp"
#include "formats/io/bytes/memory_file.hpp"

namespace spress::io {

/// What the child may use.
struct ChildLimits {
  std::uint64_t memory_bytes = 0;       ///< of its own, beyond what the program had before; output does not count
  std::uint64_t output_bytes = 0;       ///< that it may hand over
  std::uint64_t processor_seconds = 0;  ///< at least 1
};

/// Bytes that the child hands over. They lie in memory of their own, and are visible to the parent in the end.
class ChildOutput {
 public:
  ChildOutput(const MemoryFile& file, std::uint64_t most) : file_(file), most_(most) {}
  /// Appends at the next multiple of 16 bytes and gives the offset. Errors: too_large.
  [[nodiscard]] Result<std::uint64_t> append(const void* data, std::size_t bytes);
  /// Appends right behind the last bytes. Errors: too_large.
  [[nodiscard]] Status extend(const void* data, std::size_t bytes);
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  const MemoryFile& file_;
  std::uint64_t most_, size_ = 0;
};

/// What a child handed over, readable as long as this lives.
class ChildBytes {
 public:
  ChildBytes() = default;
  ChildBytes(void* map, std::size_t mapped, std::span<const std::uint8_t> bytes)
      : map_(map), mapped_(mapped), bytes_(bytes) {}
  ChildBytes(ChildBytes&& other) noexcept;
  ChildBytes& operator=(ChildBytes&& other) noexcept;
  ChildBytes(const ChildBytes&) = delete;
  ChildBytes& operator=(const ChildBytes&) = delete;
  ~ChildBytes();
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  void* map_ = nullptr;
  std::size_t mapped_ = 0;
  std::span<const std::uint8_t> bytes_;
};

using ChildWork = std::function<Status(ChildOutput&)>;

/// Runs work() in a child process and gives what it appended, or the error that it returned or ended with. The child
/// has a copy of the program's memory, no standard streams, and no other threads, so work() must not wait for one: no
/// OpenMP, and no lock that another thread may hold (malloc is fine). It ends when the calling thread does.
/// What comes back was made from a stranger's file, perhaps by a library gone wrong: check it.
/// Errors: those of work; damaged where the child crashed, too_large where it reached a limit.
[[nodiscard]] Result<ChildBytes> run_in_child(const ChildLimits& limits, const ChildWork& work);

}  // namespace spress::io
