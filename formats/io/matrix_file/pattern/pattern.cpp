#include "formats/io/matrix_file/pattern/pattern.hpp"

#include <algorithm>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/pattern/gaps.hpp"
#include "formats/io/matrix_file/pattern/predicted.hpp"

namespace spress::io {
namespace {

/// The rows from the first one on with about so many entries show which prediction is best.
constexpr std::uint64_t sample_entries = 64 << 10;

BlockPattern begin_of(const BlockPattern& pattern) {
  std::uint64_t rows = 0, entries = 0;
  while (rows < pattern.lengths.size() && entries < sample_entries) entries += pattern.lengths[rows++];
  BlockPattern begin = {pattern.shape, pattern.lengths.first(rows), pattern.columns.first(entries)};
  begin.shape.rows = rows;
  begin.shape.entries = entries;
  return begin;
}

std::vector<std::uint8_t> predicted(const BlockPattern& pattern, Prediction prediction) {
  std::vector<std::uint8_t> bytes = {static_cast<std::uint8_t>(PatternKind::predicted)};
  encode_predicted(pattern, prediction, bytes);
  return bytes;
}

/// Far windows take long to write, and not to read.
Prediction best_prediction(const BlockPattern& pattern, int level) {
  const std::uint8_t window = level < 16 ? 7 : 30;
  const BlockPattern begin = begin_of(pattern);
  Prediction best;
  std::size_t least = 0;
  for (const Prediction each : {Prediction{true, true, 0}, Prediction{false, true, 0}, Prediction{false, false, window},
                                Prediction{false, true, window}}) {
    const std::size_t bytes = predicted(begin, each).size();
    if (least != 0 && bytes >= least) continue;
    least = bytes;
    best = each;
  }
  return best;
}

}  // namespace

void encode_pattern(const BlockPattern& pattern, std::size_t other_bytes, StreamEncoder& encoder,
                    std::vector<std::uint8_t>& out) {
  std::vector<std::uint8_t> gaps = {static_cast<std::uint8_t>(PatternKind::gaps)};
  encode_gaps(pattern, encoder, gaps);
  std::vector<std::uint8_t>* best = &gaps;
  std::vector<std::uint8_t> other;
  const std::size_t wanted = (gaps.size() + other_bytes) / (encoder.level() < 10 ? 10 : 100);
  if (encoder.level() > 2 && gaps.size() > wanted) {
    other = predicted(pattern, best_prediction(pattern, encoder.level()));
    if (other.size() + wanted < gaps.size()) best = &other;
  }
  out.insert(out.end(), best->begin(), best->end());
}

Status decode_pattern(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder, std::uint32_t* lengths,
                      std::uint32_t* columns) {
  std::uint8_t kind = 0;
  if (!in.byte(kind) || kind > static_cast<std::uint8_t>(PatternKind::predicted))
    return layout::damaged("its pattern is of an unknown kind");
  return static_cast<PatternKind>(kind) == PatternKind::gaps ? decode_gaps(shape, in, decoder, lengths, columns)
                                                             : decode_predicted(shape, in, decoder, lengths, columns);
}

}  // namespace spress::io
