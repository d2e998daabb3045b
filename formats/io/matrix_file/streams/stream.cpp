#include "formats/io/matrix_file/streams/stream.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/container/sampling.hpp"
#include "formats/io/container/transforms.hpp"
#include "formats/io/matrix_file/streams/varints.hpp"

namespace spress::io {
namespace {

using layout::damaged;

/// Every zstd frame begins with these bytes, which a stream leaves away.
constexpr std::array<std::uint8_t, 4> frame_magic = {0x28, 0xB5, 0x2F, 0xFD};

/// Codings are compared by so many bytes of a stream, or by all of a shorter one. By levels: quick, usual, patient.
constexpr std::size_t quick_sample = std::size_t{4} << 10, usual_sample = std::size_t{24} << 10,
                      patient_sample = 4 * usual_sample;

/// Streams up to so many bytes are kept.
constexpr std::size_t most_known_bytes = usual_sample;

/// An estimate this close to the smallest is settled by encoding the whole stream.
constexpr double close_enough = 1.05;

constexpr std::array<std::string_view, 6> layout_names = {"same", "plain", "bits", "planes", "varint", "coded"};

[[nodiscard]] std::size_t log2_of(std::size_t width) { return static_cast<std::size_t>(std::countr_zero(width)); }

[[nodiscard]] Transform transform_of(const StreamCoding& coding) {
  const Layout layout = coding.layout == StreamLayout::bits     ? Layout::bits
                        : coding.layout == StreamLayout::planes ? Layout::planes
                                                                : Layout::plain;
  return {coding.delta, layout};
}

}  // namespace

// --- Codings ---------------------------------------------------------------------------------------------------------

std::uint8_t StreamCoding::byte() const {
  return static_cast<std::uint8_t>(static_cast<unsigned>(layout) | (delta ? 8u : 0u) |
                                   static_cast<unsigned>(log2_of(width)) << 4 | (zstd ? 128u : 0u));
}

bool StreamCoding::parse(std::uint8_t byte, StreamCoding& out) {
  if ((byte & 7u) >= layout_names.size() || (byte & 64u) != 0) return false;
  out = {static_cast<StreamLayout>(byte & 7u), (byte & 8u) != 0, std::size_t{1} << (byte >> 4 & 3u), byte >= 128};
  const bool is_simple = out.layout == StreamLayout::same || out.layout == StreamLayout::coded;
  if (is_simple && (out.delta || out.zstd)) return false;
  if (out.layout == StreamLayout::bits && out.zstd) return false;
  if (out.layout == StreamLayout::coded && out.width != 1) return false;
  return out.width > 1 || (out.layout != StreamLayout::planes && out.layout != StreamLayout::varint);
}

std::string StreamCoding::text() const {
  std::string text = delta ? "delta+" : "";
  text += layout_names[static_cast<std::size_t>(layout)];
  return zstd ? text + "+zstd" : text;
}

// --- Encoding --------------------------------------------------------------------------------------------------------

StreamEncoder& StreamEncoder::judge() {
  if (level_ <= quick_level || is_patient()) return *this;
  if (!judge_) judge_ = std::make_unique<StreamEncoder>(quick_level);
  return *judge_;
}

template <class T>
void StreamEncoder::put(std::span<const T> numbers, std::vector<std::uint8_t>& out, Kind kind) {
  if (numbers.empty()) return;
  T largest = 0;
  bool all_same = true;
  for (const T number : numbers) {
    largest = std::max(largest, number);
    all_same &= number == numbers.front();
  }
  const std::size_t width = std::bit_ceil((static_cast<std::size_t>(std::bit_width(largest | 1u)) + 7) / 8);
  with_unsigned(width, [&]<class Narrow>(Narrow) {
    if (all_same && numbers.size() <= longest_same) {
      out.push_back(StreamCoding{StreamLayout::same, false, width, false}.byte());
      put_fixed(static_cast<Narrow>(largest), out);
      return;
    }
    const auto* data = reinterpret_cast<const std::uint8_t*>(numbers.data());
    if constexpr (sizeof(Narrow) < sizeof(T)) {
      auto* narrow = reinterpret_cast<Narrow*>(narrow_.room(numbers.size() * width));
      for (std::size_t i = 0; i < numbers.size(); ++i) narrow[i] = static_cast<Narrow>(numbers[i]);
      data = reinterpret_cast<const std::uint8_t*>(narrow);
    }
    put_narrow({data, numbers.size(), width}, kind, out);
  });
}

template void StreamEncoder::put(std::span<const std::uint8_t>, std::vector<std::uint8_t>&, Kind);
template void StreamEncoder::put(std::span<const std::uint16_t>, std::vector<std::uint8_t>&, Kind);
template void StreamEncoder::put(std::span<const std::uint32_t>, std::vector<std::uint8_t>&, Kind);
template void StreamEncoder::put(std::span<const std::uint64_t>, std::vector<std::uint8_t>&, Kind);

/// Appends the stream. Short ones are kept for a while: they are put again and again while the ways to lay out a
/// pattern or values are compared, of which many have streams in common.
void StreamEncoder::put_narrow(Numbers numbers, Kind kind, std::vector<std::uint8_t>& out) {
  const std::span<const std::uint8_t> bytes(numbers.data, numbers.count * numbers.width);
  if (bytes.size() > most_known_bytes) return put_chosen(numbers, kind, out);
  const std::uint64_t hash = layout::checksum64(bytes);
  const auto is_it = [&](const Known& known) {
    return known.hash == hash && known.width == numbers.width && known.kind == kind &&
           std::equal(bytes.begin(), bytes.end(), known.numbers.begin(), known.numbers.end());
  };
  const auto found = std::find_if(known_.begin(), known_.end(), is_it);
  if (found != known_.end()) {
    out.insert(out.end(), found->stream.begin(), found->stream.end());
    return;
  }
  const std::size_t begin = out.size();
  put_chosen(numbers, kind, out);
  Known& known = known_[next_known_++ % known_.size()];
  known = {hash,
           numbers.width,
           kind,
           {bytes.begin(), bytes.end()},
           {out.begin() + static_cast<std::ptrdiff_t>(begin), out.end()}};
}

void StreamEncoder::put_chosen(Numbers numbers, Kind kind, std::vector<std::uint8_t>& out) {
  best_.bytes = {};
  for (const StreamCoding& coding : choose(numbers, kind)) {
    encode_as(coding, numbers, zstd_, trial_);
    if (best_.bytes.empty() || trial_.bytes.size() < best_.bytes.size()) std::swap(best_, trial_);
  }
  out.push_back(best_.coding.byte());
  put_varint(best_.bytes.size(), out);
  out.insert(out.end(), best_.bytes.begin(), best_.bytes.end());
}

void StreamEncoder::put_coded(std::span<const std::uint8_t> bytes, std::vector<std::uint8_t>& out) {
  out.push_back(StreamCoding{StreamLayout::coded, false, 1, false}.byte());
  put_varint(bytes.size(), out);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void StreamEncoder::encode_as(StreamCoding coding, Numbers numbers, ZstdEncoder& zstd, Encoded& out) {
  std::size_t bytes = 0;
  std::uint8_t* laid_out = nullptr;
  if (coding.layout == StreamLayout::varint) {
    laid_out = laid_out_.room(numbers.count * most_varint_bytes(numbers.width));
    bytes = with_unsigned(numbers.width, [&]<class T>(T) {
      return lay_varints(reinterpret_cast<const T*>(numbers.data), numbers.count, coding.delta, laid_out);
    });
  } else {
    const std::size_t room = transform_room(numbers.count, numbers.width);
    laid_out = laid_out_.room(room);
    bytes = apply_transform(transform_of(coding), numbers.data, numbers.count, numbers.width, laid_out,
                            scratch_.room(room));
  }
  out.coding = coding;
  const std::span<const std::uint8_t> plain(laid_out, bytes);
  out.bytes = coding.layout == StreamLayout::bits ? plain.first(0) : shrunk(plain, {}, zstd, out.room);
  out.coding.zstd = !out.bytes.empty();
  if (!out.coding.zstd) out.bytes = out.room.copy_of(plain);
}

/// A frame in `room` without its magic number; empty where that is not smaller than the bytes.
std::span<const std::uint8_t> StreamEncoder::shrunk(std::span<const std::uint8_t> bytes,
                                                    std::span<const std::uint8_t> prefix, ZstdEncoder& zstd,
                                                    Scratch& room) {
  auto frame = zstd.encode(bytes, room, prefix);
  if (usual_ && &zstd == &zstd_)
    if (const auto other = usual_->encode(bytes, usual_room_, prefix); other.size() < frame.size())
      frame = room.copy_of(other);
  if (frame.size() - frame_magic.size() >= bytes.size()) return {};
  return frame.subspan(frame_magic.size());
}

std::size_t StreamEncoder::sample_bytes() const {
  return is_patient() ? patient_sample : level_ <= quick_level ? quick_sample : usual_sample;
}

StreamEncoder::Numbers StreamEncoder::sample_of(Numbers numbers) {
  std::uint8_t* sample = sample_.room(sample_bytes());
  return {sample, copy_sample(numbers.data, numbers.count, numbers.width, sample_bytes(), sample), numbers.width};
}

namespace {

/// The codings of numbers of a kind, in the order in which they are preferred.
std::vector<StreamCoding> codings_of(std::size_t width, StreamEncoder::Kind kind) {
  using enum StreamLayout;
  std::vector<StreamCoding> codings;
  for (const bool delta : {false, true})
    for (const StreamLayout layout : {plain, bits, planes, varint}) {
      const StreamCoding coding = {layout, delta, width, false};
      if (StreamCoding ignored; !StreamCoding::parse(coding.byte(), ignored)) continue;
      if (kind == StreamEncoder::Kind::floating && (delta || layout == bits || layout == varint)) continue;
      codings.push_back(coding);
    }
  return codings;
}

constexpr double impossible = std::numeric_limits<double>::infinity();

/// Bytes that `bits` takes, which only the whole stream tells, since one outlier sets the width. Impossible also where
/// the first numbers show that they are more than `most`: their width is no larger than that of all.
double bytes_in_bits(const StreamCoding& coding, const std::uint8_t* numbers, std::size_t count, double most) {
  const auto bytes_of_first = [&](std::size_t n) {
    const auto bytes = transformed_bytes(transform_of(coding), numbers, n, coding.width);
    return bytes ? static_cast<double>(*bytes) : impossible;
  };
  constexpr std::size_t first_numbers = 1024;
  if (count > first_numbers) {
    const double rounded_up = static_cast<double>(packed_head_bytes(coding.width)) + 1;
    const double scale = static_cast<double>(count) / static_cast<double>(first_numbers);
    if (scale * (bytes_of_first(first_numbers) - rounded_up) > most) return impossible;
  }
  return bytes_of_first(count);
}

}  // namespace

std::vector<StreamCoding> StreamEncoder::choose(Numbers numbers, Kind kind) {
  const bool is_small = numbers.count * numbers.width <= sample_bytes();
  std::vector<StreamCoding> codings = codings_of(numbers.width, kind);
  const auto in_bits = [&](const StreamCoding& coding, double most) {
    return bytes_in_bits(coding, numbers.data, numbers.count, most);
  };
  if (is_small && &judge() == this) {  // estimates would be the streams themselves
    std::erase_if(codings, [&](const StreamCoding& coding) {
      return coding.layout == StreamLayout::bits && in_bits(coding, impossible) == impossible;
    });
    return codings;
  }
  const Numbers sample = is_small ? numbers : sample_of(numbers);
  const double scale = static_cast<double>(numbers.count) / static_cast<double>(sample.count);
  std::vector<double> estimates(codings.size());
  double smallest = impossible;
  for (std::size_t i = 0; i < codings.size(); ++i) {
    if (codings[i].layout == StreamLayout::bits) continue;
    encode_as(codings[i], sample, judge().zstd_, trial_);
    estimates[i] = static_cast<double>(trial_.bytes.size()) * scale;
    smallest = std::min(smallest, estimates[i]);
  }
  for (std::size_t i = 0; i < codings.size(); ++i) {
    if (codings[i].layout != StreamLayout::bits) continue;
    estimates[i] = in_bits(codings[i], smallest * close_enough);
    smallest = std::min(smallest, estimates[i]);
  }
  std::vector<StreamCoding> chosen;
  for (std::size_t i = 0; i < codings.size(); ++i) {
    const bool may_repeat = is_patient() && codings[i].layout == StreamLayout::plain && !codings[i].delta;
    if (estimates[i] <= smallest * close_enough || may_repeat) chosen.push_back(codings[i]);
  }
  return chosen;
}

std::vector<std::uint8_t> StreamEncoder::compress(std::span<const std::uint8_t> bytes,
                                                  std::span<const std::uint8_t> prefix) {
  const auto frame = shrunk(bytes, prefix, zstd_, trial_.room);
  const auto best = frame.empty() ? bytes : frame;
  return {best.begin(), best.end()};
}

// --- Decoding --------------------------------------------------------------------------------------------------------

namespace {

Error wrong(std::string_view name, std::string_view what) {
  return damaged("stream '" + std::string(name) + "': " + std::string(what));
}

/// True if the laid out bytes of a stream may be that many.
bool is_plausible(std::uint64_t bytes, const StreamCoding& coding, std::uint64_t count, std::uint64_t stored) {
  if (bytes / largest_zstd_ratio > stored) return false;
  switch (coding.layout) {
    case StreamLayout::bits: return bytes <= count * coding.width + packed_head_bytes(coding.width);
    case StreamLayout::varint: return bytes >= count && bytes <= count * most_varint_bytes(coding.width);
    default: return bytes == count * coding.width;
  }
}

}  // namespace

void StreamDecoder::note(std::string_view name, const Stored& stored, std::uint64_t count, std::size_t head) {
  if (notes_ == nullptr) return;
  notes_->push_back({std::string(name), "u" + std::to_string(8 * stored.coding.width), stored.coding.text(), count,
                     count * stored.coding.width, stored.bytes.size() + head});
}

Status StreamDecoder::open(std::string_view name, ByteReader& in, std::uint64_t count, std::size_t widest,
                           Stored& stored) {
  const std::size_t before = in.left();
  std::uint8_t first = 0;
  if (!in.byte(first)) return wrong(name, "is missing");
  if (!StreamCoding::parse(first, stored.coding)) return wrong(name, "its coding is none");
  if (stored.coding.width > widest) return wrong(name, "its numbers are wider than they can be");
  if (count > (std::uint64_t{1} << 56)) return wrong(name, "holds more numbers than it can");
  std::uint64_t bytes = stored.coding.width;
  const bool is_same = stored.coding.layout == StreamLayout::same;
  if (is_same && count > longest_same) return wrong(name, "is too long for one number");
  if (!is_same && !in.varint(bytes)) return wrong(name, "its size is missing");
  if (!in.bytes(bytes, stored.bytes)) return wrong(name, "ends early");
  note(name, stored, count, before - in.left() - stored.bytes.size());
  return Ok{};
}

/// The frame whose magic number was left away. Valid until the next call.
std::span<const std::uint8_t> StreamDecoder::frame_of(std::span<const std::uint8_t> stored) {
  const std::size_t size = frame_magic.size() + stored.size();
  std::uint8_t* frame = frame_.room(size);
  std::copy(stored.begin(), stored.end(), std::copy(frame_magic.begin(), frame_magic.end(), frame));
  return {frame, size};
}

/// Makes the laid out bytes of a stream those of `stored`. plain: where they go if they are the numbers themselves, or
/// nullptr.
Status StreamDecoder::inflate(std::string_view name, Stored& stored, std::uint64_t count, void* plain) {
  const auto frame = frame_of(stored.bytes);
  const auto bytes = zstd_content_size(frame);
  if (!bytes) return wrong(name, "is not one zstd frame");
  if (!is_plausible(*bytes, stored.coding, count, stored.bytes.size()))
    return wrong(name, "its zstd frame holds another size than it must");
  auto* to = plain != nullptr ? static_cast<std::uint8_t*>(plain) : inflated_.room(*bytes);
  if (const Status status = decode_zstd(frame, {to, *bytes}); !status.ok()) return wrong(name, status.error().message);
  stored.bytes = {to, *bytes};
  return Ok{};
}

template <class T>
Status StreamDecoder::next(std::string_view name, ByteReader& in, std::uint64_t count, T* out) {
  if (count == 0) return Ok{};
  Stored stored;
  SPRESS_CHECK(open(name, in, count, sizeof(T), stored));
  const StreamCoding coding = stored.coding;
  if (coding.layout == StreamLayout::coded) return wrong(name, "its coding is none that fits here");
  const bool in_place = coding.width == sizeof(T) && coding.layout == StreamLayout::plain;
  if (coding.zstd) SPRESS_CHECK(inflate(name, stored, count, in_place ? out : nullptr));
  if (!coding.zstd && !is_plausible(stored.bytes.size(), coding, count, stored.bytes.size()) &&
      coding.layout != StreamLayout::same)
    return wrong(name, "has another size than its numbers take");
  const bool fits = with_unsigned(coding.width, [&]<class Narrow>(Narrow) {
    if constexpr (sizeof(Narrow) > sizeof(T)) {
      return false;
    } else {
      if (coding.layout == StreamLayout::same) {
        Narrow value;
        std::memcpy(&value, stored.bytes.data(), sizeof value);
        std::fill_n(out, count, static_cast<T>(value));
        return true;
      }
      if (coding.layout == StreamLayout::varint) return take_varints<Narrow>(stored.bytes, count, coding.delta, out);
      if constexpr (std::is_same_v<Narrow, T>) {
        return undo_transform(transform_of(coding), stored.bytes, count, coding.width, out);
      } else {
        auto* numbers = reinterpret_cast<Narrow*>(narrow_.room(count * sizeof(Narrow)));
        if (!undo_transform(transform_of(coding), stored.bytes, count, coding.width, numbers)) return false;
        for (std::uint64_t i = 0; i < count; ++i) out[i] = static_cast<T>(numbers[i]);
        return true;
      }
    }
  });
  return fits ? Status(Ok{}) : Status(wrong(name, "its bytes do not fit its coding"));
}

template Status StreamDecoder::next(std::string_view, ByteReader&, std::uint64_t, std::uint8_t*);
template Status StreamDecoder::next(std::string_view, ByteReader&, std::uint64_t, std::uint16_t*);
template Status StreamDecoder::next(std::string_view, ByteReader&, std::uint64_t, std::uint32_t*);
template Status StreamDecoder::next(std::string_view, ByteReader&, std::uint64_t, std::uint64_t*);

Status StreamDecoder::next_coded(std::string_view name, ByteReader& in, std::uint64_t count,
                                 std::span<const std::uint8_t>& out) {
  Stored stored;
  SPRESS_CHECK(open(name, in, count, 1, stored));
  if (stored.coding.layout != StreamLayout::coded) return wrong(name, "its coding is none that fits here");
  out = stored.bytes;
  return Ok{};
}

Status StreamDecoder::decompress(std::span<const std::uint8_t> stored, std::span<const std::uint8_t> prefix,
                                 std::span<std::uint8_t> out) {
  if (stored.size() == out.size()) {
    std::copy(stored.begin(), stored.end(), out.begin());
    return Ok{};
  }
  const auto frame = frame_of(stored);
  const auto bytes = zstd_content_size(frame);
  if (!bytes) return damaged("is not one zstd frame");
  if (*bytes != out.size()) return damaged("its zstd frame holds another size than it must");
  return decode_zstd(frame, out, prefix);
}

}  // namespace spress::io
