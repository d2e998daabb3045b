#include "formats/io/matrix_file/pattern/gaps.hpp"

#include <algorithm>
#include <numeric>

#include "formats/io/container/container_layout.hpp"

namespace spress::io {
namespace {

using layout::damaged;
using Numbers = std::vector<std::uint32_t>;

/// The layout of a pattern, which the byte in front of it tells.
struct Options {
  Anchor anchor = Anchor::row_before;
  bool apart = false;   ///< first columns have a stream of their own
  bool sparse = false;  ///< only rows with entries are listed, each by its gap to the one before

  [[nodiscard]] std::uint8_t byte() const {
    return static_cast<std::uint8_t>(static_cast<unsigned>(anchor) | (apart ? 4u : 0u) | (sparse ? 8u : 0u));
  }
  [[nodiscard]] static bool parse(std::uint8_t byte, Options& out) {
    out = {static_cast<Anchor>(byte & 3u), (byte & 4u) != 0, (byte & 8u) != 0};
    return byte < 16 && (byte & 3u) < 3;
  }
};

// --- Encoding --------------------------------------------------------------------------------------------------------

/// Each row by its first column (where it is counted down: its last one) and the gaps behind it.
/// first, last: of the rows; at: of their entries.
struct Gaps {
  HostArray<std::uint32_t> firsts, gaps;
};

Gaps gaps_of(const BlockPattern& pattern, Options options, std::uint64_t first, std::uint64_t last, std::uint64_t at) {
  const auto lengths = pattern.lengths.subspan(first, last - first);
  const auto rows = lengths.size() - static_cast<std::size_t>(std::count(lengths.begin(), lengths.end(), 0u));
  const std::size_t apart = options.apart ? rows : 0;
  Gaps out = {HostArray<std::uint32_t>(apart),
              HostArray<std::uint32_t>(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}) - apart)};
  std::uint32_t *next = out.gaps.data(), *first_apart = out.firsts.data();
  std::uint32_t*& next_first = options.apart ? first_apart : next;
  std::uint64_t before = 0;
  for (std::uint64_t r = first; r < last; ++r) {
    const std::uint32_t length = pattern.lengths[r];
    if (length == 0) continue;
    const std::uint32_t* columns = pattern.columns.data() + at;
    at += length;
    const std::uint64_t row = pattern.shape.first_row + r;
    if (options.anchor == Anchor::from_diagonal) {
      *next_first++ = zigzag_difference(row, columns[length - 1]);
      for (std::uint32_t i = length - 1; i > 0; --i) *next++ = columns[i] - columns[i - 1] - 1;
    } else {
      *next_first++ = zigzag_difference(columns[0], options.anchor == Anchor::diagonal ? row : before);
      before = columns[0];
      for (std::uint32_t i = 1; i < length; ++i) *next++ = columns[i] - columns[i - 1] - 1;
    }
  }
  return out;
}

void put_gaps(const Gaps& gaps, StreamEncoder& encoder, std::vector<std::uint8_t>& out) {
  encoder.put(gaps.firsts.span(), out);
  encoder.put(gaps.gaps.span(), out);
}

/// The best options by the rows in the middle with about so many entries; of small patterns by all.
constexpr std::uint64_t entries_to_try = 4 << 10;

Options best_options(const BlockPattern& pattern, StreamEncoder& encoder) {
  const std::uint64_t entries = pattern.columns.size(), rows = pattern.lengths.size();
  const std::uint64_t to_try = entries_to_try * encoder.patience() * encoder.patience();
  std::uint64_t first = 0, at = 0;
  if (entries > to_try)
    while (first < rows && at + pattern.lengths[first] < (entries - to_try) / 2) at += pattern.lengths[first++];
  std::uint64_t last = first, end = at;
  while (last < rows && end - at < to_try) end += pattern.lengths[last++];
  Options best;
  std::size_t least = 0;
  std::vector<std::uint8_t> bytes;
  for (const Anchor anchor : {Anchor::row_before, Anchor::diagonal, Anchor::from_diagonal})
    for (const bool apart : {false, true}) {
      const Options options = {anchor, apart, false};
      bytes.clear();
      put_gaps(gaps_of(pattern, options, first, last, at), encoder.judge(), bytes);
      if (least != 0 && bytes.size() >= least) continue;
      least = bytes.size();
      best = options;
    }
  return best;
}

void put_lengths(const BlockPattern& pattern, bool sparse, StreamEncoder& encoder, std::vector<std::uint8_t>& out) {
  if (!sparse) return encoder.put(pattern.lengths, out);
  Numbers gaps, lengths;
  std::uint32_t empty = 0;
  for (const std::uint32_t length : pattern.lengths) {
    ++empty;
    if (length == 0) continue;
    gaps.push_back(empty - 1);
    lengths.push_back(length - 1);
    empty = 0;
  }
  put_varint(lengths.size(), out);
  encoder.put(std::span<const std::uint32_t>(gaps), out);
  encoder.put(std::span<const std::uint32_t>(lengths), out);
}

}  // namespace

void encode_gaps(const BlockPattern& pattern, StreamEncoder& encoder, std::vector<std::uint8_t>& out) {
  Options options = best_options(pattern, encoder);
  const auto empty = static_cast<std::size_t>(std::count(pattern.lengths.begin(), pattern.lengths.end(), 0u));
  options.sparse = empty > pattern.lengths.size() - pattern.lengths.size() / 4;
  out.push_back(options.byte());
  put_lengths(pattern, options.sparse, encoder, out);
  put_gaps(gaps_of(pattern, options, 0, pattern.lengths.size(), 0), encoder, out);
}

// --- Decoding --------------------------------------------------------------------------------------------------------

namespace {

Status take_sparse_lengths(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder, std::uint32_t* lengths) {
  std::uint64_t listed = 0;
  if (!in.varint(listed) || listed > std::min(shape.rows, shape.entries))
    return damaged("lists more rows than there are");
  Numbers gaps(listed), found(listed);
  SPRESS_CHECK(decoder.next("row gaps", in, listed, gaps.data()));
  SPRESS_CHECK(decoder.next("row lengths", in, listed, found.data()));
  std::fill_n(lengths, shape.rows, 0u);
  std::uint64_t row = 0;
  for (std::uint64_t i = 0; i < listed; ++i, ++row) {
    row += gaps[i];
    if (row >= shape.rows || found[i] == 0xFFFFFFFFu) return damaged("lists a row that is not there");
    lengths[row] = found[i] + 1;
  }
  return Ok{};
}

/// Turns the numbers behind the first one of each row into columns, in place. False if a column is out of range.
template <Anchor anchor>
bool sum_up(const BlockShape& shape, const std::uint32_t* lengths, const std::uint32_t* firsts, bool apart,
            const std::uint32_t* gaps, std::uint32_t* columns) {
  std::int64_t before = 0;
  bool good = true;
  for (std::uint64_t r = 0; r < shape.rows && good; ++r) {
    const std::uint64_t length = lengths[r];
    if (length == 0) continue;
    const auto row = static_cast<std::int64_t>(shape.first_row + r);
    const auto end = static_cast<std::int64_t>(shape.end_of(r));
    const std::int64_t first = unzigzag(apart ? *firsts++ : *gaps++);
    std::uint64_t at = 0;  // sums of 2^31 gaps of 32 bits stay below 2^63: rows are no longer than cols
    if constexpr (anchor == Anchor::from_diagonal) {
      std::int64_t column = row - first;
      good &= column >= 0 && column < end;
      for (at = length; at-- > 0;) {
        columns[at] = static_cast<std::uint32_t>(column);
        if (at != 0) column -= std::int64_t{*gaps++} + 1;
      }
      good &= column >= 0;
    } else {
      std::int64_t column = first + (anchor == Anchor::diagonal ? row : before);
      good &= column >= 0;
      before = column;
      columns[0] = static_cast<std::uint32_t>(column);
      for (at = 1; at < length; ++at) {
        column += std::int64_t{*gaps++} + 1;
        columns[at] = static_cast<std::uint32_t>(column);
      }
      good &= column < end;
    }
    columns += length;
  }
  return good;
}

}  // namespace

Status decode_gaps(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder, std::uint32_t* lengths,
                   std::uint32_t* columns) {
  std::uint8_t byte = 0;
  Options options;
  if (!in.byte(byte) || !Options::parse(byte, options)) return damaged("its pattern is laid out in an unknown way");
  if (options.sparse)
    SPRESS_CHECK(take_sparse_lengths(shape, in, decoder, lengths));
  else
    SPRESS_CHECK(decoder.next("row lengths", in, shape.rows, lengths));
  std::uint64_t entries = 0, listed = 0;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    if (lengths[r] > shape.end_of(r)) return damaged("a row is longer than it can be");
    entries += lengths[r];
    listed += lengths[r] != 0 ? 1 : 0;
  }
  if (entries != shape.entries) return damaged("its rows hold another number of entries than it says");
  Numbers firsts(options.apart ? listed : 0);
  SPRESS_CHECK(decoder.next("first columns", in, firsts.size(), firsts.data()));
  auto* gaps = decoder.room<std::uint32_t>(entries + 1);
  SPRESS_CHECK(decoder.next("column gaps", in, entries - firsts.size(), gaps));
  const auto sum = [&](auto anchor) {
    return sum_up<anchor()>(shape, lengths, firsts.data(), options.apart, gaps, columns);
  };
  bool good = false;
  switch (options.anchor) {
    case Anchor::row_before: good = sum(std::integral_constant<Anchor, Anchor::row_before>{}); break;
    case Anchor::diagonal: good = sum(std::integral_constant<Anchor, Anchor::diagonal>{}); break;
    case Anchor::from_diagonal: good = sum(std::integral_constant<Anchor, Anchor::from_diagonal>{}); break;
  }
  return good ? Status(Ok{}) : Status(damaged("a column is out of range"));
}

}  // namespace spress::io
