#include "formats/io/matlab/mat5_elements.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "formats/core/memory.hpp"

namespace spress::io::mat5 {
namespace {

Error error_of(ErrorCode code, std::string message) { return {code, std::move(message)}; }

Error ends_early(std::string_view what) {
  return error_of(ErrorCode::truncated, "ends within " + std::string(what) + ": the file is cut short");
}

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

void swap_elements(std::uint8_t* at, std::size_t bytes, std::size_t width) {
  for (std::size_t k = 0; k + width <= bytes; k += width) std::reverse(at + k, at + k + width);
}

/// The number type of an element's data, or false.
bool number_type(Type type, DType& number) {
  switch (type) {
    case Type::int8: number = DType::i8; return true;
    case Type::uint8:
    case Type::utf8: number = DType::u8; return true;
    case Type::int16: number = DType::i16; return true;
    case Type::uint16:
    case Type::utf16: number = DType::u16; return true;
    case Type::int32: number = DType::i32; return true;
    case Type::uint32:
    case Type::utf32: number = DType::u32; return true;
    case Type::single: number = DType::f32; return true;
    case Type::double_precision: number = DType::f64; return true;
    case Type::int64: number = DType::i64; return true;
    case Type::uint64: number = DType::u64; return true;
    default: return false;
  }
}

class InflateStream final : public ByteStream {
 public:
  explicit InflateStream(ElementReader& part) : part_(part) {
    if (inflateInit(&zlib_) != Z_OK) throw std::bad_alloc();
  }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;
  ~InflateStream() override { inflateEnd(&zlib_); }

  Result<std::size_t> read(char* to, std::size_t n) override {
    std::size_t done = 0;
    while (done < n && !ended_) {
      SPRESS_CHECK(refill());
      const auto room = static_cast<uInt>(std::min<std::size_t>(n - done, std::size_t{1} << 30));
      zlib_.next_out = reinterpret_cast<Bytef*>(to + done);
      zlib_.avail_out = room;
      const int status = inflate(&zlib_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END)
        return error_of(ErrorCode::damaged, "a compressed variable is damaged: " +
                                                std::string(zlib_.msg != nullptr ? zlib_.msg : "its data ends early"));
      ended_ = status == Z_STREAM_END;
      done += room - zlib_.avail_out;
    }
    return done;
  }

 private:
  Status refill() {
    if (zlib_.avail_in != 0 || part_.left() == 0) return Ok{};
    SPRESS_TRY(const std::size_t got, part_.read(buffer_.data(), buffer_.size()));
    if (got == 0) return ends_early("a compressed variable");
    zlib_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    zlib_.avail_in = static_cast<uInt>(got);
    return Ok{};
  }

  ElementReader& part_;
  z_stream zlib_ = {};
  bool ended_ = false;
  std::array<char, 1 << 16> buffer_;
};

}  // namespace

Result<Tag> ElementReader::next(std::string_view what) {
  SPRESS_TRY(const std::optional<Tag> tag, next_or_end(what));
  if (tag) return *tag;
  return left_ == 0 ? error_of(ErrorCode::damaged, std::string(what) + " is missing: its variable ends before")
                    : ends_early(what);
}

Result<std::optional<Tag>> ElementReader::next_or_end(std::string_view what) {
  std::array<std::uint8_t, 8> bytes;
  SPRESS_TRY(const std::size_t got, read(reinterpret_cast<char*>(bytes.data()), bytes.size()));
  if (got == 0) return std::optional<Tag>();
  if (got != bytes.size()) return ends_early(what);
  std::array<std::uint32_t, 2> words;
  std::memcpy(words.data(), bytes.data(), bytes.size());
  if (swapped_) swap_elements(reinterpret_cast<std::uint8_t*>(words.data()), sizeof words, sizeof words[0]);
  Tag tag;
  constexpr std::uint32_t half = 0xFFFF;
  tag.small = words[0] > half;
  tag.type = static_cast<Type>(words[0] & half);
  tag.bytes = tag.small ? words[0] >> 16 : words[1];
  if (tag.small) {
    std::copy_n(bytes.data() + 4, sizeof tag.data, tag.data);
    if (tag.bytes > sizeof tag.data) return error_of(ErrorCode::damaged, std::string(what) + " has a damaged tag");
  } else if (tag.bytes > left_) {
    return error_of(ErrorCode::damaged, std::string(what) + " claims " + std::to_string(tag.bytes) +
                                            " bytes, and its variable has " + std::to_string(left_) + " left");
  }
  return std::optional(tag);
}

Result<std::size_t> ElementReader::read(char* to, std::size_t n) {
  SPRESS_TRY(const std::size_t got, stream_.read(to, std::min<std::uint64_t>(n, left_)));
  left_ -= got;
  return got;
}

ElementReader ElementReader::take_part(const Tag& tag) {
  left_ -= tag.bytes;
  return {stream_, swapped_, tag.bytes};
}

Result<Numbers> ElementReader::numbers(std::string_view what) {
  SPRESS_TRY(const Tag tag, next(what));
  Numbers out;
  if (!number_type(tag.type, out.type))
    return error_of(ErrorCode::damaged, std::string(what) + " is an element of type " +
                                            std::to_string(static_cast<std::uint32_t>(tag.type)) +
                                            ", which holds no numbers");
  if (tag.small) {
    out.bytes.assign(tag.data, tag.data + tag.bytes);
  } else {
    constexpr std::uint64_t worth_asking = 64 << 20;
    if (tag.bytes > worth_asking) SPRESS_CHECK(fits_memory(2 * tag.bytes, what));
    SPRESS_CHECK(read_up_to(stream_, tag.bytes, out.bytes));
    if (out.bytes.size() != tag.bytes) return ends_early(what);
    left_ -= tag.bytes;
    SPRESS_CHECK(pass(std::min(left_, padded(tag.bytes) - tag.bytes)));
  }
  const std::size_t width = size_of(out.type);
  if (tag.bytes % width != 0)
    return error_of(ErrorCode::damaged, std::string(what) + " has " + std::to_string(tag.bytes) +
                                            " bytes, no multiple of the " + std::to_string(width) + " of a number");
  if (swapped_) swap_elements(out.bytes.data(), out.bytes.size(), width);
  return out;
}

Status ElementReader::skip(const Tag& tag) {
  return tag.small ? Status(Ok{}) : pass(std::min(left_, padded(tag.bytes)));
}

Status ElementReader::skip_rest() { return pass(left_); }

Status ElementReader::pass(std::uint64_t bytes) {
  std::array<char, 1 << 14> dropped;
  while (bytes != 0) {
    SPRESS_TRY(const std::size_t got, read(dropped.data(), std::min<std::uint64_t>(bytes, dropped.size())));
    if (got == 0) return ends_early("a variable");
    bytes -= got;
  }
  return Ok{};
}

std::unique_ptr<ByteStream> inflate_stream(ElementReader& part) { return std::make_unique<InflateStream>(part); }

}  // namespace spress::io::mat5
