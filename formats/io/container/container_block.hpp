// One block of a container: transformed, compressed, checked. Private to formats/io; see container.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/array.hpp"
#include "formats/io/bytes/byte_source.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/container/transforms.hpp"
#include "formats/io/container/zstd_frame.hpp"

namespace spress::io {

/// What was done to the elements of a block, in order: the transform, then zstd or nothing.
struct Coding {
  Transform transform;
  bool zstd = false;
};
/// "none", "zstd", "delta+planes", "delta+planes+zstd", ...
[[nodiscard]] std::string to_string(Coding coding);
[[nodiscard]] std::optional<Coding> coding_named(std::string_view name);

struct EncodedBlock {
  std::vector<std::uint8_t> stored;
  BlockRecord record;  ///< its offset is left 0
};

/// Encodes blocks, each in the way that makes it smallest as far as a sample tells. One per thread.
class BlockEncoder {
 public:
  explicit BlockEncoder(int level) : zstd_(level) {}

  /// The result depends on the elements and the level alone. Requires: count > 0. Throws std::bad_alloc.
  [[nodiscard]] EncodedBlock encode(DType type, const std::uint8_t* elements, std::size_t count);

 private:
  struct Elements {
    const std::uint8_t* data;
    std::size_t count, width;
  };
  struct Encoded {
    Coding coding;
    Scratch room;
    std::span<const std::uint8_t> bytes;  ///< in room
  };
  struct Candidate {
    Transform transform;
    double bytes;  ///< estimated
  };
  [[nodiscard]] std::vector<Transform> choose(DType type, Elements elements);
  [[nodiscard]] std::vector<Candidate> estimate(DType type, Elements elements);
  [[nodiscard]] Elements sample_of(Elements elements);
  void encode_as(Transform transform, Elements elements, Encoded& out);

  ZstdEncoder zstd_;
  Scratch transformed_, scratch_, sample_;
  Encoded best_, trial_;
};

/// Decodes blocks. One per thread.
class BlockDecoder {
 public:
  /// Checks the stored bytes and decodes them to `elements`, record.bytes of room.
  /// Requires: record as parse_descriptor lets it pass. Errors: damaged, the message to follow the block's name.
  /// Throws std::bad_alloc.
  [[nodiscard]] Status decode(const BlockRecord& record, std::size_t width, std::span<const std::uint8_t> stored,
                              void* elements);

 private:
  [[nodiscard]] Result<std::span<const std::uint8_t>> decompress(std::span<const std::uint8_t> stored,
                                                                 const BlockRecord& record, std::size_t width,
                                                                 Transform transform, void* elements);
  Scratch scratch_;
};

}  // namespace spress::io
