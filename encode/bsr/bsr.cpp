#include "formats/bsr/bsr.hpp"

#include <algorithm>
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

using Format = Bsr<Owned>;

grid::BlockChoice block_choice(const Format::Params& params) {
  return {Format::name, params.r, params.c, 2, Format::largest_side, 4, 4};
}

/// Fills the blocks of all block rows. Code: NoBits where codes have no bytes.
template <class Code>
void fill_blocks(Format& out, const Csr<Viewed>& a, Code* to, const Code* from) {
  const std::uint64_t slots = out.slots_of_block();
  std::fill_n(out.present.data(), out.present.size(), 0u);
  grid::for_block_row_ranges(out.block_rows(), a.nnz, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint32_t> columns;
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t first = out.block_ptr.position(i);
      grid::find_block_columns(a, {out.r, out.c}, i, columns);
      std::copy(columns.begin(), columns.end(), out.block_col.data() + first);
      const std::uint64_t first_word = first * slots / 32, last_word = (first + columns.size()) * slots / 32;
      if constexpr (!std::is_same_v<Code, NoBits>) std::fill_n(to + first * slots, columns.size() * slots, Code{});
      grid::for_each_entry_of(a, {out.r, out.c}, i, columns, [&](std::uint64_t b, std::uint64_t s, std::uint64_t k) {
        const std::uint64_t slot = (first + b) * slots + s;
        grid::set_bit(out.present.data(), slot, slot / 32 == first_word || slot / 32 == last_word);
        if constexpr (!std::is_same_v<Code, NoBits>) to[slot] = from[k];
      });
    }
  });
}

/// Calls use(row, column, slot) for every entry: block rows in parallel, the entries of a row by ascending column.
template <class Use>
void for_each_entry(const Bsr<Viewed>& f, Use&& use) {
  const auto block_rows = static_cast<std::int64_t>(f.block_rows());
#pragma omp parallel for schedule(static) if (walk_is_worth_threads(f.nnz))
  for (std::int64_t i = 0; i < block_rows; ++i) {
    const std::uint64_t first = static_cast<std::uint64_t>(i) * f.r;
    const std::uint64_t begin = f.block_ptr.position(static_cast<std::uint64_t>(i));
    const std::uint64_t end = f.block_ptr.position(static_cast<std::uint64_t>(i) + 1);
    for (std::uint64_t b = begin; b < end; ++b)
      grid::for_each_entry_of_block(
          f, first, f.block_col[b] * f.c, [&](std::uint32_t s) { return b * f.slots_of_block() + s; }, use);
  }
}

}  // namespace

template <>
Result<Format> encode<Bsr>(const Csr<Viewed>& a, const Format::Params& params) {
  SPRESS_TRY(const grid::BlockSize size, grid::choose_block_size(a, block_choice(params)));
  Format out;
  copy_shape(out, a);
  out.r = size.r;
  out.c = size.c;
  const auto starts = grid::block_row_starts(a, size);
  out.blocks = starts.back();
  const std::uint64_t slots = out.blocks * out.slots_of_block();
  SPRESS_CHECK(check_slots("bsr", slots, a.nnz));
  out.block_ptr = make_positions(starts);
  out.block_col = HostArray<std::uint32_t>(out.blocks);
  out.present = HostArray<std::uint32_t>((slots + 31) / 32);
  out.values = empty_like(a.values, slots);
  if (code_width(a.values) == 0) fill_blocks<NoBits>(out, a, nullptr, nullptr);
  permute_codes(out.values, a.values, [&](auto* to, const auto* from) { fill_blocks(out, a, to, from); });
  if (a.nnz == slots) out.present = {};
  return out;
}

template <>
Csr<Owned> decode<Bsr>(const Bsr<Viewed>& f) {
  return csr_of_entries(f, [&](auto use) { for_each_entry(f, use); });
}

template <>
Result<SizeEstimate> estimate<Bsr>(const Csr<Viewed>& a, const Format::Params& params) {
  SPRESS_TRY(const grid::BlockSize size, grid::choose_block_size(a, block_choice(params)));
  const auto starts = grid::block_row_starts(a, size);
  const std::uint64_t blocks = starts.back();
  const std::uint64_t slots = blocks * size.r * size.c;
  SPRESS_CHECK(check_slots("bsr", slots, a.nnz));
  const std::uint64_t present = a.nnz == slots ? 0 : (slots + 31) / 32 * 4;
  const std::uint64_t bytes = position_bytes(starts.size(), blocks) + 4 * blocks + present;
  SizeEstimate out = {bytes, bytes, slots};  // no paper has a formula for it
  out.details = {{"r", size.r}, {"c", size.c}};
  return out;
}

}  // namespace spress
