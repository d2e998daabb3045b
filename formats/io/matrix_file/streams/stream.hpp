// A stream: numbers one after another within a block, laid out and compressed in whatever way makes them smallest.
// Private to formats/io; see container_v2.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/io/bytes/byte_source.hpp"
#include "formats/io/container/zstd_frame.hpp"
#include "formats/io/matrix_file/bytes.hpp"

namespace spress::io {

/// The layout of the numbers of a stream. The values are those of the file.
enum class StreamLayout : std::uint8_t {
  same,    ///< one number, which all are
  plain,   ///< one after another
  bits,    ///< in as many bits each as the largest needs (transforms.hpp)
  planes,  ///< the first bytes of all numbers, then the second bytes, ...
  varint,  ///< seven bits a byte, as many bytes as each number needs
  coded,   ///< bytes of the range coder, which only their reader understands
};

/// The first byte of a stream: layout (bits 0 to 2), differences (3), log2 of the width in bytes (4, 5), zstd (7).
struct StreamCoding {
  StreamLayout layout = StreamLayout::plain;
  bool delta = false;
  std::size_t width = 1;  ///< bytes of a number: 1, 2, 4 or 8
  bool zstd = false;

  [[nodiscard]] std::uint8_t byte() const;
  /// False for bytes that no stream begins with.
  [[nodiscard]] static bool parse(std::uint8_t byte, StreamCoding& out);
  /// "planes+zstd", "delta+bits", ...
  [[nodiscard]] std::string text() const;
};

/// Streams of one value are written as such only up to this length: what a file claims to hold stays within reason of
/// its size.
inline constexpr std::uint64_t longest_same = std::uint64_t{1} << 20;

/// No stream within so many bytes holds more numbers.
[[nodiscard]] constexpr std::uint64_t most_numbers_in(std::uint64_t bytes) {
  return bytes > longest_same / largest_zstd_ratio ? bytes * largest_zstd_ratio : longest_same;
}

/// Levels of zstd from this one on take their time. They also try usual_level, which is smaller now and then.
inline constexpr int patient_level = 16, usual_level = 6;

/// Levels below patient_level choose codings and layouts by compressing samples at this level.
inline constexpr int quick_level = 1;

/// Writes streams. One per thread.
class StreamEncoder {
 public:
  explicit StreamEncoder(int level) : zstd_(level), level_(level) {
    if (is_patient()) usual_.emplace(usual_level);
  }

  /// The encoder for samples by which codings and layouts are chosen: one of quick_level, or this one where it is as
  /// quick, or patient.
  [[nodiscard]] StreamEncoder& judge();

  enum class Kind { integers, floating };  ///< differences of the bits of floating-point numbers say nothing

  /// Appends a stream of the numbers; nothing where there are none. The bytes depend on the numbers and the level
  /// alone. T: std::uint8_t, std::uint16_t, std::uint32_t or std::uint64_t. Throws std::bad_alloc.
  template <class T>
  void put(std::span<const T> numbers, std::vector<std::uint8_t>& out, Kind kind = Kind::integers);

  /// Appends a stream of bytes that the range coder made.
  static void put_coded(std::span<const std::uint8_t> bytes, std::vector<std::uint8_t>& out);

  /// A block of bytes as zstd makes them, or as they are where that is no smaller.
  /// prefix: bytes that are known to the reader as well, or none.
  [[nodiscard]] std::vector<std::uint8_t> compress(std::span<const std::uint8_t> bytes,
                                                   std::span<const std::uint8_t> prefix);

  [[nodiscard]] int level() const { return level_; }
  /// Whether the level is one of those that take their time.
  [[nodiscard]] bool is_patient() const { return level_ >= patient_level; }
  /// The factor by which samples may be larger than usual.
  [[nodiscard]] std::size_t patience() const { return is_patient() ? 4 : 1; }

 private:
  struct Numbers {
    const std::uint8_t* data;
    std::size_t count, width;
  };
  struct Encoded {
    StreamCoding coding;
    Scratch room;
    std::span<const std::uint8_t> bytes;  ///< in room
  };
  /// A stream that was put, and the numbers in it.
  struct Known {
    std::uint64_t hash = 0;
    std::size_t width = 0;
    Kind kind = Kind::integers;
    std::vector<std::uint8_t> numbers, stream;
  };
  void put_narrow(Numbers numbers, Kind kind, std::vector<std::uint8_t>& out);
  void put_chosen(Numbers numbers, Kind kind, std::vector<std::uint8_t>& out);
  void encode_as(StreamCoding coding, Numbers numbers, ZstdEncoder& zstd, Encoded& out);
  [[nodiscard]] std::vector<StreamCoding> choose(Numbers numbers, Kind kind);
  [[nodiscard]] std::size_t sample_bytes() const;
  [[nodiscard]] Numbers sample_of(Numbers numbers);
  [[nodiscard]] std::span<const std::uint8_t> shrunk(std::span<const std::uint8_t> bytes,
                                                     std::span<const std::uint8_t> prefix, ZstdEncoder& zstd,
                                                     Scratch& room);

  ZstdEncoder zstd_;
  std::optional<ZstdEncoder> usual_;
  std::unique_ptr<StreamEncoder> judge_;
  int level_;
  Scratch laid_out_, scratch_, sample_, narrow_, usual_room_;
  Encoded best_, trial_;
  std::array<Known, 64> known_;
  std::size_t next_known_ = 0;
};

/// A stream that was met in a block, for `info`.
struct StreamNote {
  std::string name, type, coding;
  std::uint64_t count = 0, bytes = 0, stored = 0;
};

/// Reads the streams of a block, one after another. One per thread.
class StreamDecoder {
 public:
  /// Reads the next stream of `in`, `count` numbers, into `out`; nothing where count is 0.
  /// Errors: damaged, naming the stream. Throws std::bad_alloc.
  template <class T>
  [[nodiscard]] Status next(std::string_view name, ByteReader& in, std::uint64_t count, T* out);

  /// The bytes of the next stream, which must be of the range coder. count: of numbers in it, for the note.
  [[nodiscard]] Status next_coded(std::string_view name, ByteReader& in, std::uint64_t count,
                                  std::span<const std::uint8_t>& out);

  /// Undoes StreamEncoder::compress: `bytes` of them, into `out`.
  [[nodiscard]] Status decompress(std::span<const std::uint8_t> stored, std::span<const std::uint8_t> prefix,
                                  std::span<std::uint8_t> out);

  /// Room for so many numbers of a stream that are not the result. The next call takes it away.
  template <class T>
  [[nodiscard]] T* room(std::uint64_t count) {
    return reinterpret_cast<T*>(numbers_.room(count * sizeof(T)));
  }

  /// Every stream read from now on is told of there.
  void tell(std::vector<StreamNote>* notes) { notes_ = notes; }

 private:
  struct Stored {
    StreamCoding coding;
    std::span<const std::uint8_t> bytes;
  };
  [[nodiscard]] Status open(std::string_view name, ByteReader& in, std::uint64_t count, std::size_t widest,
                            Stored& stored);
  [[nodiscard]] Status inflate(std::string_view name, Stored& stored, std::uint64_t count, void* plain);
  void note(std::string_view name, const Stored& stored, std::uint64_t count, std::size_t head);

  [[nodiscard]] std::span<const std::uint8_t> frame_of(std::span<const std::uint8_t> stored);

  Scratch frame_, inflated_, narrow_, numbers_;
  std::vector<StreamNote>* notes_ = nullptr;
};

}  // namespace spress::io
