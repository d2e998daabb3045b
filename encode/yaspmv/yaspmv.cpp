#include "formats/yaspmv/yaspmv.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

#include "encode/shared/block_grid.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/rows.hpp"
#include "formats/coo/chunks.hpp"
#include "formats/core/threads.hpp"

namespace spress {
namespace {

using Format = Yaspmv<Owned>;

grid::BlockChoice block_choice(const Format::Params& params) {
  constexpr double of_group = 12;
  constexpr double of_block = 2 + 1 / 8.0 + of_group / Format::group;
  return {Format::name, params.r, params.c, 1, Format::largest_side, of_block, 0};
}

/// Whether 16 bits hold the difference of two block columns.
bool is_far(std::uint32_t column, std::uint32_t before) {
  const std::int64_t difference = std::int64_t{column} - std::int64_t{before};
  return difference < -0x7FFF || difference > 0x7FFF;
}

/// Block rows with blocks.
std::uint64_t count_held(const std::vector<std::uint64_t>& starts) {
  std::uint64_t held = 0;
  for (std::uint64_t i = 0; i + 1 < starts.size(); ++i) held += starts[i + 1] != starts[i] ? 1 : 0;
  return held;
}

/// Fills what the number of blocks in each block row decides: ends of rows, rows with blocks, first rows of groups.
void fill_rows(Format& out, const std::vector<std::uint64_t>& starts) {
  const std::uint64_t held = count_held(starts);
  out.first_row = HostArray<std::uint32_t>(out.groups());
  out.row_end = HostArray<std::uint32_t>((out.blocks + 31) / 32);
  std::fill_n(out.row_end.data(), out.row_end.size(), 0u);
  if (held + 1 != starts.size()) out.block_row = HostArray<std::uint32_t>(held);
  std::uint32_t h = 0;
  for (std::uint64_t i = 0; i + 1 < starts.size(); ++i) {
    if (starts[i + 1] == starts[i]) continue;
    if (!out.block_row.empty()) out.block_row[h] = static_cast<std::uint32_t>(i);
    for (std::uint64_t g = Format::groups_of(starts[i]); g * Format::group < starts[i + 1]; ++g) out.first_row[g] = h;
    grid::set_bit(out.row_end.data(), starts[i + 1] - 1, false);
    ++h;
  }
}

/// Fills values, their bits, and `columns`: the block column of each block. Code: NoBits where codes have no bytes.
template <class Code>
void fill_blocks(Format& out, const Csr<Viewed>& a, const std::vector<std::uint64_t>& starts, std::uint32_t* columns,
                 Code* to, const Code* from) {
  const grid::BlockSize size = {out.r, out.c};
  std::fill_n(out.present.data(), out.present.size(), 0u);
  if constexpr (!std::is_same_v<Code, NoBits>) std::fill_n(to, out.slots(), Code{});
  grid::for_block_row_ranges(starts.size() - 1, a.nnz, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint32_t> of_row;
    const std::uint64_t first_group = starts[begin] / Format::group, last_group = starts[end] / Format::group;
    for (std::uint64_t i = begin; i < end; ++i) {
      grid::find_block_columns(a, size, i, of_row);
      std::copy(of_row.begin(), of_row.end(), columns + starts[i]);
      grid::for_each_entry_of(a, size, i, of_row, [&](std::uint64_t k, std::uint64_t s, std::uint64_t entry) {
        const std::uint64_t b = starts[i] + k, slot = out.first_slot(b) + Format::lanes * s;
        const std::uint64_t g = b / Format::group;
        grid::set_bit(out.present.data(), slot, g == first_group || g == last_group);
        if constexpr (!std::is_same_v<Code, NoBits>) to[slot] = from[entry];
      });
    }
  });
}

/// Calls use(b) for the blocks of group g behind its first one whose difference is far.
template <class Use>
void for_each_far(const std::uint32_t* columns, std::uint64_t blocks, std::uint64_t g, Use&& use) {
  for (std::uint64_t b = g * Format::group + 1; b < std::min(blocks, (g + 1) * Format::group); ++b)
    if (is_far(columns[b], columns[b - 1])) use(b);
}

void fill_columns(Format& out, const std::uint32_t* columns) {
  const std::uint64_t groups = out.groups();
  const int threads = threads_for_walk(out.blocks);
  std::vector<std::uint64_t> far_start(groups + 1, 0);
  parallel_for(groups, threads, [&](std::uint64_t g) {
    for_each_far(columns, out.blocks, g, [&](std::uint64_t) { ++far_start[g + 1]; });
  });
  for (std::uint64_t g = 0; g < groups; ++g) far_start[g + 1] += far_start[g];
  out.far_start = make_positions(far_start);
  out.far = HostArray<std::uint32_t>(far_start.back());
  out.first_col = HostArray<std::uint32_t>(groups);
  out.col_diff = HostArray<std::uint16_t>(out.blocks);
  parallel_for(groups, threads, [&](std::uint64_t g) {
    const std::uint64_t first = g * Format::group;
    out.first_col[g] = columns[first];
    out.col_diff[first] = 0;
    for (std::uint64_t b = first + 1; b < std::min(out.blocks, first + Format::group); ++b)
      out.col_diff[b] = static_cast<std::uint16_t>(columns[b] - columns[b - 1]);
    std::uint64_t far = far_start[g];
    for_each_far(columns, out.blocks, g, [&](std::uint64_t b) {
      out.far[far++] = columns[b] - columns[b - 1];
      out.col_diff[b] = Format::far_mark;
    });
  });
}

/// The last block column in front of block b. Requires: b > 0.
std::uint32_t column_before(const Csr<Viewed>& a, grid::BlockSize size, const std::vector<std::uint64_t>& starts,
                            std::uint64_t b, std::vector<std::uint32_t>& scratch) {
  const auto behind = std::upper_bound(starts.begin(), starts.end(), b - 1);
  grid::find_block_columns(a, size, static_cast<std::uint64_t>(behind - starts.begin()) - 1, scratch);
  return scratch.back();
}

std::uint64_t count_far(const Csr<Viewed>& a, grid::BlockSize size, const std::vector<std::uint64_t>& starts) {
  std::atomic<std::uint64_t> count = 0;
  grid::for_block_row_ranges(starts.size() - 1, a.nnz, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint32_t> columns;
    std::uint32_t before = starts[begin] == 0 ? 0 : column_before(a, size, starts, starts[begin], columns);
    std::uint64_t far = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      grid::find_block_columns(a, size, i, columns);
      for (std::uint64_t k = 0; k < columns.size(); ++k) {
        if ((starts[i] + k) % Format::group != 0 && is_far(columns[k], before)) ++far;
        before = columns[k];
      }
    }
    count += far;
  });
  return count;
}

/// Calls use(row, column, slot) for every entry: groups in parallel, the entries of a row by ascending column.
template <class Use>
void for_each_entry(const Yaspmv<Viewed>& f, Use&& use) {
  parallel_for(f.groups(), threads_for_walk(f.nnz), [&](std::uint64_t g) {
    for_each_block(f, g, g + 1, [&](std::uint64_t h, std::uint64_t b, std::uint32_t column) {
      const std::uint64_t first_slot = f.first_slot(b);
      grid::for_each_entry_of_block(
          f, f.block_row_at(h) * f.r, column * f.c, [=](std::uint32_t s) { return first_slot + Format::lanes * s; },
          use);
    });
  });
}

}  // namespace

template <>
Result<Format> encode<Yaspmv>(const Csr<Viewed>& a, const Format::Params& params) {
  SPRESS_TRY(const grid::BlockSize size, grid::choose_block_size(a, block_choice(params)));
  Format out;
  copy_shape(out, a);
  out.r = size.r;
  out.c = size.c;
  const auto starts = grid::block_row_starts(a, size);
  out.blocks = starts.back();
  const std::uint64_t slots = out.slots();
  SPRESS_CHECK(check_slots(Format::name, slots, a.nnz));
  fill_rows(out, starts);
  out.present = HostArray<std::uint32_t>(slots / 32);
  out.values = empty_like(a.values, slots);
  HostArray<std::uint32_t> columns(out.blocks);
  if (code_width(a.values) == 0) fill_blocks<NoBits>(out, a, starts, columns.data(), nullptr, nullptr);
  permute_codes(out.values, a.values,
                [&](auto* to, const auto* from) { fill_blocks(out, a, starts, columns.data(), to, from); });
  if (a.nnz == out.blocks * out.slots_of_block()) out.present = {};
  fill_columns(out, columns.data());
  return out;
}

template <>
Csr<Owned> decode<Yaspmv>(const Yaspmv<Viewed>& f) {
  return csr_of_entries(f, [&](auto use) { for_each_entry(f, use); });
}

template <>
Result<SizeEstimate> estimate<Yaspmv>(const Csr<Viewed>& a, const Format::Params& params) {
  SPRESS_TRY(const grid::BlockSize size, grid::choose_block_size(a, block_choice(params)));
  const auto starts = grid::block_row_starts(a, size);
  const std::uint64_t blocks = starts.back(), held = count_held(starts), groups = Format::groups_of(blocks);
  const std::uint64_t of_block = std::uint64_t{size.r} * size.c, slots = Format::slots_of(blocks, of_block);
  SPRESS_CHECK(check_slots(Format::name, slots, a.nnz));
  const std::uint64_t far = count_far(a, size, starts);
  const std::uint64_t present = a.nnz == blocks * of_block ? 0 : slots / 32 * 4;
  const std::uint64_t block_rows = held + 1 == starts.size() ? 0 : 4 * held;
  const std::uint64_t bytes = 8 * groups + position_bytes(groups + 1, far) + 2 * blocks + 4 * far +
                              (blocks + 31) / 32 * 4 + block_rows + present;
  SizeEstimate out = {bytes, bytes, slots};  // no paper of ours has a formula for it
  if (of_block > 1) out.details = {{"r", size.r}, {"c", size.c}};
  return out;
}

}  // namespace spress
