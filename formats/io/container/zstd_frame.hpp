// Frames of zstd, made and undone with checks on their size. Private to formats/io.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "formats/core/result.hpp"
#include "formats/io/bytes/byte_source.hpp"

struct ZSTD_CCtx_s;

namespace spress::io {

/// No frame holds more than this times its own bytes: zstd stores 128 KiB of one byte, repeated, in 4 bytes.
inline constexpr std::uint64_t largest_zstd_ratio = 32768;

/// Makes frames. One per thread.
class ZstdEncoder {
 public:
  /// Throws std::bad_alloc.
  explicit ZstdEncoder(int level);
  ZstdEncoder(ZstdEncoder&&) noexcept;
  ~ZstdEncoder();

  /// A frame in `room` that states its content size. prefix: bytes that the reader knows as well, or none. Throws
  /// std::bad_alloc.
  [[nodiscard]] std::span<const std::uint8_t> encode(std::span<const std::uint8_t> bytes, Scratch& room,
                                                     std::span<const std::uint8_t> prefix = {});

 private:
  struct Release {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Release> context_;
};

/// The content size that a frame states; a size that no content has where it states none. Nothing where the bytes are
/// not exactly one frame.
[[nodiscard]] std::optional<std::uint64_t> zstd_content_size(std::span<const std::uint8_t> frame);

/// Decodes a frame into `out`, which it fills. prefix: as for the encoder. Each thread keeps a context of zstd for all
/// of its frames, since to make one takes as long as to read a small matrix. Errors: damaged. Throws std::bad_alloc.
[[nodiscard]] Status decode_zstd(std::span<const std::uint8_t> frame, std::span<std::uint8_t> out,
                                 std::span<const std::uint8_t> prefix = {});

}  // namespace spress::io
