// A sink takes the bytes of a container and puts them into a file or into memory. Private to formats/io.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/container/container.hpp"

namespace spress::io {

/// Takes bytes one after another. The header is filled in at the end.
class Sink {
 public:
  virtual ~Sink() = default;
  [[nodiscard]] virtual Status append(std::span<const std::uint8_t> bytes) = 0;
  [[nodiscard]] virtual Status finish(std::span<const std::uint8_t> header) = 0;
};

using WriteTo = std::function<Status(Sink&)>;

/// Calls write, whose bytes make up the file, and commits it. (A pipe takes them once all are there, since the header
/// is written last; they are held in memory until then.) Returns the file's size in bytes. Errors: unwritable, those of
/// write; too_large where it throws std::bad_alloc.
[[nodiscard]] Result<std::uint64_t> write_sink_file(OutputFile file, const WriteTo& write);
/// Writes to a file at `path`, which appears complete or not at all; else as above.
[[nodiscard]] Result<std::uint64_t> write_sink_file(const std::filesystem::path& path, const WriteTo& write);

/// Calls write and returns its bytes. Errors: those of write, too_large.
[[nodiscard]] Result<std::vector<std::uint8_t>> write_sink_bytes(const WriteTo& write);

/// Errors: usage for a level that zstd does not have, or a block size out of range.
[[nodiscard]] Status check_write_options(const WriteOptions& options);

}  // namespace spress::io
