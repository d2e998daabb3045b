#include "formats/io/container/sink.hpp"

#include <zstd.h>

#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "formats/io/container/container_layout.hpp"

namespace spress::io {
namespace {

class MemorySink : public Sink {
 public:
  [[nodiscard]] Status append(std::span<const std::uint8_t> bytes) override {
    contents.insert(contents.end(), bytes.begin(), bytes.end());
    return Ok{};
  }
  [[nodiscard]] Status finish(std::span<const std::uint8_t> header) override {
    std::memcpy(contents.data(), header.data(), header.size());
    return Ok{};
  }
  std::vector<std::uint8_t> contents;
};

class FileSink : public Sink {
 public:
  explicit FileSink(OutputFile& file) : file_(&file) {}
  [[nodiscard]] Status append(std::span<const std::uint8_t> bytes) override {
    return file_->write(bytes.data(), bytes.size());
  }
  [[nodiscard]] Status finish(std::span<const std::uint8_t> header) override {
    return file_->write_at(0, header.data(), header.size());
  }

 private:
  OutputFile* file_;
};

Status guarded(const WriteTo& write, Sink& sink) {
  try {
    return write(sink);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace

Result<std::vector<std::uint8_t>> write_sink_bytes(const WriteTo& write) {
  MemorySink sink;
  SPRESS_CHECK(guarded(write, sink));
  return std::move(sink.contents);
}

Result<std::uint64_t> write_sink_file(OutputFile file, const WriteTo& write) {
  if (file.seekable()) {
    FileSink sink(file);
    SPRESS_CHECK(guarded(write, sink));
  } else {
    SPRESS_TRY(const auto bytes, write_sink_bytes(write));
    SPRESS_CHECK(file.write(bytes.data(), bytes.size()));
  }
  SPRESS_CHECK(file.commit());
  return file.size();
}

Result<std::uint64_t> write_sink_file(const std::filesystem::path& path, const WriteTo& write) {
  SPRESS_TRY(OutputFile file, OutputFile::create(path));
  return write_sink_file(std::move(file), write);
}

Status check_write_options(const WriteOptions& options) {
  const auto usage = [](std::string message) { return Error{ErrorCode::usage, std::move(message)}; };
  if (options.level < ZSTD_minCLevel() || options.level > ZSTD_maxCLevel())
    return usage("level " + std::to_string(options.level) + ": zstd has levels from " +
                 std::to_string(ZSTD_minCLevel()) + " to " + std::to_string(ZSTD_maxCLevel()));
  if (options.block_bytes == 0 || options.block_bytes > layout::largest_block)
    return usage("blocks of " + std::to_string(options.block_bytes) + " bytes: expected 1 to " +
                 std::to_string(layout::largest_block));
  return Ok{};
}

}  // namespace spress::io
