#include "formats/io/container/container_block.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/container/sampling.hpp"

namespace spress::io {
namespace {

constexpr std::string_view zstd_name = "zstd";
constexpr std::string_view plain_name = "none";

/// In this order: of two that come out equal, the first, cheaper to undo, is taken.
constexpr std::array<Transform, 6> all_transforms = {{{false, Layout::plain},
                                                      {false, Layout::bits},
                                                      {false, Layout::planes},
                                                      {true, Layout::plain},
                                                      {true, Layout::bits},
                                                      {true, Layout::planes}}};

/// Blocks up to this many bytes are encoded in every way; of larger ones a sample is.
constexpr std::size_t sample_bytes = std::size_t{96} << 10;

/// Estimates this close to the smallest are settled by encoding the whole block.
constexpr double close_enough = 1.2;

bool is_floating(DType type) {
  return type == DType::f32 || type == DType::f64 || type == DType::c64 || type == DType::c128;
}

/// Differences and bit counts say nothing about floating-point numbers.
bool worth_trying(Transform transform, DType type) {
  const bool is_integral = transform.delta || transform.layout == Layout::bits;
  return transform_applies(transform, size_of(type)) && !(is_integral && is_floating(type));
}

}  // namespace

std::string to_string(Coding coding) {
  std::string transform(to_string(coding.transform));
  if (!coding.zstd) return transform;
  return transform == plain_name ? std::string(zstd_name) : transform + "+" + std::string(zstd_name);
}

std::optional<Coding> coding_named(std::string_view name) {
  Coding coding;
  if (name == zstd_name) return Coding{{}, true};
  if (name.ends_with(zstd_name) && name.size() > zstd_name.size() + 1) {
    name.remove_suffix(zstd_name.size());
    if (!name.ends_with('+')) return std::nullopt;
    name.remove_suffix(1);
    if (name == plain_name) return std::nullopt;
    coding.zstd = true;
  }
  const auto transform = transform_named(name);
  if (!transform) return std::nullopt;
  coding.transform = *transform;
  return coding;
}

// --- Encoding --------------------------------------------------------------------------------------------------------

void BlockEncoder::encode_as(Transform transform, Elements elements, Encoded& out) {
  const std::size_t room = transform_room(elements.count, elements.width);
  std::uint8_t* transformed = transformed_.room(room);
  const std::size_t bytes =
      apply_transform(transform, elements.data, elements.count, elements.width, transformed, scratch_.room(room));
  out.bytes = zstd_.encode({transformed, bytes}, out.room);
  out.coding = {transform, out.bytes.size() < bytes};
  if (!out.coding.zstd) out.bytes = out.room.copy_of({transformed, bytes});
}

std::vector<BlockEncoder::Candidate> BlockEncoder::estimate(DType type, Elements elements) {
  const bool is_small = elements.count * elements.width <= sample_bytes;
  const Elements sample = is_small ? elements : sample_of(elements);
  const double scale = static_cast<double>(elements.count) / static_cast<double>(sample.count);
  std::vector<Candidate> candidates;
  for (const Transform transform : all_transforms) {
    if (!worth_trying(transform, type)) continue;
    const auto exact = transformed_bytes(transform, elements.data, elements.count, elements.width);
    if (!exact) continue;
    if (is_small) {
      candidates.push_back({transform, 0});
    } else if (transform.layout == Layout::bits) {  // one outlier sets the width: only the whole block tells
      candidates.push_back({transform, static_cast<double>(*exact)});
    } else {
      encode_as(transform, sample, trial_);
      candidates.push_back({transform, static_cast<double>(trial_.bytes.size()) * scale});
    }
  }
  return candidates;
}

BlockEncoder::Elements BlockEncoder::sample_of(Elements elements) {
  std::uint8_t* sample = sample_.room(sample_bytes);
  return {sample, copy_sample(elements.data, elements.count, elements.width, sample_bytes, sample), elements.width};
}

std::vector<Transform> BlockEncoder::choose(DType type, Elements elements) {
  const auto candidates = estimate(type, elements);
  double smallest = candidates.front().bytes;
  for (const Candidate& candidate : candidates) smallest = std::min(smallest, candidate.bytes);
  std::vector<Transform> chosen;
  for (const Candidate& candidate : candidates)
    if (candidate.bytes <= smallest * close_enough) chosen.push_back(candidate.transform);
  return chosen;
}

EncodedBlock BlockEncoder::encode(DType type, const std::uint8_t* data, std::size_t count) {
  const Elements elements = {data, count, size_of(type)};
  best_.bytes = {};
  for (const Transform transform : choose(type, elements)) {
    encode_as(transform, elements, trial_);
    if (best_.bytes.empty() || trial_.bytes.size() < best_.bytes.size()) std::swap(best_, trial_);
  }
  EncodedBlock block;
  block.stored.assign(best_.bytes.begin(), best_.bytes.end());
  block.record.stored_bytes = block.stored.size();
  block.record.bytes = count * elements.width;
  block.record.checksum = layout::checksum64(block.stored);
  block.record.transform = to_string(best_.coding);
  return block;
}

// --- Decoding --------------------------------------------------------------------------------------------------------

namespace {

/// True if the transformed bytes of a block may be that many.
bool is_plausible(std::uint64_t bytes, const BlockRecord& record, Transform transform, std::size_t width) {
  if (bytes / largest_zstd_ratio > record.stored_bytes) return false;
  if (transform.layout != Layout::bits) return bytes == record.bytes;
  return bytes <= record.bytes + packed_head_bytes(width);
}

}  // namespace

Result<std::span<const std::uint8_t>> BlockDecoder::decompress(std::span<const std::uint8_t> stored,
                                                               const BlockRecord& record, std::size_t width,
                                                               Transform transform, void* elements) {
  const auto bytes = zstd_content_size(stored);
  if (!bytes) return layout::damaged("is not one zstd frame");
  if (!is_plausible(*bytes, record, transform, width))
    return layout::damaged("its zstd frame holds another size than the descriptor says");
  auto* to = transform.layout == Layout::plain ? static_cast<std::uint8_t*>(elements) : scratch_.room(*bytes);
  SPRESS_CHECK(decode_zstd(stored, {to, *bytes}));
  return std::span<const std::uint8_t>(to, *bytes);
}

Status BlockDecoder::decode(const BlockRecord& record, std::size_t width, std::span<const std::uint8_t> stored,
                            void* elements) {
  if (layout::checksum64(stored) != record.checksum) return layout::damaged("its checksum does not match");
  const auto coding = coding_named(record.transform);
  if (!coding) return layout::unsupported("unknown transform '" + record.transform + "'");
  auto transformed = stored;
  if (coding->zstd) {
    SPRESS_TRY(transformed, decompress(stored, record, width, coding->transform, elements));
  }
  if (!undo_transform(coding->transform, transformed, record.bytes / width, width, elements))
    return layout::damaged("its bytes do not fit transform '" + record.transform + "'");
  return Ok{};
}

}  // namespace spress::io
