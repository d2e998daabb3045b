#include "formats/io/matrix_file/pattern/copied.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/pattern/known_rows.hpp"

namespace spress::io {
namespace {

using layout::damaged;
using Numbers = std::vector<std::uint32_t>;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t flags_of_a_mask = 8;

/// A row has at most so many masks: longer rows are not copied from. It bounds what a reader has to hold.
constexpr std::uint64_t most_masks(std::uint64_t rows, std::uint64_t entries) { return entries + 5 * rows; }
constexpr std::size_t longest_source(std::size_t length) { return flags_of_a_mask * (length + 5) - 1; }

// --- Encoding --------------------------------------------------------------------------------------------------------

/// The streams of a pattern. Each candidate of a row, a column of the row that it is copied from or the diagonal, has a
/// flag. All other columns of the row are its others.
class Streams {
 public:
  Streams(const BlockPattern& pattern, Copying copying) : rows_(pattern.shape, pattern.columns.data()) {
    references_.reserve(pattern.lengths.size());
    others_.reserve(pattern.lengths.size());
    std::uint64_t at = 0;
    for (const std::uint32_t length : pattern.lengths) {
      const auto row = pattern.columns.subspan(at, length);
      if (copying.source == CopySource::neighbour)
        add_by_leader(row);
      else
        add_by_name(row, copying.window);
      rows_.add(length);
      at += length;
    }
  }

  void put(StreamEncoder& encoder, Bytes& out) const {
    encoder.put(std::span(references_), out);
    encoder.put(std::span(others_), out);
    for (const Bytes& masks : masks_) {
      put_varint(masks.size(), out);
      encoder.put(std::span(masks), out);
    }
    encoder.put(std::span(firsts_), out);
    encoder.put(std::span(gaps_), out);
  }

 private:
  using Row = std::span<const std::uint32_t>;

  void add_by_leader(Row row) {
    const std::uint64_t number = rows_.number();
    const auto behind = std::lower_bound(row.begin(), row.end(), number);
    if (behind != row.begin()) {
      const std::uint32_t leader = behind[-1];
      const Row from = rows_.row_named(leader);
      if (from.size() <= longest_source(row.size())) {
        references_.push_back(static_cast<std::uint32_t>(number - leader));
        return put_row(row, from, leader);
      }
    }
    references_.push_back(0);
    put_row(row, {}, std::nullopt);
  }

  void add_by_name(Row row, std::uint64_t window) {
    const std::uint64_t named = rows_.likest(row, window);
    references_.push_back(static_cast<std::uint32_t>(named));
    put_row(row, named != 0 ? rows_.row(rows_.count() - named) : Row(), std::nullopt);
  }

  /// from: the row that this one is copied from.
  void put_row(Row row, Row from, std::optional<std::uint32_t> leader) {
    const std::uint64_t number = rows_.number();
    bool on_diagonal = false;
    found_.clear();
    std::size_t i = 0;
    const auto pass = [&](std::uint64_t end) {
      for (; i < row.size() && row[i] < end; ++i) {
        if (row[i] == number)
          on_diagonal = true;
        else if (row[i] != leader)
          found_.push_back(row[i]);
      }
    };
    for (const std::uint32_t candidate : from) {
      pass(candidate);
      const bool is_there = i < row.size() && row[i] == candidate;
      i += is_there ? 1 : 0;
      put_flag(is_there && candidate != leader);
    }
    pass(std::numeric_limits<std::uint64_t>::max());
    put_flag(on_diagonal);
    end_masks();
    put_others(leader.value_or(number));
  }

  void put_flag(bool flag) {
    mask_ |= (flag ? 1u : 0u) << flags_;
    if (++flags_ == flags_of_a_mask) end_masks();
  }
  void end_masks() {
    if (flags_ == 0) return;
    masks_[flags_ - 1].push_back(static_cast<std::uint8_t>(mask_));
    mask_ = flags_ = 0;
  }

  void put_others(std::uint64_t before) {
    others_.push_back(static_cast<std::uint32_t>(found_.size()));
    if (found_.empty()) return;
    firsts_.push_back(zigzag_difference(before, found_.back()));
    for (std::size_t i = found_.size() - 1; i > 0; --i) gaps_.push_back(found_[i] - found_[i - 1] - 1);
  }

  KnownRows rows_;
  Numbers references_, others_, firsts_, gaps_;
  std::array<Bytes, flags_of_a_mask> masks_;
  Numbers found_;  ///< the others of the row in work
  std::uint32_t mask_ = 0, flags_ = 0;
};

// --- Decoding --------------------------------------------------------------------------------------------------------

/// The masks of so many flags each.
struct Masks {
  HostArray<std::uint8_t> bytes;
  std::size_t at = 0;
};

class CopyDecoder {
 public:
  CopyDecoder(const BlockShape& shape, CopySource source, std::uint32_t* lengths, std::uint32_t* columns)
      : shape_(shape), source_(source), rows_(shape, columns), lengths_(lengths), columns_(columns) {}

  Status decode(ByteReader& in, StreamDecoder& decoder) {
    SPRESS_CHECK(read(in, decoder));
    for (std::uint64_t r = 0; r < shape_.rows; ++r)
      if (!take_row()) return damaged("a row copied from another one is wrong");
    const bool all_used =
        std::all_of(masks_.begin(), masks_.end(), [](const Masks& m) { return m.at == m.bytes.size(); });
    if (rows_.entries() != shape_.entries || !all_used)
      return damaged("its rows hold another number of entries than it says");
    return Ok{};
  }

 private:
  Status read(ByteReader& in, StreamDecoder& decoder) {
    references_ = HostArray<std::uint32_t>(shape_.rows);
    others_ = HostArray<std::uint32_t>(shape_.rows);
    SPRESS_CHECK(decoder.next("row references", in, shape_.rows, references_.data()));
    SPRESS_CHECK(decoder.next("row others", in, shape_.rows, others_.data()));
    std::uint64_t others = 0, listed = 0;
    for (const std::uint32_t count : others_) {
      others += count;
      listed += count != 0 ? 1 : 0;
    }
    if (others > shape_.entries) return damaged("its rows hold another number of entries than it says");
    std::uint64_t left = most_masks(shape_.rows, shape_.entries);
    for (Masks& masks : masks_) {
      std::uint64_t count = 0;
      if (!in.varint(count) || count > left) return damaged("says that it has more masks than it can");
      left -= count;
      masks.bytes = HostArray<std::uint8_t>(count);
      SPRESS_CHECK(decoder.next("column masks", in, count, masks.bytes.data()));
    }
    firsts_ = HostArray<std::uint32_t>(listed);
    SPRESS_CHECK(decoder.next("first columns", in, listed, firsts_.data()));
    gaps_ = HostArray<std::uint32_t>(others - listed);
    return decoder.next("column gaps", in, others - listed, gaps_.data());
  }

  bool take_row() {
    const std::uint64_t r = rows_.count(), number = rows_.number();
    const std::uint64_t reference = references_[r], others = others_[r];
    std::span<const std::uint32_t> from;
    std::optional<std::uint32_t> leader;
    if (source_ == CopySource::named) {
      if (reference > r) return false;
      if (reference != 0) from = rows_.row(r - reference);
    } else if (reference != 0) {
      if (reference > number) return false;
      leader = static_cast<std::uint32_t>(number - reference);
      from = rows_.row_named(*leader);
    }
    if (!copy(from)) return false;
    const std::uint64_t length = copied_ + others + (on_diagonal_ ? 1 : 0) + (leader ? 1 : 0);
    if (length > shape_.entries - rows_.entries() || length > shape_.end_of(r)) return false;
    std::uint32_t* row = columns_ + rows_.entries();
    if (!merge_others(others, static_cast<std::int64_t>(leader ? *leader : number), row)) return false;
    std::uint64_t have = copied_ + others;
    if (leader) insert(*leader, row, have++);
    if (on_diagonal_) insert(static_cast<std::uint32_t>(number), row, have++);
    for (std::uint64_t i = 1; i < length; ++i)
      if (row[i - 1] >= row[i]) return false;
    if (length != 0 && row[length - 1] >= shape_.end_of(r)) return false;
    lengths_[r] = static_cast<std::uint32_t>(length);
    rows_.add(length);
    return true;
  }

  /// Makes copy_ the columns of the row whose flags are set. False where there are too few masks.
  bool copy(std::span<const std::uint32_t> from) {
    if (copy_.size() < from.size() + 1) copy_.resize(2 * from.size() + 1);
    copied_ = 0;
    while (from.size() >= flags_of_a_mask) {
      std::uint32_t mask = 0;
      if (!take_mask(flags_of_a_mask, mask)) return false;
      copy_flagged(from.first<flags_of_a_mask>(), mask);
      from = from.subspan(flags_of_a_mask);
    }
    std::uint32_t mask = 0;
    const auto left = static_cast<std::uint32_t>(from.size());  // and the diagonal
    if (!take_mask(left + 1, mask)) return false;
    copy_flagged(from, mask);
    on_diagonal_ = (mask >> left & 1u) != 0;
    return mask >> left < 2;
  }
  bool take_mask(std::uint32_t flags, std::uint32_t& mask) {
    Masks& masks = masks_[flags - 1];
    if (masks.at == masks.bytes.size()) return false;
    mask = masks.bytes[masks.at++];
    return true;
  }
  /// Each column is written, and the next one over it where its flag is not set: flags cannot be foreseen.
  template <std::size_t size>
  void copy_flagged(std::span<const std::uint32_t, size> from, std::uint32_t mask) {
    std::uint32_t* out = copy_.data();
    std::size_t n = copied_;
    for (std::size_t i = 0; i < from.size(); ++i) {
      out[n] = from[i];
      n += mask >> i & 1u;
    }
    copied_ = n;
  }

  /// Makes `row` the columns copied and so many others. before: what the last one of these is counted from. Others are
  /// no more than columns, each at most 2^32 below the one behind, so their sums stay far above -2^63.
  bool merge_others(std::uint64_t others, std::int64_t before, std::uint32_t* row) {
    const std::uint32_t* copied = copy_.data();
    std::uint64_t i = copied_, to = copied_ + others;
    if (others != 0) {
      std::int64_t other = before - unzigzag(firsts_[first_++]);
      for (;;) {
        while (i != 0 && copied[i - 1] > other) row[--to] = copied[--i];
        row[--to] = static_cast<std::uint32_t>(other);
        if (--others == 0) break;
        other -= std::int64_t{gaps_[gap_++]} + 1;
      }
      if (other < 0) return false;
    }
    std::copy_n(copied, i, row);
    return true;
  }

  /// Puts a column among `have` ones, which ascend.
  static void insert(std::uint32_t column, std::uint32_t* row, std::uint64_t have) {
    for (; have != 0 && row[have - 1] > column; --have) row[have] = row[have - 1];
    row[have] = column;
  }

  const BlockShape& shape_;
  CopySource source_;
  KnownRows rows_;
  HostArray<std::uint32_t> references_, others_, firsts_, gaps_;
  std::array<Masks, flags_of_a_mask> masks_;
  std::size_t first_ = 0, gap_ = 0;
  Numbers copy_;
  std::size_t copied_ = 0;
  bool on_diagonal_ = false;
  std::uint32_t *lengths_, *columns_;
};

}  // namespace

void encode_copied(const BlockPattern& pattern, Copying copying, StreamEncoder& encoder,
                   std::vector<std::uint8_t>& out) {
  out.push_back(static_cast<std::uint8_t>(copying.source));
  Streams(pattern, copying).put(encoder, out);
}

Status decode_copied(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder, std::uint32_t* lengths,
                     std::uint32_t* columns) {
  std::uint8_t source = 0;
  if (!in.byte(source) || source > static_cast<std::uint8_t>(CopySource::named))
    return damaged("its pattern is copied in an unknown way");
  return CopyDecoder(shape, static_cast<CopySource>(source), lengths, columns).decode(in, decoder);
}

}  // namespace spress::io
