#include "formats/io/matrix_file/pattern/pattern.hpp"

#include <algorithm>
#include <optional>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/pattern/gaps.hpp"
#include "formats/io/matrix_file/pattern/predicted.hpp"

namespace spress::io {
namespace {

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

/// The bytes that the predicted pattern has to save, of a block of so many. An entry takes about 0.1 us to read, ten
/// times as long as in gaps. Levels from 10 on accept that for a hundredth. Lower levels accept it for small blocks,
/// and for large ones that become much smaller.
std::size_t wanted_saving(std::size_t block_bytes, std::uint64_t entries, int level) {
  if (level >= 10) return block_bytes / 100;
  constexpr std::uint64_t small = 16 << 10;
  if (entries <= small) return block_bytes / 10;
  return std::max<std::size_t>(block_bytes / 4, entries / 20);
}

std::vector<std::uint8_t> predicted(const BlockPattern& pattern, Prediction prediction) {
  std::vector<std::uint8_t> bytes = {static_cast<std::uint8_t>(PatternKind::predicted)};
  encode_predicted(pattern, prediction, bytes);
  return bytes;
}

/// The best prediction by the first rows; none where gaps are no larger there, less what it shall save of each byte.
/// Far windows take long to write, and not to read.
std::optional<Prediction> best_prediction(const BlockPattern& pattern, double saving, StreamEncoder& encoder) {
  const std::uint8_t window = encoder.is_patient() ? 30 : 7;
  const BlockPattern begin = begin_of(pattern);
  std::vector<std::uint8_t> gaps;
  encode_gaps(begin, encoder, gaps);
  std::optional<Prediction> best;
  auto least = static_cast<std::size_t>(static_cast<double>(gaps.size()) * (1 - saving));
  for (const Prediction each : {Prediction{true, true, 0}, Prediction{false, true, 0}, Prediction{false, false, window},
                                Prediction{false, true, window}}) {
    const std::size_t bytes = predicted(begin, each).size();
    if (bytes >= least) continue;
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
  const std::size_t wanted = wanted_saving(gaps.size() + other_bytes, pattern.shape.entries, encoder.level());
  if (encoder.level() > 2 && gaps.size() > wanted) {
    const double saving = static_cast<double>(wanted) / static_cast<double>(gaps.size());
    if (const auto prediction = best_prediction(pattern, saving / 2, encoder)) other = predicted(pattern, *prediction);
    if (!other.empty() && other.size() + wanted < gaps.size()) best = &other;
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
