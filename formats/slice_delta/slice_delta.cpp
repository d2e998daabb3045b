#include "formats/slice_delta/slice_delta.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "formats/core/checks.hpp"
#include "formats/core/threads.hpp"

namespace spress {
namespace {

std::string item_name(const SliceDelta<Viewed>& a, std::uint64_t i) {
  const std::uint64_t slices = slices_of(a);
  return i < slices ? "slice " + std::to_string(i) : "piece " + std::to_string(i - slices) + " of the long rows";
}

Error damaged_item(const SliceDelta<Viewed>& a, std::uint64_t i, const std::string& what) {
  return checks::damaged(item_name(a, i) + ": " + what);
}

/// True if the last turn has masks, the last of the item's `size` words, and steps that are not there have some.
bool behind_last_step(const std::uint32_t* steps, std::uint32_t count, std::uint64_t size) {
  const std::uint32_t in_turn = count % 4;
  const bool masked = std::any_of(steps + count - in_turn, steps + count, slice_words::is_masked);
  return masked && std::any_of(steps + size - 4 + in_turn, steps + size, [](std::uint32_t mask) { return mask != 0; });
}

/// The words of item i lie inside `words`, its steps are well formed, and it has the values and residuals that the
/// starts give it.
Status check_description(const SliceDelta<Viewed>& a, std::uint64_t i) {
  const std::uint64_t first = a.first_word[i], size = a.words.size() / 4 * 4;
  if (first % 4 != 0 || first == 0 || first > size) return damaged_item(a, i, "first_word is " + std::to_string(first));
  const std::uint32_t* steps = a.words.data() + first;
  const std::uint32_t count = slice_words::steps(steps[-1]);
  if (count > most_slice_steps) return damaged_item(a, i, std::to_string(count) + " steps");
  const std::uint64_t fixed = slice_words::words_to_masks(steps[-1]);
  if (fixed > size - first) return damaged_item(a, i, "its steps reach behind the words");
  std::uint64_t mask_words = 0;
  std::uint32_t head = count | (steps[-1] & slice_words::wide_bases);
  for (std::uint32_t k = 0; k < count; k += 4) {
    bool masked = false;
    for (std::uint32_t u = k; u < std::min(k + 4, count); ++u) {
      if (slice_words::width(steps[u]) > 32) return damaged_item(a, i, "a step of more than 32 bits");
      if (slice_words::width(steps[u]) > 0) head |= slice_words::any_width;
      if (slice_words::is_wide(head) && slice_words::base(steps[u]) != 0)
        return damaged_item(a, i, "a step with two bases");
      masked = masked || slice_words::is_masked(steps[u]);
    }
    if (masked) head |= slice_words::any_mask;
    mask_words += masked ? 4 : 0;
  }
  if (head != steps[-1]) return damaged_item(a, i, "its head does not fit its steps");
  if (mask_words > size - first - fixed) return damaged_item(a, i, "its masks reach behind the words");
  if (mask_words != 0 && count % 4 != 0 && behind_last_step(steps, count, fixed + mask_words))
    return damaged_item(a, i, "a mask behind its last step");
  SliceReader reader(steps, a.lane_steps);
  std::uint64_t values = 0, residuals = 0;
  const std::uint32_t* step = steps;
  for (SliceTurn turn; reader.next(turn);) {
    for (std::uint32_t u = 0; u < turn.count; ++u, ++step) {
      if (turn.mask[u] == 0) return damaged_item(a, i, "a step without entries");
      // Kernels skip the mask word of a step whose word announces no mask.
      if (turn.mask[u] != ~0u && !slice_words::is_masked(*step))
        return damaged_item(a, i, "a mask that its step does not announce");
      values += turn.entries(u);
    }
    residuals += turn.residual_words();
  }
  if (values != a.value_start.position(i + 1) - a.value_start.position(i))
    return damaged_item(a, i, "its steps have " + std::to_string(values) + " entries, value_start says otherwise");
  if (residuals != a.residual_start.position(i + 1) - a.residual_start.position(i))
    return damaged_item(a, i, "its residuals take " + std::to_string(residuals) + " words, residual_start differs");
  return Ok{};
}

/// Columns lie inside the matrix and ascend in each row, and lanes without a row have no entry.
/// Requires: check_description(a, i).
Status check_columns(const SliceDelta<Viewed>& a, std::uint64_t i) {
  const std::uint64_t slices = slices_of(a);
  const bool piece = i >= slices;
  std::uint64_t least[slice_rows] = {};  // of the next column in each lane
  std::uint64_t last = 0;                // of a piece
  bool good = true;
  for_each_entry(a, i, [&](std::uint32_t lane, std::uint32_t column, std::uint64_t) {
    std::uint64_t& from = piece ? last : least[lane];
    good = good && column >= from && column < a.cols && (piece || i * slice_rows + lane < a.rows);
    from = std::uint64_t{column} + 1;
  });
  return good ? Status(Ok{}) : damaged_item(a, i, "columns that do not ascend or lie outside of the matrix");
}

/// Pieces stand in the order of their rows and columns, and their rows have no entries in their slices.
/// Requires: all descriptions are sound.
Status check_long_rows(const SliceDelta<Viewed>& a) {
  const std::uint64_t slices = slices_of(a);
  std::vector<bool> is_long(a.long_row.empty() ? 0 : a.rows);
  std::uint64_t next_column = 0;
  for (std::uint64_t p = 0; p < a.long_row.size(); ++p) {
    if (a.long_row[p] >= a.rows || (p > 0 && a.long_row[p] < a.long_row[p - 1]))
      return damaged_item(a, slices + p, "long_row is " + std::to_string(a.long_row[p]));
    if (p > 0 && a.long_row[p] != a.long_row[p - 1]) next_column = 0;
    is_long[a.long_row[p]] = true;
    bool good = true;
    for_each_entry(a, slices + p, [&](std::uint32_t, std::uint32_t column, std::uint64_t) {
      good = good && column >= next_column;
      next_column = std::uint64_t{column} + 1;
    });
    if (!good) return damaged_item(a, slices + p, "its columns do not follow those of the piece before");
  }
  for (std::uint64_t i = 0; i < (is_long.empty() ? 0 : slices); ++i) {
    bool good = true;
    for_each_entry(a, i, [&](std::uint32_t lane, std::uint32_t, std::uint64_t) {
      good = good && !is_long[row_at(a, i * slice_rows + lane)];
    });
    if (!good) return damaged_item(a, i, "entries of a row that is cut into pieces");
  }
  return Ok{};
}

Status check_perm(const SliceDelta<Viewed>& a) {
  if (a.row_perm.empty()) return Ok{};
  SPRESS_CHECK(checks::length("row_perm", a.row_perm.size(), a.rows));
  std::vector<bool> seen(a.rows);
  for (std::uint64_t i = 0; i < a.rows; ++i) {
    const std::uint64_t row = row_at(a, i);
    if (a.row_perm[i] >= a.sigma || row >= a.rows || seen[row])
      return checks::damaged("row_perm is not a permutation of each window: element " + std::to_string(i) + " is " +
                             std::to_string(a.row_perm[i]));
    seen[row] = true;
  }
  return Ok{};
}

Status check_shape(const SliceDelta<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.nnz));
  if (a.sigma < 1 || a.sigma > a.largest_sigma) return checks::damaged("sigma is " + std::to_string(a.sigma));
  if (a.block < 1 || a.block > a.largest_block) return checks::damaged("block is " + std::to_string(a.block));
  if (a.lane_steps != 1 && a.lane_steps != 4)
    return checks::damaged("lane_steps is " + std::to_string(a.lane_steps) + ", expected 1 or 4");
  if (a.lane_steps == 4 && code_width(a.values) != 1)
    return checks::damaged("lane_steps is 4, but values have no codes of one byte");
  const std::uint64_t items = items_of(a);
  SPRESS_CHECK(checks::length("first_word", a.first_word.size(), items));
  SPRESS_CHECK(checks::monotone("value_start", a.value_start, items + 1, a.nnz));
  SPRESS_CHECK(checks::monotone("residual_start", a.residual_start, items + 1, a.residuals.size()));
  return check_perm(a);
}

}  // namespace

Status validate(const SliceDelta<Viewed>& a) {
  SPRESS_CHECK(check_shape(a));
  const std::uint64_t items = items_of(a);
  std::atomic<std::uint64_t> first_bad = std::numeric_limits<std::uint64_t>::max();
  const auto sound = [&](std::uint64_t i) { return bool(check_description(a, i)) && bool(check_columns(a, i)); };
  const bool good = parallel_all_of(items, 0, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i)
      if (!sound(i)) {
        for (std::uint64_t seen = first_bad; i < seen && !first_bad.compare_exchange_weak(seen, i);) {
        }
        return false;
      }
    return true;
  });
  if (!good) {
    SPRESS_CHECK(check_description(a, first_bad));
    SPRESS_CHECK(check_columns(a, first_bad));
  }
  return check_long_rows(a);
}

}  // namespace spress
