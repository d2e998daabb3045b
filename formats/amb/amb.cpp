#include "formats/amb/amb.hpp"

#include <array>
#include <bit>
#include <vector>

#include "formats/core/checks.hpp"

namespace spress {
namespace {

constexpr std::uint32_t lanes = Amb<>::lanes;

std::uint64_t pieces(std::uint64_t whole, std::uint64_t size) { return (whole + size - 1) / size; }

constexpr std::uint32_t first_lanes(std::uint32_t n) { return n == lanes ? ~0u : (1u << n) - 1; }

Status check_parameters(const Amb<Viewed>& a) {
  using F = Amb<Viewed>;
  if (a.block < 1 || a.block > F::largest_block) return checks::damaged("block must be 1 to 10");
  if (a.segment < 1 || (a.base() == ColumnBase::segment && a.segment > F::largest_segment))
    return checks::damaged("segment must be 1 to 65535");
  if (a.sigma < lanes || a.sigma > F::largest_sigma || a.sigma % lanes != 0)
    return checks::damaged("sigma must be a multiple of 32 up to 32768");
  if (a.chunks > a.perm.size()) return checks::damaged("perm is too short for the chunks");
  return Ok{};
}

Status check_lengths(const Amb<Viewed>& a) {
  if (!a.wide_col.empty() && !(a.block_col.empty() && a.step_col.empty()))
    return checks::damaged("wide_col stands beside block_col or step_col");
  const std::uint64_t slots = a.slots();
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, slots * a.block));
  SPRESS_CHECK(checks::monotone("chunk_start", a.chunk_start, a.chunks + 1, slots));
  SPRESS_CHECK(checks::length("chunk_length", a.chunk_length.size(), a.chunks));
  SPRESS_CHECK(checks::length("window", a.window.size(), a.chunks));
  SPRESS_CHECK(checks::length("perm", a.perm.size(), lanes * a.chunks));
  if (a.base() == ColumnBase::step) SPRESS_CHECK(checks::length("step_col", a.step_col.size(), slots / lanes));
  if (a.blocks > slots || a.nnz > a.blocks * a.block)
    return checks::damaged("the blocks cannot hold " + std::to_string(a.nnz) + " entries");
  const bool full = a.nnz == a.blocks * a.block;
  return checks::length("present", a.present.size(), full ? 0 : slots / lanes * a.block);
}

/// Goes through the chunks in order and notes what the next one is checked against.
class ChunkChecker {
 public:
  explicit ChunkChecker(const Amb<Viewed>& a) : a_(a), seen_(a.sigma, 0) {}

  Status check(std::uint64_t c) {
    if (const char* complaint = place(c); complaint != nullptr) return broken(c, complaint);
    std::uint32_t rows = 0;
    if (const char* complaint = permutation(c, rows); complaint != nullptr) return broken(c, complaint);
    used_lanes += rows;
    if (const char* complaint = slots(c, rows); complaint != nullptr) return broken(c, complaint);
    return Ok{};
  }

  std::uint64_t nnz = 0, blocks = 0, used_lanes = 0;

 private:
  static Status broken(std::uint64_t c, const char* complaint) {
    return checks::damaged("chunk " + std::to_string(c) + " " + complaint);
  }

  const char* place(std::uint64_t c) {
    const std::uint64_t segment = a_.chunk_length[c] >> 16, steps = a_.steps(c);
    if (segment * a_.segment >= a_.cols) return "is of a segment outside the matrix";
    if (a_.first_row(c) >= a_.rows) return "is of a window outside the matrix";
    if (steps == 0) return "is empty";
    if (a_.chunk_start.position(c + 1) - a_.chunk_start.position(c) != lanes * steps)
      return "has not the length that chunk_start says";
    const std::uint64_t piece = segment << 16 | a_.window[c];
    if (c > 0 && piece < piece_) return "stands before one of an earlier segment or window";
    if (c == 0 || segment != piece_ >> 16) begin_segment(segment);
    if (c == 0 || piece != piece_) ++stamp_;
    piece_ = piece;
    return nullptr;
  }

  /// Segments of other bases have no fixed borders: each begins behind the columns of the one before.
  void begin_segment(std::uint64_t segment) {
    const bool fixed = a_.base() == ColumnBase::segment;
    first_col_ = fixed ? segment * a_.segment : behind_;
    last_col_ = fixed ? std::min(a_.cols, first_col_ + a_.segment) : a_.cols;
  }

  /// Rows in the first lanes, each once in its segment; `rows`: how many.
  const char* permutation(std::uint64_t c, std::uint32_t& rows) {
    const std::uint64_t height = std::min<std::uint64_t>(a_.sigma, a_.rows - a_.first_row(c));
    for (std::uint32_t j = 0; j < lanes; ++j) {
      const std::uint16_t row = a_.perm[lanes * c + j];
      if (row == Amb<>::no_row) continue;
      if (row >= height) return "has a row outside its window";
      if (rows != j) return "has a row behind a lane without one";
      if (seen_[row] == stamp_) return "repeats a row of its segment";
      seen_[row] = stamp_;
      ++rows;
    }
    return nullptr;
  }

  /// Blocks lie inside the segment and hold ascending columns. Lanes run out from the last to the first, but pause
  /// anywhere if each step has a base.
  const char* slots(std::uint64_t c, std::uint32_t rows) {
    std::array<std::int64_t, lanes> last;
    last.fill(-1);
    std::uint32_t may = first_lanes(rows);
    for (std::uint32_t k = 0; k < a_.steps(c); ++k) {
      const std::uint64_t slot = a_.chunk_start.position(c) + std::uint64_t{lanes} * k;
      std::array<std::uint64_t, lanes> cols;
      std::uint32_t used = 0;
      if (!find_blocks(c, slot, cols, used)) return "has a block outside its segment";
      if (used == 0 || (used & ~may) != 0) return "has steps without blocks, or a lane that goes on behind padding";
      if (a_.base() != ColumnBase::step) {
        if ((used & (used + 1)) != 0) return "has a block behind padding";
        may = used;
      }
      blocks += static_cast<std::uint64_t>(std::popcount(used));
      if (!columns_ascend(slot * a_.block, cols, used, last))
        return "has an empty block, columns that do not ascend, or a value beside the entries of a block";
    }
    return nullptr;
  }

  /// The first columns of the blocks of a step, and which lanes have one. False if one lies outside the segment.
  bool find_blocks(std::uint64_t c, std::uint64_t slot, std::array<std::uint64_t, lanes>& cols, std::uint32_t& used) {
    for (std::uint32_t j = 0; j < lanes; ++j) {
      cols[j] = a_.column(c, slot + j);
      if (cols[j] == Amb<>::no_column) continue;
      used |= 1u << j;
      if (cols[j] < first_col_ || cols[j] + a_.block > last_col_) return false;
      behind_ = std::max(behind_, cols[j] + a_.block);
    }
    return true;
  }

  bool columns_ascend(std::uint64_t first, const std::array<std::uint64_t, lanes>& cols, std::uint32_t used,
                      std::array<std::int64_t, lanes>& last) {
    std::uint32_t filled = 0;
    for (std::uint32_t t = 0; t < a_.block; ++t) {
      const std::uint32_t present = a_.present_at(first + std::uint64_t{lanes} * t, used);
      if ((present & ~used) != 0) return false;
      for (std::uint32_t bits = present; bits != 0; bits &= bits - 1) {
        const auto j = static_cast<std::size_t>(std::countr_zero(bits));
        const auto col = static_cast<std::int64_t>(cols[j] + t);
        if (col <= last[j]) return false;
        last[j] = col;
      }
      if (!hold_nothing(first + std::uint64_t{lanes} * t, used & ~present)) return false;
      filled |= present;
      nnz += static_cast<std::uint64_t>(std::popcount(present));
    }
    return filled == used;  // no block without entries
  }

  bool hold_nothing(std::uint64_t first, std::uint32_t empty) const {
    for (; empty != 0; empty &= empty - 1)
      if (!checks::holds_nothing(a_.values, first + static_cast<std::uint64_t>(std::countr_zero(empty)))) return false;
    return true;
  }

  const Amb<Viewed>& a_;
  std::vector<std::uint64_t> seen_;  // by row of the window: the stamp of the piece that had it last
  std::uint64_t stamp_ = 0, piece_ = 0;
  std::uint64_t first_col_ = 0, last_col_ = 0;  // of the segment; last_col_: behind its last column
  std::uint64_t behind_ = 0;                    // the columns of all blocks so far
};

}  // namespace

Status validate(const Amb<Viewed>& a) {
  SPRESS_CHECK(check_parameters(a));
  SPRESS_CHECK(check_lengths(a));
  if (pieces(a.cols, a.segment) > 65536 || pieces(a.rows, a.sigma) > 65536)
    return checks::damaged("more than 65536 segments or windows");
  ChunkChecker checker(a);
  for (std::uint64_t c = 0; c < a.chunks; ++c) SPRESS_CHECK(checker.check(c));
  SPRESS_CHECK(checks::length("the chunks together", checker.nnz, a.nnz));
  if (checker.blocks == a.blocks && checker.used_lanes == a.used_lanes) return Ok{};
  return checks::damaged("blocks or used_lanes are not what the chunks hold");
}

}  // namespace spress
