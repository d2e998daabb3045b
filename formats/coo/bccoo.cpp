#include "formats/coo/bccoo.hpp"

#include <algorithm>
#include <vector>

namespace spress {
namespace {

using namespace bccoo;

/// What one chunk holds.
struct ChunkFacts {
  std::uint64_t value_bytes = 0;
  unsigned codes = 0;  // one more than the largest index into the table
  std::uint32_t first_col = 0, last_col = 0;
  bool open = false;  // its last tuple is an entry: that row may go on in the next chunk
};

/// Walks one chunk with every step checked.
class ChunkCheck {
 public:
  ChunkCheck(const Bccoo<Viewed>& a, std::uint64_t h)
      : a_(a),
        at_(a.data.data() + a.offset.position(h)),
        end_(a.data.data() + a.offset.position(h + 1)),
        row_(a.row[h]),
        width_(size_of(a.value_type)) {}

  /// Requires: offsets within data. `entries`: how many the chunk must hold; `last_row`: the row it must end in.
  bool walk(std::uint64_t entries, std::uint64_t last_row) {
    if (at_ == end_ || (*at_ & step_mask) == end_of_row) return false;
    while (at_ < end_) {
      const unsigned key = *at_++;
      const bool good = (key & step_mask) == end_of_row ? end_row() : column(key) && value(key);
      if (!good) return false;
    }
    return entries_ == entries && row_ == last_row;
  }
  [[nodiscard]] const ChunkFacts& facts() const { return facts_; }

 private:
  [[nodiscard]] bool left(std::size_t bytes) const { return static_cast<std::size_t>(end_ - at_) >= bytes; }
  bool end_row() {
    facts_.open = false;
    return row_++ < a_.rows;
  }
  bool column(unsigned key) {
    const unsigned step = key & step_mask;
    const std::size_t bytes = step == column_follows ? 4 : step == step_follows ? 2 : 0;
    if (!left(bytes) || row_ >= a_.rows) return false;
    const std::uint64_t before = col_;
    if (step == column_follows)
      col_ = load_unaligned<std::uint32_t>(at_);
    else
      col_ += step == step_follows ? load_unaligned<std::uint16_t>(at_) : step;
    at_ += bytes;
    if (col_ >= a_.cols || (facts_.open && col_ <= before)) return false;
    if (entries_++ == 0) facts_.first_col = static_cast<std::uint32_t>(col_);
    facts_.last_col = static_cast<std::uint32_t>(col_);
    facts_.open = true;
    return true;
  }
  bool value(unsigned key) {
    const bool in_table = (key & by_table) != 0;
    const std::size_t bytes = in_table ? 1 : width_;
    if (!left(bytes) || (in_table && *at_ >= a_.lut.size())) return false;
    if (in_table) facts_.codes = std::max(facts_.codes, *at_ + 1u);
    facts_.value_bytes += bytes;
    at_ += bytes;
    return true;
  }

  const Bccoo<Viewed>& a_;
  const std::uint8_t *at_, *end_;
  std::uint64_t row_, col_ = 0, entries_ = 0;
  std::size_t width_;
  ChunkFacts facts_;
};

/// The facts of all chunks. Errors: damaged, naming the first chunk that does not hold what it should.
Result<std::vector<ChunkFacts>> check_chunks(const Bccoo<Viewed>& a, std::uint64_t chunks) {
  std::vector<ChunkFacts> facts(chunks);
  std::uint64_t bad = chunks;
#pragma omp parallel for schedule(static) reduction(min : bad) if (chunks > few_chunks)
  for (std::uint64_t h = 0; h < chunks; ++h) {
    ChunkCheck chunk(a, h);
    const bool last = h + 1 == chunks;
    const bool good = chunk.walk(last ? a.nnz - h * a.chunk : a.chunk, last ? a.rows : a.row[h + 1]);
    facts[h] = chunk.facts();
    if (!good) bad = std::min(bad, h);
  }
  if (bad == chunks) return facts;
  return checks::damaged("data: the tuples of chunk " + std::to_string(bad) +
                         " leave the matrix, the table or the chunk, or do not ascend");
}

}  // namespace

Status validate(const Bccoo<Viewed>& a) {
  SPRESS_CHECK(checks::sides(a.rows, a.cols));
  SPRESS_CHECK(checks::chunk_length(a.chunk));
  const std::uint64_t chunks = chunk_count(a.nnz, a.chunk);
  SPRESS_CHECK(checks::length("row", a.row.size(), chunks));
  SPRESS_CHECK(checks::monotone("offset", a.offset, chunks + 1, a.data.size()));
  SPRESS_CHECK(checks::value_lut(a.lut, a.value_type));
  SPRESS_TRY(const auto facts, check_chunks(a, chunks));
  std::uint64_t value_bytes = 0;
  unsigned codes = 0;
  for (std::uint64_t h = 0; h < chunks; ++h) {
    value_bytes += facts[h].value_bytes;
    codes = std::max(codes, facts[h].codes);
    if (h + 1 < chunks && facts[h].open && facts[h + 1].first_col <= facts[h].last_col)
      return checks::damaged("data: the columns do not ascend from chunk " + std::to_string(h) + " to the next");
  }
  SPRESS_CHECK(checks::length("lut", a.lut.size(), codes));
  if (value_bytes == a.data_value_bytes) return Ok{};
  return checks::damaged("data holds " + std::to_string(value_bytes) + " bytes of values, not " +
                         std::to_string(a.data_value_bytes));
}

}  // namespace spress
