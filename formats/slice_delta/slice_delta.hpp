#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

/// The steps of a turn are told apart by loops that the device unrolls: an index would take the turn out of registers.
#ifdef __CUDA_ARCH__
#define SPRESS_UNROLL _Pragma("unroll")
#else
#define SPRESS_UNROLL
#endif

namespace spress {

/// Slices of 32 rows, of which what all rows do alike is told once. A slice is a list of steps; in each step some or
/// all of its rows (lanes) take their next entry. A step says by how much the columns of all lanes grow, its `base`,
/// and how many bits, its `width`, each entry has for what its own column grows beyond that, its residual: so rows
/// that are shifted copies of one another take no bits at all. Lanes that take no entry are left out by the step's
/// mask; their columns grow by the base like all others, which keeps the rows of a grid in step at its borders. No
/// values are stored for them. Slices with the same list of steps share one description.
///
/// Before the first step the column of lane j is first_column(row(j)) = row(j) - row(j) % block, where row(j) is the
/// row of the matrix that stands in the lane: rows of one node of a matrix with `block` unknowns a node begin alike.
/// All arithmetic on columns is modulo 2^32. Rows much longer than those around them leave their lane empty and are cut
/// into pieces instead, whose steps are 32 consecutive entries of the one row: there the base moves the column of lane
/// 0, first_column of that row before the first step, and lane j's is that + j + its residual.
///
/// Items: the slices, in order, then the pieces of long rows, by row and column. Of item i:
///   words[first_word[i] - 1]  its head: steps in bits 0 to 15, bit 16 set where bases are wide, bit 17 where any step
///                             has a mask, bit 18 where any has a width;
///   words[first_word[i]...]   a word for each step: width in bits 0 to 5, bit 6 set where it has a mask, base in bits
///                             7 to 31 (signed); then, where bases are wide, from the next multiple of four words on, a
///                             word for each step with its base; then, again from a multiple of four on, four words for
///                             each turn (steps 4t to 4t + 3) of which any step has a mask: the masks of its steps, all
///                             bits set for those without, none for steps behind the last;
///   residuals[residual_start[i]...]  turn by turn, packed from the lowest bit of a word on: of a full turn, four steps
///                             without masks, the residuals of each lane, its four one after the other; of the others,
///                             step by step, each from a new word on, the residuals of its entries by lane;
///   values[value_start[i]...] of each step in turn, its entries in the order of their lanes; but where lane_steps is
///                             4, steps 4t to 4t + 3 of which none has a mask stand lane by lane, four values of each.
/// first_word[i] is a multiple of 4, and so is the number of words, so that four steps or masks are one load.
template <class Storage = Owned>
struct SliceDelta {
  static constexpr std::string_view name = "slice-delta";
  static constexpr std::string_view summary = "slices of 32 rows, columns as steps shared by all rows plus a few bits";

  static constexpr std::uint32_t largest_sigma = 65536, largest_block = 64;

  struct Params {
    AutoNumber sigma;                 // auto: sorts only where lanes would idle
    AutoNumber block = std::nullopt;  // auto: more than 1 only where that takes fewer bytes
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("sigma", sigma, "rows of a sorting window, 1 to 65536; 1 keeps the order; auto sorts where it pays");
      visit.option("block", block, "rows of a node, 1 to 64, which begin at the same column; auto finds what pays");
    }
  };

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t sigma = 1;
  std::uint64_t block = 1;                   // rows that begin at the same column
  std::uint64_t lane_steps = 1;              // 4 where codes have one byte
  Array<Storage, std::uint32_t> first_word;  // items
  Positions<Storage> value_start;            // items + 1, ending at nnz
  Positions<Storage> residual_start;         // items + 1, ending at the number of residual words
  Array<Storage, std::uint32_t> words;       // descriptions, each once
  Array<Storage, std::uint32_t> residuals;   // words of packed bits
  Array<Storage, std::uint32_t> long_row;    // pieces: the row of each
  Array<Storage, std::uint16_t> row_perm;    // rows, or empty: stored row i is row i - i % sigma + row_perm[i]
  ValueStore<Storage> values;                // nnz

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("sigma", self.sigma...);
    visit.scalar("block", self.block...);
    visit.scalar("lane_steps", self.lane_steps...);
    visit.array({"first_word", Role::pointer}, self.first_word...);
    visit.array({"value_start", Role::pointer}, self.value_start...);
    visit.array({"residual_start", Role::pointer}, self.residual_start...);
    visit.array({"words", Role::metadata}, self.words...);
    visit.array({"residuals", Role::index}, self.residuals...);
    visit.array({"long_row", Role::index}, self.long_row...);
    visit.array({"row_perm", Role::permutation}, self.row_perm...);
    visit.store(self.values...);
  }
};

// --- Items --------------------------------------------------------------------------------------------------------

inline constexpr std::uint32_t slice_rows = 32;
inline constexpr std::uint32_t most_slice_steps = 1024;  ///< of a slice; longer rows are cut into pieces
inline constexpr std::uint32_t most_piece_steps = 64;    ///< of a piece, but for the last all with 32 entries

template <class Storage>
[[nodiscard]] std::uint64_t slices_of(const SliceDelta<Storage>& f) {
  return (f.rows + slice_rows - 1) / slice_rows;
}
template <class Storage>
[[nodiscard]] std::uint64_t items_of(const SliceDelta<Storage>& f) {
  return slices_of(f) + f.long_row.size();
}
/// The row in stored row i < rows.
template <class Storage>
[[nodiscard]] std::uint32_t row_at(const SliceDelta<Storage>& f, std::uint64_t i) {
  return static_cast<std::uint32_t>(f.row_perm.empty() ? i : i - i % f.sigma + f.row_perm[i]);
}
/// The column before the first step of lanes with that row; in pieces of lane 0.
SPRESS_HD constexpr std::uint32_t first_column(std::uint32_t row, std::uint32_t block) { return row - row % block; }
template <class Storage>
[[nodiscard]] std::uint32_t first_column(const SliceDelta<Storage>& f, std::uint32_t row) {
  return first_column(row, static_cast<std::uint32_t>(f.block));
}
namespace slice_words {

inline constexpr std::uint32_t wide_bases = 1u << 16;
inline constexpr std::uint32_t any_mask = 1u << 17, any_width = 1u << 18;
inline constexpr std::uint32_t has_mask = 1u << 6;
inline constexpr std::int64_t smallest_base = -(1 << 24), largest_base = (1 << 24) - 1;  // of those that are not wide

SPRESS_HD constexpr std::uint32_t steps(std::uint32_t head) { return head & 0xFFFFu; }
SPRESS_HD constexpr bool is_wide(std::uint32_t head) { return (head & wide_bases) != 0; }
/// Words of the steps before the wide bases, and of both before the masks.
SPRESS_HD constexpr std::uint32_t words_to_bases(std::uint32_t head) { return (steps(head) + 3) / 4 * 4; }
SPRESS_HD constexpr std::uint32_t words_to_masks(std::uint32_t head) {
  return words_to_bases(head) * (is_wide(head) ? 2 : 1);
}
SPRESS_HD constexpr std::uint32_t width(std::uint32_t word) { return word & 63u; }
SPRESS_HD constexpr bool is_masked(std::uint32_t word) { return (word & has_mask) != 0; }
SPRESS_HD constexpr std::uint32_t base(std::uint32_t word) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(word) >> 7);
}
/// Words of `entries` residuals.
SPRESS_HD constexpr std::uint32_t residual_words(std::uint32_t entries, std::uint32_t width) {
  return (entries * width + 31) / 32;
}
/// Lanes in a mask.
[[nodiscard]] SPRESS_HD inline std::uint32_t lanes(std::uint32_t mask) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__popc(mask));
#else
  return static_cast<std::uint32_t>(std::popcount(mask));
#endif
}

}  // namespace slice_words

/// Up to four steps in a row, whose values and residuals stand together. Masks of steps behind the last of them are 0;
/// what else it says of those means nothing.
struct SliceTurn {
  std::uint32_t count;  ///< steps
  bool full;            ///< four without masks
  bool lane_by_lane;    ///< so do the values stand
  bool packed;          ///< any step has residuals
  std::uint32_t base[4], width[4], mask[4];

  [[nodiscard]] SPRESS_HD std::uint32_t entries(std::uint32_t u) const { return slice_words::lanes(mask[u]); }
  /// Of all its steps.
  [[nodiscard]] SPRESS_HD std::uint32_t entries() const { return entries(0) + entries(1) + entries(2) + entries(3); }
  /// Which of the entries of step u lane `lane` has, or would have.
  [[nodiscard]] SPRESS_HD std::uint32_t rank(std::uint32_t u, std::uint32_t lane) const {
    return slice_words::lanes(mask[u] & ((1u << lane) - 1));
  }
  /// Where the value of step u, lane `lane` stands, counted from the turn's first; before: the entries of steps before.
  [[nodiscard]] SPRESS_HD std::uint32_t value(std::uint32_t u, std::uint32_t lane, std::uint32_t before) const {
    return lane_by_lane ? 4 * lane + u : before + rank(u, lane);
  }
  /// Bits of the residuals before those of step u: of a lane where the turn is full, else of all lanes.
  [[nodiscard]] SPRESS_HD std::uint32_t bits_before(std::uint32_t u) const {
    std::uint32_t bits = 0;
    SPRESS_UNROLL
    for (std::uint32_t v = 0; v < u; ++v)
      bits += full ? width[v] : 32 * slice_words::residual_words(entries(v), width[v]);
    return bits;
  }
  /// Words of the residuals.
  [[nodiscard]] SPRESS_HD std::uint32_t residual_words() const {
    return !packed ? 0 : full ? bits_before(4) : bits_before(4) / 32;
  }
  /// The first bit of the residual of step u, which is that of entry `rank` of the step, in lane `lane`.
  [[nodiscard]] SPRESS_HD std::uint32_t residual_bit(std::uint32_t u, std::uint32_t lane, std::uint32_t rank) const {
    return bits_before(u) + (full ? lane * bits_before(4) : rank * width[u]);
  }
};

/// Reads the description of an item turn by turn. steps: its first step's word.
/// Requires: the description is whole, as validate makes sure.
class SliceReader {
 public:
  SPRESS_HD SliceReader(const std::uint32_t* steps, std::uint64_t lane_steps)
      : words_(steps),
        steps_(slice_words::steps(steps[-1])),
        bases_(slice_words::is_wide(steps[-1]) ? steps + slice_words::words_to_bases(steps[-1]) : nullptr),
        masks_(steps + slice_words::words_to_masks(steps[-1])),
        lane_steps_(lane_steps) {}

  /// False behind the last.
  SPRESS_HD bool next(SliceTurn& turn) {
    if (at_ == steps_) return false;
    turn.count = steps_ - at_ < 4 ? steps_ - at_ : 4;
    std::uint32_t any = 0;
    SPRESS_UNROLL
    for (std::uint32_t u = 0; u < 4; ++u) {  // what stands behind the last step is read, but not heeded
      const std::uint32_t word = words_[at_ + u];
      turn.base[u] = slice_words::base(word);
      turn.width[u] = slice_words::width(word);
      turn.mask[u] = u < turn.count ? ~0u : 0;
      any |= u < turn.count ? word : 0;
    }
    if (bases_ != nullptr) {
      SPRESS_UNROLL
      for (std::uint32_t u = 0; u < 4; ++u) turn.base[u] = bases_[at_ + u];
    }
    const bool masked = slice_words::is_masked(any);
    if (masked) {
      SPRESS_UNROLL
      for (std::uint32_t u = 0; u < 4; ++u) turn.mask[u] = masks_[u];
      masks_ += 4;
    }
    turn.packed = slice_words::width(any) != 0;
    turn.full = turn.count == 4 && !masked;
    turn.lane_by_lane = turn.full && lane_steps_ == 4;
    at_ += turn.count;
    return true;
  }

 private:
  const std::uint32_t* words_;
  std::uint32_t steps_, at_ = 0;
  const std::uint32_t* bases_;
  const std::uint32_t* masks_;
  std::uint64_t lane_steps_;
};

/// The `width` bits from bit `bit` of the words on. Requires: 0 < width <= 32.
[[nodiscard]] SPRESS_HD inline std::uint32_t residual_at(const std::uint32_t* words, std::uint32_t bit,
                                                         std::uint32_t width) {
  const std::uint32_t shift = bit % 32;
  std::uint64_t bits = words[bit / 32];
  if (shift + width > 32) bits |= std::uint64_t{words[bit / 32 + 1]} << 32;
  return static_cast<std::uint32_t>(bits >> shift) & static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
}

/// Calls use(lane, column, value position) for each entry of item i, step by step, in each by lane.
template <class Storage, class Use>
void for_each_entry(const SliceDelta<Storage>& f, std::uint64_t i, Use&& use) {
  const bool piece = i >= slices_of(f);
  std::uint32_t columns[slice_rows];
  for (std::uint32_t lane = 0; lane < slice_rows; ++lane) {
    const std::uint64_t stored = i * slice_rows + lane;
    columns[lane] = piece             ? first_column(f, f.long_row[i - slices_of(f)]) + lane
                    : stored < f.rows ? first_column(f, row_at(f, stored))
                                      : 0;
  }
  const std::uint32_t* residuals = f.residuals.data() + f.residual_start.position(i);
  std::uint64_t value = f.value_start.position(i);
  SliceReader reader(f.words.data() + f.first_word[i], f.lane_steps);
  for (SliceTurn turn; reader.next(turn);) {
    const std::uint32_t bits_of_lane = turn.full && turn.packed ? turn.bits_before(4) : 0;
    std::uint32_t before = 0;
    for (std::uint32_t u = 0; u < turn.count; ++u) {
      const std::uint32_t base = turn.base[u], width = turn.width[u], mask = turn.mask[u];
      const std::uint32_t first_bit = width == 0 ? 0 : turn.bits_before(u);
      const std::uint32_t bits_between = turn.full ? bits_of_lane : width;  // of one residual and the next
      std::uint32_t rank = 0;
      for (std::uint32_t lane = 0; lane < slice_rows; ++lane) {
        columns[lane] += base;
        if ((mask >> lane & 1) == 0) continue;
        const std::uint32_t residual = width == 0 ? 0 : residual_at(residuals, first_bit + rank * bits_between, width);
        if (!piece) columns[lane] += residual;
        use(lane, piece ? columns[lane] + residual : columns[lane],
            value + (turn.lane_by_lane ? 4 * lane + u : before + rank));
        ++rank;
      }
      before += rank;
    }
    residuals += turn.residual_words();
    value += before;
  }
}

[[nodiscard]] Status validate(const SliceDelta<Viewed>& a);

}  // namespace spress
