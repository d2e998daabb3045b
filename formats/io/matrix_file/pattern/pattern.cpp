#include "formats/io/matrix_file/pattern/pattern.hpp"

#include <algorithm>
#include <optional>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/pattern/copied.hpp"
#include "formats/io/matrix_file/pattern/gaps.hpp"
#include "formats/io/matrix_file/pattern/predicted.hpp"

namespace spress::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// The lowest levels that take their time for a kind: to write it, and, where it is predicted, to read it.
constexpr int copied_level = 3, predicted_level = 10;

/// The rows from the first one on with about so many entries show which prediction is best.
constexpr std::uint64_t sample_entries = 20 << 10;

BlockPattern begin_of(const BlockPattern& pattern) {
  std::uint64_t rows = 0, entries = 0;
  while (rows < pattern.lengths.size() && rows < sample_entries && entries < sample_entries)
    entries += pattern.lengths[rows++];
  BlockPattern begin = {pattern.shape, pattern.lengths.first(rows), pattern.columns.first(entries)};
  begin.shape.rows = rows;
  begin.shape.entries = entries;
  return begin;
}

/// A way to lay out a pattern.
struct Way {
  PatternKind kind = PatternKind::gaps;
  Copying copying = {};
  Prediction prediction = {};
};

/// The ways of a kind. Far windows take long to write, and not to read.
std::vector<Way> ways_of(PatternKind kind, bool is_patient) {
  using enum PatternKind;
  const std::uint8_t window = is_patient ? 30 : 7;
  if (kind == gaps) return {{}};
  if (kind == copied)
    return {{copied, {CopySource::neighbour, 0}}, {copied, {CopySource::named, is_patient ? 30u : 15u}}};
  return {{predicted, {}, {true, true, 0}},
          {predicted, {}, {false, true, 0}},
          {predicted, {}, {false, false, window}},
          {predicted, {}, {false, true, window}}};
}

Bytes encoded(const BlockPattern& pattern, const Way& way, StreamEncoder& encoder) {
  Bytes bytes = {static_cast<std::uint8_t>(way.kind)};
  switch (way.kind) {
    case PatternKind::gaps: encode_gaps(pattern, encoder, bytes); break;
    case PatternKind::copied: encode_copied(pattern, way.copying, encoder, bytes); break;
    case PatternKind::predicted: encode_predicted(pattern, way.prediction, bytes); break;
  }
  return bytes;
}

/// The bytes that a kind has to save to be taken instead of the one before, of a block of so many.
std::size_t wanted_saving(PatternKind kind, std::size_t block_bytes, std::uint64_t entries) {
  return block_bytes / 100 + (kind == PatternKind::copied ? entries / 400 : 0);
}

struct LikelyWay {
  Way way;
  std::size_t bytes = 0;  ///< that it takes for the first rows
};

/// The way of a kind that takes the fewest bytes for the first rows; none that takes `bound` or more.
std::optional<LikelyWay> likely_way(PatternKind kind, const BlockPattern& begin, std::size_t bound,
                                    StreamEncoder& encoder) {
  std::optional<LikelyWay> likely;
  for (const Way& way : ways_of(kind, encoder.is_patient())) {
    const std::size_t bytes = encoded(begin, way, encoder.judge()).size();
    if (bytes < (likely ? likely->bytes : bound)) likely = {way, bytes};
  }
  return likely;
}

}  // namespace

void encode_pattern(const BlockPattern& pattern, std::size_t other_bytes, StreamEncoder& encoder,
                    std::vector<std::uint8_t>& out) {
  Bytes best = encoded(pattern, {}, encoder);
  const BlockPattern begin = begin_of(pattern);
  std::size_t least = encoder.level() < copied_level ? 0 : encoded(begin, {}, encoder.judge()).size();
  for (const auto& [kind, level] :
       {std::pair(PatternKind::copied, copied_level), {PatternKind::predicted, predicted_level}}) {
    const std::size_t wanted = wanted_saving(kind, best.size() + other_bytes, pattern.shape.entries);
    if (encoder.level() < level || best.size() <= wanted) continue;
    const double saving = static_cast<double>(wanted) / static_cast<double>(best.size());
    const auto bound = static_cast<std::size_t>(static_cast<double>(least) * (1 - saving / 2));
    const auto likely = likely_way(kind, begin, bound, encoder);
    if (!likely) continue;
    Bytes other = encoded(pattern, likely->way, encoder);
    if (other.size() + wanted >= best.size()) continue;
    best = std::move(other);
    least = likely->bytes;
  }
  out.insert(out.end(), best.begin(), best.end());
}

Status decode_pattern(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder, std::uint32_t* lengths,
                      std::uint32_t* columns) {
  std::uint8_t kind = 0;
  const bool is_there = in.byte(kind);
  kind &= static_cast<std::uint8_t>(~(values_by_columns | mirrored_by_columns));
  if (!is_there || kind > static_cast<std::uint8_t>(PatternKind::copied))
    return layout::damaged("its pattern is of an unknown kind");
  switch (static_cast<PatternKind>(kind)) {
    case PatternKind::gaps: return decode_gaps(shape, in, decoder, lengths, columns);
    case PatternKind::predicted: return decode_predicted(shape, in, decoder, lengths, columns);
    case PatternKind::copied: break;
  }
  return decode_copied(shape, in, decoder, lengths, columns);
}

}  // namespace spress::io
