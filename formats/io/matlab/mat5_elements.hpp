// The data elements that a MATLAB 5 file (-v6, -v7) is made of: a tag with type and length, then the data.
// Source: "MAT-File Format" (MathWorks), chapter 1.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/core/array.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/byte_stream.hpp"

namespace spress::io::mat5 {

/// Types of elements, as files number them.
enum class Type : std::uint32_t {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  single = 7,
  double_precision = 9,
  int64 = 12,
  uint64 = 13,
  matrix = 14,
  compressed = 15,
  utf8 = 16,
  utf16 = 17,
  utf32 = 18
};

struct Tag {
  Type type = Type::int8;
  std::uint64_t bytes = 0;    ///< of data
  bool small = false;         ///< the data is within the tag
  std::uint8_t data[4] = {};  ///< where it is small
};

/// Numbers as they were stored, in this machine's order of bytes.
struct Numbers {
  DType type = DType::u8;
  std::vector<std::uint8_t> bytes;
  [[nodiscard]] std::uint64_t size() const { return bytes.size() / size_of(type); }
};

/// Reads elements one after another within a part of a stream.
class ElementReader {
 public:
  /// swapped: the file has the other order of bytes. left: bytes that belong to the part.
  ElementReader(ByteStream& stream, bool swapped, std::uint64_t left = std::numeric_limits<std::uint64_t>::max())
      : stream_(stream), swapped_(swapped), left_(left) {}

  [[nodiscard]] std::uint64_t left() const { return left_; }
  [[nodiscard]] bool swapped() const { return swapped_; }

  /// The next tag; its data is to be read, skipped, or left to a reader of its own, with take_part.
  /// what: for messages. Errors: truncated; damaged where the data reaches beyond the part.
  [[nodiscard]] Result<Tag> next(std::string_view what);
  /// The same, or nothing at the end of the stream.
  [[nodiscard]] Result<std::optional<Tag>> next_or_end(std::string_view what);
  /// A reader of the data that a tag announces, which counts as read here.
  [[nodiscard]] ElementReader take_part(const Tag& tag);
  /// The next element, which must hold numbers or characters. Memory grows with the data that is there.
  /// Errors: also damaged for another type.
  [[nodiscard]] Result<Numbers> numbers(std::string_view what);
  /// The next bytes as they are; fewer only at the end of the part or the stream.
  [[nodiscard]] Result<std::size_t> read(char* to, std::size_t n);
  /// Passes over the data of a tag, and over all that is left.
  [[nodiscard]] Status skip(const Tag& tag);
  [[nodiscard]] Status skip_rest();

 private:
  [[nodiscard]] Status pass(std::uint64_t bytes);
  ByteStream& stream_;
  bool swapped_;
  std::uint64_t left_;
};

/// The data of a compressed element, inflated. `part` must outlive it.
[[nodiscard]] std::unique_ptr<ByteStream> inflate_stream(ElementReader& part);

}  // namespace spress::io::mat5
