#include "formats/io/matrix_file/pattern/predicted.hpp"

#include <algorithm>
#include <utility>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/pattern/known_rows.hpp"
#include "formats/io/matrix_file/pattern/range_coder.hpp"

namespace spress::io {
namespace {

using layout::damaged;

/// A column that a row may have.
struct Candidate {
  std::uint32_t column;
  std::uint8_t votes;  ///< rows found as columns that have it, up to 3
  std::uint8_t seeds;  ///< 1: the row before, moved on by one, has it; 2: the row named has it
};
constexpr std::uint8_t most_votes = 3;

/// A row has at most so many candidates at a time: a row found that would bring more brings none. And only the first so
/// many columns found bring any.
constexpr std::size_t most_candidates = 1024;
constexpr std::uint64_t most_asked = 32;

/// The candidates of one row, from the largest column down.
class Candidates {
 public:
  void clear() {
    list_.clear();
    next_ = 0;
  }
  [[nodiscard]] bool empty() const { return next_ == list_.size(); }
  [[nodiscard]] const Candidate& top() const { return list_[next_]; }
  void pop() { ++next_; }
  [[nodiscard]] std::size_t size() const { return list_.size() - next_; }

  /// Adds columns, which ascend, each plus `shift`. Those not below `end` are left out.
  void add(std::span<const std::uint32_t> columns, std::uint64_t end, std::uint32_t shift, Candidate as) {
    const auto counts = [&](std::uint32_t column) { return std::uint64_t{column} + shift < end; };
    columns = columns.first(
        static_cast<std::size_t>(std::partition_point(columns.begin(), columns.end(), counts) - columns.begin()));
    if (columns.empty() || size() + columns.size() > most_candidates) return;
    merged_.resize(size() + columns.size());
    Candidate* to = merged_.data();
    const Candidate *at = list_.data() + next_, *const last = list_.data() + list_.size();
    for (std::size_t i = columns.size(); i-- > 0;) {
      const std::uint32_t column = columns[i] + shift;
      while (at != last && at->column > column) *to++ = *at++;
      if (at != last && at->column == column) {
        *to = *at++;
        to->votes = std::min(static_cast<std::uint8_t>(to->votes + as.votes), most_votes);
        to->seeds |= as.seeds;
        ++to;
      } else {
        *to++ = {column, as.votes, as.seeds};
      }
    }
    to = std::copy(at, last, to);
    merged_.resize(static_cast<std::size_t>(to - merged_.data()));
    list_.swap(merged_);
    next_ = 0;
  }

 private:
  std::vector<Candidate> list_, merged_;
  std::size_t next_ = 0;
};

/// The candidates that a row begins with.
void seed(const KnownRows& rows, const BlockShape& shape, Prediction prediction, std::uint64_t named,
          Candidates& candidates) {
  const std::uint64_t r = rows.count(), end = shape.end_of(r);
  candidates.clear();
  if (prediction.shifted && r > 0) candidates.add(rows.row(r - 1), end, 1, {0, 0, 1});
  if (named > 0) candidates.add(rows.row(r - named), end, 0, {0, 0, 2});
}

/// Adds the columns of the row that a column found names.
void ask(const KnownRows& rows, std::uint32_t column, Candidates& candidates) {
  candidates.add(rows.row_named(column), column, 0, {0, 1, 0});
}

/// The state of a row that its flags depend on.
struct FlagContext {
  unsigned last_two = 0, found = 0;

  [[nodiscard]] std::size_t of(const Candidate& candidate) const {
    return ((std::size_t{candidate.seeds} * 4 + candidate.votes) * 4 + last_two) * 4 + std::min(found, 3u);
  }
  void flag(bool is_there) { last_two = (last_two << 1 | static_cast<unsigned>(is_there)) & 3u; }
};

/// All that is learned within a block.
struct Models {
  std::array<BitModel, 256> flags;
  std::array<NumberModel, 2> named;  ///< by whether the row before named one
  std::array<NumberModel, 16> others;
  NumberModel first_other;
  std::array<NumberModel, 8> gaps;

  /// By the number of candidates to begin with, and the others of the row before.
  [[nodiscard]] static std::size_t others_context(std::size_t candidates, std::uint32_t before) {
    const auto bits = [](std::uint64_t n) {
      return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(n)), 3);
    };
    return bits(candidates) * 4 + bits(before);
  }
  [[nodiscard]] static std::size_t gap_context(std::uint32_t before) {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(before)), 7);
  }
};

[[nodiscard]] std::uint8_t byte_of(Prediction prediction) {
  return static_cast<std::uint8_t>((prediction.shifted ? 1u : 0u) | (prediction.neighbours ? 2u : 0u));
}

// --- Encoding --------------------------------------------------------------------------------------------------------

class Encoder {
 public:
  Encoder(const BlockPattern& pattern, Prediction prediction)
      : pattern_(&pattern), prediction_(prediction), rows_(pattern.shape, pattern.columns.data()) {}

  std::vector<std::uint8_t> encode() {
    std::uint64_t at = 0;
    for (const std::uint32_t length : pattern_->lengths) {
      put_row(pattern_->columns.subspan(at, length));
      rows_.add(length);
      at += length;
    }
    return coder_.finish();
  }

 private:
  void put_row(std::span<const std::uint32_t> row) {
    std::uint64_t named = 0;
    if (prediction_.window > 0) {
      named = rows_.likest(row, prediction_.window);
      models_.named[named_before_ ? 1 : 0].put(coder_, static_cast<std::uint32_t>(named));
      named_before_ = named > 0;
    }
    seed(rows_, pattern_->shape, prediction_, named, candidates_);
    const std::size_t seeds = candidates_.size();
    walk(row);
    put_others(seeds);
    for (const auto& [context, flag] : flags_) coder_.put(models_.flags[context], flag);
  }

  /// Sorts the columns of a row into those that are candidates when their turn comes, and the others.
  void walk(std::span<const std::uint32_t> row) {
    flags_.clear();
    others_.clear();
    FlagContext context;
    for (std::size_t i = row.size(); i-- > 0;) {
      while (!candidates_.empty() && candidates_.top().column > row[i]) flag(context, false);
      if (!candidates_.empty() && candidates_.top().column == row[i])
        flag(context, true);
      else
        others_.push_back(row[i]);
      if (prediction_.neighbours && context.found < most_asked) ask(rows_, row[i], candidates_);
      ++context.found;
    }
    while (!candidates_.empty()) flag(context, false);
  }
  void flag(FlagContext& context, bool is_there) {
    flags_.emplace_back(context.of(candidates_.top()), is_there);
    context.flag(is_there);
    candidates_.pop();
  }

  void put_others(std::size_t seeds) {
    const auto count = static_cast<std::uint32_t>(others_.size());
    models_.others[Models::others_context(seeds, others_before_)].put(coder_, count);
    others_before_ = count;
    std::uint32_t gap = 0;
    for (std::size_t i = 0; i < others_.size(); ++i) {
      if (i == 0) {
        models_.first_other.put(coder_, zigzag_difference(rows_.number(), others_[0]));
        continue;
      }
      const std::uint32_t next = others_[i - 1] - others_[i] - 1;
      models_.gaps[Models::gap_context(gap)].put(coder_, next);
      gap = next;
    }
  }

  const BlockPattern* pattern_;
  Prediction prediction_;
  KnownRows rows_;
  Models models_;
  RangeEncoder coder_;
  Candidates candidates_;
  std::vector<std::pair<std::size_t, bool>> flags_;
  std::vector<std::uint32_t> others_;
  std::uint32_t others_before_ = 0;
  bool named_before_ = false;
};

// --- Decoding --------------------------------------------------------------------------------------------------------

class PatternDecoder {
 public:
  PatternDecoder(const BlockShape& shape, Prediction prediction, std::span<const std::uint8_t> coded,
                 std::uint32_t* lengths, std::uint32_t* columns)
      : shape_(&shape),
        prediction_(prediction),
        rows_(shape, columns),
        coder_(coded),
        lengths_(lengths),
        columns_(columns) {}

  /// False if the bytes make no pattern of the shape.
  bool decode() {
    for (std::uint64_t r = 0; r < shape_->rows; ++r)
      if (!take_row()) return false;
    return rows_.entries() == shape_->entries && coder_.ended_well();
  }

 private:
  bool take_row() {
    std::uint64_t named = 0;
    if (prediction_.window > 0) {
      named = models_.named[named_before_ ? 1 : 0].get(coder_);
      if (named > prediction_.window || named > rows_.count()) return false;
      named_before_ = named > 0;
    }
    seed(rows_, *shape_, prediction_, named, candidates_);
    if (!take_others() || !walk()) return false;
    const std::uint64_t left = shape_->entries - rows_.entries();
    if (row_.size() > left) return false;
    std::reverse_copy(row_.begin(), row_.end(), columns_ + rows_.entries());
    lengths_[rows_.count()] = static_cast<std::uint32_t>(row_.size());
    rows_.add(row_.size());
    return !coder_.ran_out();
  }

  bool take_others() {
    const std::uint32_t count = models_.others[Models::others_context(candidates_.size(), others_before_)].get(coder_);
    if (count > shape_->entries - rows_.entries()) return false;
    others_before_ = count;
    others_.clear();
    std::uint32_t gap = 0;
    std::int64_t column = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i == 0) {
        column = static_cast<std::int64_t>(rows_.number()) - unzigzag(models_.first_other.get(coder_));
        if (column >= static_cast<std::int64_t>(shape_->end_of(rows_.count()))) return false;
      } else {
        gap = models_.gaps[Models::gap_context(gap)].get(coder_);
        column -= std::int64_t{gap} + 1;
      }
      if (column < 0 || coder_.ran_out()) return false;
      others_.push_back(static_cast<std::uint32_t>(column));
    }
    return true;
  }

  /// Makes row_ the columns of the row, the largest first.
  bool walk() {
    row_.clear();
    FlagContext context;
    const auto found = [&](std::uint32_t column) {
      row_.push_back(column);
      if (prediction_.neighbours && context.found < most_asked) ask(rows_, column, candidates_);
      ++context.found;
    };
    const auto take_candidates_above = [&](std::int64_t other) {
      while (!candidates_.empty() && std::int64_t{candidates_.top().column} > other) {
        const Candidate candidate = candidates_.top();
        const bool is_there = coder_.get(models_.flags[context.of(candidate)]);
        context.flag(is_there);
        candidates_.pop();
        if (is_there) found(candidate.column);
      }
    };
    for (const std::uint32_t other : others_) {
      take_candidates_above(other);
      if (!candidates_.empty() && candidates_.top().column == other) return false;
      found(other);
    }
    take_candidates_above(-1);
    return true;
  }

  const BlockShape* shape_;
  Prediction prediction_;
  KnownRows rows_;
  Models models_;
  RangeDecoder coder_;
  Candidates candidates_;
  std::vector<std::uint32_t> row_, others_;
  std::uint32_t *lengths_, *columns_;
  std::uint32_t others_before_ = 0;
  bool named_before_ = false;
};

/// No byte of the range coder holds more rows or entries than this.
constexpr std::uint64_t most_for_a_byte = 4096;

}  // namespace

void encode_predicted(const BlockPattern& pattern, Prediction prediction, std::vector<std::uint8_t>& out) {
  out.push_back(byte_of(prediction));
  out.push_back(prediction.window);
  StreamEncoder::put_coded(Encoder(pattern, prediction).encode(), out);
}

Status decode_predicted(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder, std::uint32_t* lengths,
                        std::uint32_t* columns) {
  std::uint8_t byte = 0;
  Prediction prediction;
  if (!in.byte(byte) || byte > 3 || !in.byte(prediction.window))
    return damaged("its pattern is predicted in an unknown way");
  prediction.shifted = (byte & 1u) != 0;
  prediction.neighbours = (byte & 2u) != 0;
  std::span<const std::uint8_t> coded;
  SPRESS_CHECK(decoder.next_coded("columns", in, shape.entries, coded));
  if (shape.rows + shape.entries > most_for_a_byte * coded.size()) return damaged("its pattern ends early");
  if (!PatternDecoder(shape, prediction, coded, lengths, columns).decode())
    return damaged("its predicted pattern is wrong");
  return Ok{};
}

}  // namespace spress::io
