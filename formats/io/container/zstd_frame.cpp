#include "formats/io/container/zstd_frame.hpp"

#include <zstd.h>

#include <new>
#include <string>

#include "formats/io/container/container_layout.hpp"

namespace spress::io {

ZstdEncoder::ZstdEncoder(int level) : context_(ZSTD_createCCtx()) {
  if (!context_) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
}
ZstdEncoder::ZstdEncoder(ZstdEncoder&&) noexcept = default;
ZstdEncoder::~ZstdEncoder() = default;
void ZstdEncoder::Release::operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }

std::span<const std::uint8_t> ZstdEncoder::encode(std::span<const std::uint8_t> bytes, Scratch& room,
                                                  std::span<const std::uint8_t> prefix) {
  const std::size_t most = ZSTD_compressBound(bytes.size());
  std::uint8_t* out = room.room(most);
  if (!prefix.empty()) ZSTD_CCtx_refPrefix(context_.get(), prefix.data(), prefix.size());
  const std::size_t size = ZSTD_compress2(context_.get(), out, most, bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // its own memory: there is room for every frame
  return {out, size};
}

namespace {

struct ReleaseContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// The thread's own. Throws std::bad_alloc.
ZSTD_DCtx* decoding_context() {
  thread_local std::unique_ptr<ZSTD_DCtx, ReleaseContext> context;
  if (!context) context.reset(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  return context.get();
}

}  // namespace

std::optional<std::uint64_t> zstd_content_size(std::span<const std::uint8_t> frame) {
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) return std::nullopt;
  return ZSTD_getFrameContentSize(frame.data(), frame.size());
}

Status decode_zstd(std::span<const std::uint8_t> frame, std::span<std::uint8_t> out,
                   std::span<const std::uint8_t> prefix) {
  ZSTD_DCtx* context = decoding_context();
  if (!prefix.empty()) ZSTD_DCtx_refPrefix(context, prefix.data(), prefix.size());
  const std::size_t got = ZSTD_decompressDCtx(context, out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0)
    return layout::damaged("zstd cannot decompress it: " + std::string(ZSTD_getErrorName(got)));
  if (got != out.size()) return layout::damaged("its zstd frame ends early");
  return Ok{};
}

}  // namespace spress::io
