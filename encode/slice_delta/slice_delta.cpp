#include "formats/slice_delta/slice_delta.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/length_order.hpp"
#include "encode/shared/stretches.hpp"
#include "encode/slice_delta/slice_steps.hpp"
#include "formats/core/each_index.hpp"

namespace spress {
namespace {

using Params = SliceDelta<Owned>::Params;
using Words = std::vector<std::uint32_t>;

constexpr std::uint64_t piece_entries = std::uint64_t{most_piece_steps} * slice_rows;

// --- Descriptions of items -------------------------------------------------------------------------------------------

/// Head, steps, wide bases, masks.
void describe_steps(const Steps& steps, Words& out) {
  std::int64_t least = 0, most = 0;  // bases
  std::uint32_t widths = 0;
  for (const Step& s : steps.list) {
    least = std::min(least, s.base);
    most = std::max(most, s.base);
    widths |= s.width;
  }
  const bool wide = least < slice_words::smallest_base || most > slice_words::largest_base;
  out.clear();
  out.reserve(8 + 3 * steps.list.size());
  out.resize(1 + steps.list.size());
  out[0] = static_cast<std::uint32_t>(steps.list.size()) | (wide ? slice_words::wide_bases : 0) |
           (steps.masks != 0 ? slice_words::any_mask : 0) | (widths != 0 ? slice_words::any_width : 0);
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    const Step& s = steps.list[k];
    out[1 + k] =
        s.width | (s.mask != ~0u ? slice_words::has_mask : 0) | (wide ? 0 : static_cast<std::uint32_t>(s.base) << 7);
  }
  if (wide) {
    out.resize(1 + slice_words::words_to_bases(out.front()));
    for (const Step& s : steps.list) out.push_back(static_cast<std::uint32_t>(s.base));
  }
  if (steps.masks == 0) return;
  out.resize(1 + slice_words::words_to_masks(out.front()));
  for (std::size_t k = 0; k < steps.list.size(); k += 4) {
    const auto turn = std::span(steps.list).subspan(k, std::min<std::size_t>(4, steps.list.size() - k));
    if (std::all_of(turn.begin(), turn.end(), [](const Step& s) { return s.mask == ~0u; })) continue;
    for (const Step& s : turn) out.push_back(s.mask);
    out.resize((out.size() + 2) / 4 * 4 + 1);
  }
}

// --- Which rows stand where ------------------------------------------------------------------------------------------

/// Entries of the rows of a slice: a row has fewer than 2^32.
using LaneLengths = std::array<std::uint32_t, slice_rows>;

/// The rows of a slice that are cut into pieces, as a mask of lanes, and the steps that the others take at least.
struct LongLanes {
  std::uint32_t mask = 0;
  std::uint64_t steps = 0, longest = 0;  // longest: the entries of any row
};

/// Takes long rows out as long as that saves more steps than their pieces have. lengths: of the lanes.
LongLanes long_lanes(const LaneLengths& lengths) {
  constexpr std::uint64_t piece_cost = 8;  // of beginning and joining a piece, in steps
  LongLanes out;
  std::uint32_t shortest = lengths[0], longest = lengths[0];
  for (const std::uint32_t length : lengths) {
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
  out.steps = out.longest = longest;
  if (longest <= most_slice_steps && longest - shortest <= piece_cost) return out;
  std::uint64_t taken = 0, cheapest = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t mask = 0;
  for (LaneLengths left = lengths; taken < cheapest;) {
    const auto next = std::max_element(left.begin(), left.end());
    if (*next <= most_slice_steps && *next + taken < cheapest) {
      cheapest = *next + taken;
      out = {mask, *next, longest};
    }
    if (*next == 0) break;
    const std::uint64_t length = *next;
    taken += (length + slice_rows - 1) / slice_rows + piece_cost * ((length + piece_entries - 1) / piece_entries);
    mask |= 1u << (next - left.begin());
    *next = 0;
  }
  return out;
}

/// Rows are taken out that are but twice as long as the others.
bool is_mild(const LongLanes& lanes) {
  return lanes.mask != 0 && lanes.longest <= std::min<std::uint64_t>(2 * lanes.steps, most_slice_steps);
}

/// The order of the rows and which of them are long.
struct Arrangement {
  std::uint64_t sigma = 1;
  HostArray<std::uint16_t> perm;        // rows, within windows; empty for the identity
  HostArray<std::uint32_t> long_masks;  // slices
  std::uint64_t steps = 0;              // of all items, at least

  [[nodiscard]] std::uint64_t row(std::uint64_t i) const { return perm.empty() ? i : i - i % sigma + perm[i]; }

  /// Calls use(lane, row) for the rows of slice s, of `count` rows in all.
  template <class Use>
  void for_each_row(std::uint64_t s, std::uint64_t count, const Use& use) const {
    const std::uint64_t first = s * slice_rows, end = std::min(first + slice_rows, count);
    if (perm.empty()) {
      for (std::uint64_t i = first; i < end; ++i) use(static_cast<std::uint32_t>(i - first), i);
      return;
    }
    for (std::uint64_t window = first - first % sigma, i = first; i < end; window += sigma)
      for (const std::uint64_t last = std::min(window + sigma, end); i < last; ++i)
        use(static_cast<std::uint32_t>(i - first), window + perm[i]);
  }
};

/// The lengths of the rows of slice s.
template <class Position>
LaneLengths lengths_of(const Csr<Viewed>& a, const Position* row_ptr, const Arrangement& rows, std::uint64_t s) {
  LaneLengths lengths = {};
  rows.for_each_row(s, a.rows, [&](std::uint32_t j, std::uint64_t row) {
    lengths[j] = static_cast<std::uint32_t>(row_ptr[row + 1] - row_ptr[row]);
  });
  return lengths;
}

/// Long rows are taken out of slices, but for those at most twice as long as the others of theirs where all of them
/// together save little: a matrix without any pieces is done in one go.
template <class Position>
void find_long_rows(const Csr<Viewed>& a, const Position* row_ptr, Arrangement& out) {
  constexpr std::uint64_t little = 100;  // a part of the steps
  const std::uint64_t slices = (a.rows + slice_rows - 1) / slice_rows;
  out.long_masks = HostArray<std::uint32_t>(slices);
  struct Sum {
    std::uint64_t steps = 0, saved = 0;
    void operator+=(const Sum& other) {
      steps += other.steps;
      saved += other.saved;
    }
  };
  const auto [steps, saved] = sum_over<Sum>(slices, thread_count(0), [&](std::uint64_t s) {
    const auto lengths = lengths_of(a, row_ptr, out, s);
    const LongLanes chosen = long_lanes(lengths);
    out.long_masks[s] = chosen.mask;
    std::uint64_t now = chosen.steps;
    for (std::uint32_t left = chosen.mask; left != 0; left &= left - 1)
      now += (std::uint64_t{lengths[static_cast<std::uint32_t>(std::countr_zero(left))]} + slice_rows - 1) / slice_rows;
    return Sum{now, is_mild(chosen) ? chosen.longest - now : 0};
  });
  out.steps = steps;
  if (saved == 0 || saved * little >= steps) return;
  out.steps += saved;
  share_index(slices, thread_count(0), [&](std::uint64_t s) {
    if (out.long_masks[s] == 0) return;
    if (is_mild(long_lanes(lengths_of(a, row_ptr, out, s)))) out.long_masks[s] = 0;
  });
}

Arrangement arranged(const Csr<Viewed>& a, std::uint64_t sigma) {
  Arrangement out;
  out.sigma = sigma;
  if (sigma > 1) out.perm = sorted_windows<std::uint16_t>(a, sigma, [](std::uint64_t, std::uint64_t k) { return k; });
  with_positions(a.row_ptr, [&](const auto* row_ptr) { find_long_rows(a, row_ptr, out); });
  return out;
}

/// Sorts where at least a fifth of the lanes would idle, and sorting makes up for most of that.
Arrangement choose_arrangement(const Csr<Viewed>& a, const Params& params) {
  constexpr std::uint64_t window = 4096;
  if (params.sigma) return arranged(a, *params.sigma);
  Arrangement plain = arranged(a, 1);
  if (plain.steps * slice_rows * 4 <= a.nnz * 5) return plain;
  Arrangement sorted = arranged(a, window);
  return sorted.steps * 5 <= plain.steps * 4 ? std::move(sorted) : std::move(plain);
}

// --- The plan of a matrix --------------------------------------------------------------------------------------------

struct Item {
  std::uint64_t entries = 0, residual_words = 0;
  std::uint32_t first_word = 0;
};

/// The steps of all items.
struct Layout {
  std::uint32_t block = 1;
  std::vector<Item> items;
  Words words;
  std::uint64_t residual_words = 0, steps = 0;

  /// What depends on them.
  [[nodiscard]] std::uint64_t bytes() const {
    return position_bytes(items.size() + 1, residual_words) + 4 * words.size() + 4 * residual_words;
  }
  /// Takes fewer bytes, and hardly more steps or so many fewer bytes that they make up for its steps.
  [[nodiscard]] bool is_better_than(const Layout& other) const {
    const bool hardly_more = 100 * steps <= 101 * other.steps;
    return bytes() < other.bytes() &&
           (hardly_more || bytes() + step_cost * steps < other.bytes() + step_cost * other.steps);
  }
};

struct Plan {
  Arrangement rows;
  std::vector<std::uint32_t> long_row;
  std::vector<std::uint64_t> first_entry;  // pieces: where they begin in the matrix
  Layout layout;

  [[nodiscard]] std::uint64_t slices() const { return rows.long_masks.size(); }
  [[nodiscard]] std::uint64_t items() const { return slices() + long_row.size(); }
};

/// Calls use(lane, row) for the rows of slice s that are not long.
template <class Use>
void for_each_lane(const Csr<Viewed>& a, const Arrangement& rows, std::uint64_t s, const Use& use) {
  const std::uint32_t long_ones = rows.long_masks[s];
  rows.for_each_row(s, a.rows, [&](std::uint32_t j, std::uint64_t row) {
    if ((long_ones >> j & 1) == 0) use(j, row);
  });
}

/// The column of a lane before the first step.
std::uint32_t first_column_of(std::uint64_t row, std::uint32_t block) {
  return block == 1 ? static_cast<std::uint32_t>(row) : first_column(static_cast<std::uint32_t>(row), block);
}

/// The lanes of slice s before the first step, those of long rows empty.
template <class Position>
Lanes lanes_of(const Csr<Viewed>& a, const Position* row_ptr, const Arrangement& rows, std::uint32_t block,
               std::uint64_t s) {
  Lanes out = {};
  for_each_lane(a, rows, s, [&](std::uint32_t j, std::uint64_t row) {
    out.column[j] = first_column_of(row, block);
    out.next[j] = a.col_idx.data() + row_ptr[row];
    out.end[j] = a.col_idx.data() + row_ptr[row + 1];
  });
  return out;
}

void list_pieces(const Csr<Viewed>& a, Plan& plan) {
  for (std::uint64_t s = 0; s < plan.rows.long_masks.size(); ++s)
    for (std::uint32_t left = plan.rows.long_masks[s]; left != 0; left &= left - 1)
      plan.long_row.push_back(static_cast<std::uint32_t>(
          plan.rows.row(s * slice_rows + static_cast<std::uint64_t>(std::countr_zero(left)))));
  std::sort(plan.long_row.begin(), plan.long_row.end());
  std::vector<std::uint32_t> pieces;
  for (const std::uint32_t row : plan.long_row)
    for (std::uint64_t k = 0; k < row_length(a, row); k += piece_entries) {
      pieces.push_back(row);
      plan.first_entry.push_back(a.row_ptr.position(row) + k);
    }
  plan.long_row = std::move(pieces);
}

/// Descriptions of a run of items, one behind the other, as a thread finds them.
struct Found {
  struct Description {
    std::uint32_t size, steps;
    std::uint64_t entries, residual_words, cost;
  };
  Words words;  // head and all
  std::vector<Description> items;

  void add(const Steps& steps, Words& scratch) {
    describe_steps(steps, scratch);
    words.insert(words.end(), scratch.begin(), scratch.end());
    items.push_back({static_cast<std::uint32_t>(scratch.size()), static_cast<std::uint32_t>(steps.list.size()),
                     steps.entries, steps.residual_words, steps.cost()});
  }
};

/// Gives every description its place, the first time that it is met.
class Dictionary {
 public:
  explicit Dictionary(Words& words) : words_(words) {}

  Result<std::uint32_t> place(const std::uint32_t* description, std::uint32_t size) {
    const std::uint64_t key = checksum(description, 4 * std::uint64_t{size});
    const auto [first, last] = known_.equal_range(key);
    for (auto it = first; it != last; ++it)
      if (it->second.size == size &&
          std::memcmp(words_.data() + it->second.first_word - 1, description, 4 * std::uint64_t{size}) == 0)
        return it->second.first_word;
    const std::uint64_t first_word = (words_.size() + 1 + 3) / 4 * 4;
    if (first_word + size > std::numeric_limits<std::uint32_t>::max())
      return Error{ErrorCode::too_large, "slice-delta: descriptions of more than 2^32 words", {}, 0};
    words_.resize(first_word - 1);
    words_.insert(words_.end(), description, description + size);
    known_.emplace(key, Place{static_cast<std::uint32_t>(first_word), size});
    return static_cast<std::uint32_t>(first_word);
  }

 private:
  struct Place {
    std::uint32_t first_word, size;
  };
  Words& words_;
  std::unordered_multimap<std::uint64_t, Place> known_;
};

/// How many items a thread takes at once: many, but so that each of some threads gets some of a matrix or sample of a
/// few hundred.
std::uint64_t items_at_once(std::uint64_t items) { return std::clamp<std::uint64_t>(items / 64, 16, 256); }

/// The items of a run.
struct ItemRange {
  std::uint64_t first = 0, last = 0;
};
ItemRange items_of_run(std::uint64_t run, std::uint64_t items) {
  const std::uint64_t first = run * items_at_once(items);
  return {first, std::min(first + items_at_once(items), items)};
}
std::uint64_t runs_of(std::uint64_t items) { return (items + items_at_once(items) - 1) / items_at_once(items); }

/// The cheapest steps of each item of a run.
template <class Position>
void find_cheapest(const Csr<Viewed>& a, const Position* row_ptr, const Plan& plan, std::uint32_t block, ItemRange run,
                   Found& out) {
  Steps steps, other;
  Words words;
  out.items.reserve(run.last - run.first);
  for (std::uint64_t i = run.first; i < run.last; ++i) {
    if (i < plan.slices()) {
      lay_slice(lanes_of(a, row_ptr, plan.rows, block, i), steps, other);
    } else {
      const std::uint64_t p = i - plan.slices(), begin = plan.first_entry[p];
      const std::uint64_t end = std::min<std::uint64_t>(begin + piece_entries, row_ptr[plan.long_row[p] + 1]);
      lay_piece(first_column(plan.long_row[p], block), a.col_idx.data() + begin, a.col_idx.data() + end, steps);
    }
    out.add(steps, words);
  }
}

bool has_few_residuals(const Found::Description& item) {
  return item.residual_words != 0 && 8 * item.residual_words <= item.cost;
}

/// The same run with steps without residuals in slices that have but few of them, where the others cost not much more.
/// False where there are none such.
template <class Position>
bool find_bare(const Csr<Viewed>& a, const Position* row_ptr, const Plan& plan, std::uint32_t block, ItemRange run,
               Found& in_out) {
  const std::uint64_t patience = (run.last - run.first) / 32;  // slices in vain
  if (std::none_of(in_out.items.begin(), in_out.items.end(), has_few_residuals)) return false;
  Found out;
  Steps steps;
  Words words;
  std::uint64_t found = 0, tried = 0;
  const std::uint32_t* at = in_out.words.data();
  for (std::size_t k = 0; k < in_out.items.size(); ++k) {
    const Found::Description& cheap = in_out.items[k];
    const std::uint64_t i = run.first + k;
    const bool tries = has_few_residuals(cheap) && i < plan.slices() && tried <= 2 * found + patience;
    tried += tries ? 1 : 0;
    if (tries && lay_bare_slice(lanes_of(a, row_ptr, plan.rows, block, i), 2 * cheap.cost, steps)) {
      ++found;
      out.add(steps, words);
    } else {
      out.items.push_back(cheap);
      out.words.insert(out.words.end(), at, at + cheap.size);
    }
    at += cheap.size;
  }
  if (found != 0) in_out = std::move(out);
  return found != 0;
}

Result<Layout> place_all(const std::vector<Found>& runs, std::uint32_t block) {
  Layout out;
  out.block = block;
  Dictionary dictionary(out.words);
  std::uint64_t items = 0;
  for (const Found& run : runs) items += run.items.size();
  out.items.reserve(items);
  if (!runs.empty()) out.words.reserve(2 * runs.front().words.size());  // later runs mostly add few
  for (const Found& run : runs) {
    const std::uint32_t* at = run.words.data();
    for (const Found::Description& each : run.items) {
      SPRESS_TRY(const std::uint32_t first_word, dictionary.place(at, each.size));
      out.items.push_back({each.entries, each.residual_words, first_word});
      out.residual_words += each.residual_words;
      out.steps += each.steps;
      at += each.size;
    }
  }
  out.words.resize((out.words.size() + 3) / 4 * 4);  // four steps are one load
  return out;
}

/// The steps of all items for one block, in two goes.
class Layouter {
 public:
  Layouter(const Csr<Viewed>& a, const Plan& plan, std::uint32_t block)
      : a_(a), plan_(plan), block_(block), runs_(runs_of(plan.items())) {}

  /// The cheapest for each item.
  Result<Layout> cheapest() {
    for_each_run([&](const auto* row_ptr, std::uint64_t run) {
      find_cheapest(a_, row_ptr, plan_, block_, items_of(run), runs_[run]);
    });
    return place_all(runs_, block_);
  }
  /// What is cheapest for one slice need not be so for all: steps without residuals may be those of many slices, and
  /// kernels are faster where there are no residuals at all. cheap: what cheapest() found.
  Result<Layout> or_bare(Layout cheap) {
    std::vector<std::uint8_t> found(runs_.size());
    for_each_run([&](const auto* row_ptr, std::uint64_t run) {
      found[run] = find_bare(a_, row_ptr, plan_, block_, items_of(run), runs_[run]) ? 1 : 0;
    });
    if (std::none_of(found.begin(), found.end(), [](std::uint8_t any) { return any != 0; })) return cheap;
    SPRESS_TRY(Layout bare, place_all(runs_, block_));
    return bare.is_better_than(cheap) ? std::move(bare) : std::move(cheap);
  }

 private:
  [[nodiscard]] ItemRange items_of(std::uint64_t run) const { return items_of_run(run, plan_.items()); }
  template <class Work>
  void for_each_run(const Work& work) {
    with_positions(a_.row_ptr, [&](const auto* row_ptr) {
      each_index(runs_.size(), thread_count(0), [&](std::uint64_t run, std::size_t) { work(row_ptr, run); });
    });
  }

  const Csr<Viewed>& a_;
  const Plan& plan_;
  std::uint32_t block_;
  std::vector<Found> runs_;
};

// --- Which rows begin alike ------------------------------------------------------------------------------------------

/// Row r and the one before begin at the same column.
template <class Position>
bool begins_alike(const Csr<Viewed>& a, const Position* row_ptr, std::uint64_t r) {
  return row_ptr[r - 1] < row_ptr[r] && row_ptr[r] < row_ptr[r + 1] &&
         a.col_idx[row_ptr[r - 1]] == a.col_idx[row_ptr[r]];
}

/// Of groups of rows that stand together and begin at the same column, the size that most rows belong to, at most
/// largest_block; 1 where there are none. Looks at some runs of rows, spread over the matrix.
template <class Position>
std::uint32_t usual_group(const Csr<Viewed>& a, const Position* row_ptr) {
  constexpr std::uint64_t run = 128, most_runs = 16;
  constexpr std::uint32_t largest = SliceDelta<Owned>::largest_block;
  std::array<std::uint64_t, largest + 1> rows = {};  // by the size of their group
  const std::uint64_t runs = std::clamp<std::uint64_t>(a.rows / run, 1, most_runs);
  for (std::uint64_t i = 0; i < runs; ++i) {
    const std::uint64_t begin = a.rows * i / runs, end = std::min(begin + run, a.rows);
    for (std::uint64_t first = begin, r = begin + 1; r <= end; ++r) {
      if (r < end && begins_alike(a, row_ptr, r)) continue;
      rows[std::min<std::uint64_t>(r - first, largest)] += r - first;
      first = r;
    }
  }
  const auto most = std::max_element(rows.begin() + 2, rows.end());
  return *most == 0 ? 1 : static_cast<std::uint32_t>(most - rows.begin());
}

constexpr std::size_t tried_blocks = 3;
/// Words of residuals in the first steps of all slices if all lanes take an entry there, for each of some blocks.
struct FirstStepWords {
  std::array<std::uint64_t, tried_blocks> words = {};
  void operator+=(const FirstStepWords& other) {
    for (std::size_t b = 0; b < tried_blocks; ++b) words[b] += other.words[b];
  }
};

/// The first entries of the lanes of a slice. Number: int32 where no more rows and columns are than that counts.
template <class Number>
struct FirstEntries {
  std::array<Number, slice_rows> row, column;
  std::uint32_t count = 0;

  void add(std::uint64_t r, std::uint32_t c) {
    row[count] = static_cast<Number>(r);
    column[count++] = static_cast<Number>(c);
  }
  /// For loops over all lanes: those without an entry repeat the first.
  void fill_up() {
    for (std::uint32_t e = count; e < slice_rows; ++e) {
      row[e] = row[0];
      column[e] = column[0];
    }
  }
  /// Bits of the residuals, if lanes begin as with this block.
  [[nodiscard]] std::uint32_t width(std::uint32_t block) const {
    std::array<Number, slice_rows> from = row;
    if (block == slice_rows)
      for (Number& r : from) r -= r % Number{slice_rows};
    else if (block != 1)
      for (Number& r : from) r -= r % static_cast<Number>(block);
    Number least = std::numeric_limits<Number>::max(), most = std::numeric_limits<Number>::min();
    for (std::uint32_t e = 0; e < slice_rows; ++e) {
      least = std::min<Number>(least, column[e] - from[e]);
      most = std::max<Number>(most, column[e] - from[e]);
    }
    return static_cast<std::uint32_t>(
        std::bit_width(static_cast<std::uint64_t>(std::int64_t{most} - std::int64_t{least})));
  }
};

template <class Number, class Position>
FirstStepWords first_step_words(const Csr<Viewed>& a, const Position* row_ptr, const Arrangement& rows,
                                const std::array<std::uint32_t, tried_blocks>& blocks) {
  return sum_over<FirstStepWords>(rows.long_masks.size(), thread_count(0), [&](std::uint64_t s) {
    FirstEntries<Number> first;
    for_each_lane(a, rows, s, [&](std::uint32_t, std::uint64_t r) {
      if (row_ptr[r] != row_ptr[r + 1]) first.add(r, a.col_idx[row_ptr[r]]);
    });
    FirstStepWords out;
    if (first.count == 0) return out;
    first.fill_up();
    for (std::size_t b = 0; b < tried_blocks; ++b)
      out.words[b] = b != 0 && blocks[b] == blocks[0]
                         ? out.words[0]
                         : slice_words::residual_words(first.count, first.width(blocks[b]));
    return out;
  });
}

/// The block that rids first steps of so many residuals that it is worth a try: a group of rows that begin at the same
/// column, or else all rows of a slice, where columns do not follow the diagonal. 1 where none does.
template <class Position>
std::uint32_t promising_block(const Csr<Viewed>& a, const Position* row_ptr, const Plan& plan, const Layout& plain) {
  constexpr std::uint64_t worth = 256;  // a part of the bytes; or what rids the matrix of all residuals
  if (plain.residual_words == 0) return 1;
  const std::array<std::uint32_t, tried_blocks> blocks = {1, usual_group(a, row_ptr), slice_rows};
  constexpr std::uint64_t narrow = std::uint64_t{1} << 31;
  const auto words = a.rows <= narrow && a.cols <= narrow
                         ? first_step_words<std::int32_t>(a, row_ptr, plan.rows, blocks).words
                         : first_step_words<std::int64_t>(a, row_ptr, plan.rows, blocks).words;
  for (std::size_t b = 1; b < tried_blocks; ++b) {
    if (words[b] >= words[0]) continue;
    const std::uint64_t saved = words[0] - words[b];
    if (4 * worth * saved >= plain.bytes() || saved >= plain.residual_words) return blocks[b];
  }
  return 1;
}

/// The layout of the block that is given, or of 1 or a better one.
Result<Layout> choose_layout(const Csr<Viewed>& a, const Plan& plan, const Params& params) {
  Layouter first(a, plan, params.block.value_or(1));
  SPRESS_TRY(Layout plain, first.cheapest());
  const std::uint32_t block = params.block ? *params.block : with_positions(a.row_ptr, [&](const auto* row_ptr) {
    return promising_block(a, row_ptr, plan, plain);
  });
  if (block != plain.block) {
    Layouter second(a, plan, block);
    SPRESS_TRY(Layout blocked, second.cheapest());
    if (blocked.is_better_than(plain)) return second.or_bare(std::move(blocked));
  }
  return first.or_bare(std::move(plain));
}

Status check_range(std::string_view name, const AutoNumber& number, std::uint32_t largest) {
  if (!number || (*number >= 1 && *number <= largest)) return Ok{};
  return Error{ErrorCode::usage,
               "slice-delta: " + std::string(name) + "=" + std::to_string(*number) + ": expected 1 to " +
                   std::to_string(largest),
               {},
               0};
}

Result<Plan> plan_for(const Csr<Viewed>& a, const Params& params) {
  SPRESS_CHECK(check_range("sigma", params.sigma, SliceDelta<Owned>::largest_sigma));
  SPRESS_CHECK(check_range("block", params.block, SliceDelta<Owned>::largest_block));
  Plan plan;
  plan.rows = choose_arrangement(a, params);
  list_pieces(a, plan);
  SPRESS_TRY(plan.layout, choose_layout(a, plan, params));
  return plan;
}

// --- Filling in ------------------------------------------------------------------------------------------------------

void fill_starts(SliceDelta<Owned>& out, const Layout& layout) {
  const std::uint64_t items = layout.items.size();
  out.first_word = HostArray<std::uint32_t>(items);
  for (std::uint64_t i = 0; i < items; ++i) out.first_word[i] = layout.items[i].first_word;
  const auto fill = [&](Positions<Owned>& starts, auto count) {
    fill_positions(starts, [&]<class Position>(Position* start) {
      start[0] = 0;
      for (std::uint64_t i = 0; i < items; ++i) start[i + 1] = static_cast<Position>(start[i] + count(layout.items[i]));
    });
  };
  out.value_start = make_positions(items + 1, out.nnz);
  out.residual_start = make_positions(items + 1, layout.residual_words);
  fill(out.value_start, [](const Item& item) { return item.entries; });
  fill(out.residual_start, [](const Item& item) { return item.residual_words; });
}

/// Sets `width` bits that are 0.
void put_bits(std::uint32_t* words, std::uint32_t bit, std::uint32_t width, std::uint32_t bits) {
  if (width == 0) return;
  const std::uint64_t shifted = std::uint64_t{bits} << (bit % 32);
  words[bit / 32] |= static_cast<std::uint32_t>(shifted);
  if (bit % 32 + width > 32) words[bit / 32 + 1] |= static_cast<std::uint32_t>(shifted >> 32);
}

/// Calls take(turn, u, lane, rank) for each entry of an item's steps, in the order of lanes, then step(turn, u), and
/// end(turn) behind each turn.
template <class Take, class Step, class End>
void for_each_step_entry(const SliceDelta<Owned>& out, std::uint64_t i, Take&& take, Step&& step, End&& end) {
  SliceReader reader(out.words.data() + out.first_word[i], out.lane_steps);
  for (SliceTurn turn; reader.next(turn);) {
    for (std::uint32_t u = 0; u < turn.count; ++u) {
      std::uint32_t rank = 0;
      for (std::uint32_t left = turn.mask[u]; left != 0; left &= left - 1)
        take(turn, u, static_cast<std::uint32_t>(std::countr_zero(left)), rank++);
      step(turn, u);
    }
    end(turn);
  }
}

/// Writes the residuals of item i. residual(turn, u, lane) says each, step by step, then by lane; step(base) follows.
template <class Residual, class Step>
void fill_residuals(SliceDelta<Owned>& out, std::uint64_t i, Residual&& residual, Step&& step) {
  std::uint32_t* words = out.residuals.data() + out.residual_start.position(i);
  std::fill(words, out.residuals.data() + out.residual_start.position(i + 1), 0u);
  for_each_step_entry(
      out, i,
      [&](const SliceTurn& turn, std::uint32_t u, std::uint32_t lane, std::uint32_t rank) {
        put_bits(words, turn.residual_bit(u, lane, rank), turn.width[u], residual(turn.base[u], lane));
      },
      [&](const SliceTurn& turn, std::uint32_t u) { step(turn.base[u]); },
      [&](const SliceTurn& turn) { words += turn.residual_words(); });
}

void fill_slice_residuals(SliceDelta<Owned>& out, std::uint64_t i, Lanes lanes) {
  fill_residuals(
      out, i,
      [&](std::uint32_t base, std::uint32_t lane) {
        const auto before = static_cast<std::uint32_t>(lanes.column[lane]) + base;
        const std::uint32_t residual = *lanes.next[lane]++ - before;
        lanes.column[lane] += residual;
        return residual;
      },
      [&](std::uint32_t base) {
        for (std::int64_t& column : lanes.column) column += base;
      });
}

void fill_piece_residuals(SliceDelta<Owned>& out, std::uint64_t i, std::uint32_t column, const std::uint32_t* columns) {
  fill_residuals(
      out, i, [&](std::uint32_t base, std::uint32_t lane) { return *columns++ - (column + base + lane); },
      [&](std::uint32_t base) { column += base; });
}

/// Calls use(position in values, position in the matrix) for the entries of item i.
template <class Position, class Use>
void for_each_move(const SliceDelta<Owned>& out, const Plan& plan, const Csr<Viewed>& a, const Position* row_ptr,
                   std::uint64_t i, Use&& use) {
  std::array<std::uint64_t, slice_rows> next = {};
  const bool piece = i >= plan.slices();
  if (!piece) plan.rows.for_each_row(i, a.rows, [&](std::uint32_t j, std::uint64_t row) { next[j] = row_ptr[row]; });
  std::uint64_t in_piece = piece ? plan.first_entry[i - plan.slices()] : 0, at = out.value_start.position(i);
  std::uint32_t before = 0;
  for_each_step_entry(
      out, i,
      [&](const SliceTurn& turn, std::uint32_t u, std::uint32_t lane, std::uint32_t) {
        use(at + turn.value(u, lane, before), piece ? in_piece++ : next[lane]++);
      },
      [&](const SliceTurn& turn, std::uint32_t u) { before += turn.entries(u); },
      [&](const SliceTurn&) { at += std::exchange(before, 0); });
}

void fill_items(SliceDelta<Owned>& out, const Plan& plan, const Csr<Viewed>& a) {
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < plan.items(); ++i) {
      if (i < plan.slices()) {
        fill_slice_residuals(out, i, lanes_of(a, row_ptr, plan.rows, plan.layout.block, i));
      } else {
        const std::uint64_t p = i - plan.slices();
        fill_piece_residuals(out, i, first_column(out, plan.long_row[p]), a.col_idx.data() + plan.first_entry[p]);
      }
    }
    permute_codes(out.values, a.values, [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
      for (std::uint64_t i = 0; i < plan.items(); ++i)
        for_each_move(out, plan, a, row_ptr, i,
                      [&](std::uint64_t slot, std::uint64_t entry) { to[slot] = from[entry]; });
    });
  });
}

}  // namespace

template <>
Result<SliceDelta<Owned>> encode<SliceDelta>(const Csr<Viewed>& a, const Params& params) {
  SPRESS_TRY(Plan plan, plan_for(a, params));
  SliceDelta<Owned> out;
  copy_shape(out, a);
  out.sigma = plan.rows.sigma;
  out.block = plan.layout.block;
  out.lane_steps = code_width(a.values) == 1 ? 4 : 1;  // four codes of a lane are one word then
  fill_starts(out, plan.layout);
  out.words = HostArray<std::uint32_t>(std::span<const std::uint32_t>(plan.layout.words));
  out.long_row = HostArray<std::uint32_t>(std::span<const std::uint32_t>(plan.long_row));
  out.residuals = HostArray<std::uint32_t>(plan.layout.residual_words);
  out.values = empty_like(a.values, a.nnz);
  fill_items(out, plan, a);
  out.row_perm = std::move(plan.rows.perm);
  return out;
}

template <>
Csr<Owned> decode<SliceDelta>(const SliceDelta<Viewed>& f) {
  Csr<Owned> out;
  copy_shape(out, f);
  const std::uint64_t slices = slices_of(f), items = items_of(f);
  const auto row_of = [&](std::uint64_t i, std::uint32_t lane) {
    return i < slices ? row_at(f, i * slice_rows + lane) : f.long_row[i - slices];
  };
  std::vector<std::uint64_t> first_entry(f.long_row.size());
  out.row_ptr = make_positions(f.rows + 1, f.nnz);
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  out.values = empty_like(f.values, f.nnz);
  fill_positions(out.row_ptr, [&]<class Position>(Position* row_ptr) {
    std::fill_n(row_ptr, f.rows + 1, Position{0});
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < slices; ++i)
      for_each_entry(f, i, [&](std::uint32_t lane, std::uint32_t, std::uint64_t) { ++row_ptr[row_of(i, lane) + 1]; });
    for (std::uint64_t p = 0; p < first_entry.size(); ++p) {
      Position& length = row_ptr[f.long_row[p] + 1];
      first_entry[p] = length;
      length += static_cast<Position>(f.value_start.position(slices + p + 1) - f.value_start.position(slices + p));
    }
    for (std::uint64_t r = 0; r < f.rows; ++r) row_ptr[r + 1] += row_ptr[r];
    const auto for_each_place = [&](std::uint64_t i, auto&& use) {
      std::array<std::uint64_t, slice_rows> next = {};
      std::uint64_t in_piece = 0;
      if (i >= slices) in_piece = row_ptr[f.long_row[i - slices]] + first_entry[i - slices];
      for (std::uint32_t j = 0; i < slices && j < slice_rows && i * slice_rows + j < f.rows; ++j)
        next[j] = row_ptr[row_of(i, j)];
      for_each_entry(f, i, [&](std::uint32_t lane, std::uint32_t column, std::uint64_t slot) {
        use(i < slices ? next[lane]++ : in_piece++, column, slot);
      });
    };
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < items; ++i)
      for_each_place(i, [&](std::uint64_t k, std::uint32_t column, std::uint64_t) { out.col_idx[k] = column; });
    permute_codes(out.values, f.values, [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
      for (std::uint64_t i = 0; i < items; ++i)
        for_each_place(i, [&](std::uint64_t k, std::uint32_t, std::uint64_t slot) { to[k] = from[slot]; });
    });
  });
  return out;
}

template <>
Result<SizeEstimate> estimate<SliceDelta>(const Csr<Viewed>& a, const Params& params) {
  SPRESS_TRY(Plan plan, plan_for(a, params));
  const Layout& layout = plan.layout;
  const std::uint64_t items = plan.items();
  const std::uint64_t bytes = 4 * items + position_bytes(items + 1, a.nnz) + layout.bytes() + 4 * plan.long_row.size() +
                              2 * plan.rows.perm.size();
  SizeEstimate out{bytes, bytes, a.nnz};
  out.details = {{"steps", layout.steps},
                 {"pieces", plan.long_row.size()},
                 {"residual_words", layout.residual_words},
                 {"description_words", layout.words.size()}};
  return out;
}

}  // namespace spress
