#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/coo/chunks.hpp"
#include "formats/core/description.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Balanced and compressed COO, multicore layout: chunks of `chunk` consecutive entries (the last may be shorter) as a
/// stream of tuples of varying length, and a table of the most frequent values. Source: Aliaga et al. 2021,
/// sections 2.1 and 2.3.
///
/// A tuple is a key byte, a column part, a value part; numbers of several bytes are little-endian and not aligned.
/// Key, lower seven bits: 0x7F the row ends (nothing follows); 0x7E the column, 4 bytes; 0x7D its difference to the
/// previous column, 2 bytes; otherwise they are that difference themselves. Key, high bit: set where the value part is
/// one byte, an index into `lut`; clear where it is the value. Columns begin at 0 in each chunk and persist over ends
/// of rows; a step to the left is written as a column. Each entry is written as short as this allows.
///
/// Where the paper leaves it open: every row from that of the first entry on has one end (0xFF, as the paper's listing
/// tests it; 0x7F is read too), right behind its last entry or, for an empty row, behind the end of the row before it.
/// So chunk h holds the ends of the rows row[h] .. row[h+1] - 1, and the last chunk those of all rows left. `offset`
/// has one element more than chunks: the paper's listing reads it. Values of a pattern take no bytes, and no table;
/// values of type float take 4 and complex ones 16 bytes, in the table too. The order of the table is by frequency,
/// then by bit pattern. Sums are put together as bcoo does it: the result does not depend on the number of threads.
template <class Storage = Owned>
struct Bccoo {
  static constexpr std::string_view name = "bccoo";
  static constexpr std::string_view summary = "COO in chunks of byte-coded tuples, a table of 256 values (multicore)";
  static constexpr bool slow_product = true;  ///< tuples are decoded one after another; see pacing_formats
  static constexpr bool sized_by_panels = true;
  using Params = ChunkParams;

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t chunk = 1024;  // entries of a chunk
  ValueType value_type = ValueType::none;
  std::uint64_t data_value_bytes = 0;  // bytes of `data` that are value parts
  AnyArray<Storage> lut;               // at most 256 values; empty for a pattern
  Array<Storage, std::uint32_t> row;   // chunks: row of the first entry
  Positions<Storage> offset;           // chunks + 1: where a chunk begins in data
  Array<Storage, std::uint8_t> data;   // tuples

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("chunk", self.chunk...);
    visit.scalar("value_type", self.value_type...);
    visit.scalar("data_value_bytes", self.data_value_bytes...);
    visit.array({"lut", Role::value}, self.lut...);
    visit.array({"row", Role::index}, self.row...);
    visit.array({"offset", Role::pointer}, self.offset...);
    visit.array({"data", Role::index, 0, std::get<0>(std::tie(self...)).data_value_bytes}, self.data...);
  }
};

/// Every byte of the stream is walked. Complexity: linear, by several threads.
[[nodiscard]] Status validate(const Bccoo<Viewed>& a);

namespace bccoo {

inline constexpr unsigned by_table = 0x80, step_mask = 0x7F;
inline constexpr unsigned end_of_row = 0x7F, column_follows = 0x7E, step_follows = 0x7D;  // of the lower seven bits
inline constexpr std::size_t lut_size = 256;

/// Calls entry(column, in_table, at) for each entry of one chunk's tuples [at, end), `at` being its value part, and
/// row_end() for each end of a row. width: bytes of a value. Requires: validated.
template <std::size_t width, class Entry, class RowEnd>
inline void for_each_tuple(const std::uint8_t* at, const std::uint8_t* end, Entry&& entry, RowEnd&& row_end) {
  std::uint32_t col = 0;
  while (at < end) {
    const unsigned key = *at++, step = key & step_mask;
    if (step < step_follows) [[likely]] {
      col += step;
    } else if (step == end_of_row) {
      row_end();
      continue;
    } else if (step == step_follows) {
      col += load_unaligned<std::uint16_t>(at);
      at += 2;
    } else {
      col = load_unaligned<std::uint32_t>(at);
      at += 4;
    }
    const bool in_table = (key & by_table) != 0;
    entry(col, in_table, at);
    at += in_table ? 1 : width;
  }
}

}  // namespace bccoo
}  // namespace spress
