#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/coo/chunks.hpp"
#include "formats/core/description.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Balanced and compressed COO, many-core layout: as bccoo, but all entries of a chunk are coded alike, so that the
/// threads of a block that works on it do not part. Source: Aliaga et al. 2021, section 2.3.
///
/// A tuple is the entry's row as its distance to the chunk's first row, 1 byte; its column as its distance to the
/// chunk's smallest column, 1, 2 or 4 bytes; its value, or 1 byte, an index into `lut`, where the table holds every
/// value of the chunk. Numbers of several bytes are little-endian and not aligned: the paper says that the row's byte
/// is the first of an entry, so entries are tuples and not planes.
///
/// Where the paper leaves it open: a chunk closes at `chunk` entries or before a row's distance would pass 255, and
/// `offset` says where; how many entries it holds follows from the length of its tuples. The table is that of bccoo
/// (the 256 most frequent values of the matrix), less what stands behind the last one that a chunk uses. Values of a
/// pattern take no bytes; values of type float take 4 and complex ones 16 bytes. Sums are put together as bcoo does it:
/// the result does not depend on the number of threads.
template <class Storage = Owned>
struct BccooGpu {
  static constexpr std::string_view name = "bccoo-gpu";
  static constexpr std::string_view summary = "COO in chunks of tuples coded alike, a table of 256 values (many-core)";
  static constexpr bool slow_product = true;  ///< tuples are decoded one after another; see pacing_formats
  using Params = ChunkParams;

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint64_t chunk = 1024;  // entries of a chunk at most
  ValueType value_type = ValueType::none;
  std::uint64_t data_value_bytes = 0;    // bytes of `data` that are value parts
  AnyArray<Storage> lut;                 // at most 256 values
  Array<Storage, std::uint32_t> row;     // chunks: row of the first entry
  Array<Storage, std::uint32_t> column;  // chunks: smallest column
  Array<Storage, std::uint8_t> format;   // chunks: bits 0 and 1: 0, 1, 2 for columns of 1, 2, 4 bytes; bit 2: table
  Positions<Storage> offset;             // chunks + 1: where a chunk begins in data
  Array<Storage, std::uint8_t> data;     // tuples

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
    visit.array({"column", Role::index}, self.column...);
    visit.array({"format", Role::metadata}, self.format...);
    visit.array({"offset", Role::pointer}, self.offset...);
    visit.array({"data", Role::index, 0, std::get<0>(std::tie(self...)).data_value_bytes}, self.data...);
  }
};

/// Every byte of the tuples is walked. Complexity: linear, by several threads.
[[nodiscard]] Status validate(const BccooGpu<Viewed>& a);

namespace bccoo_gpu {

inline constexpr unsigned column_bits = 3, by_table = 4;  // of a chunk's format
inline constexpr std::uint64_t row_limit = 256;           // rows from the first that a chunk may span

/// The tuples of one chunk: Column, and either an index into the table or a value of `width` bytes.
template <class Column, bool table, std::size_t width>
struct Tuple {
  using ColumnPart = Column;
  static constexpr bool in_table = table;
  static constexpr std::size_t column_at = 1, value_at = column_at + sizeof(Column);
  static constexpr std::size_t value_bytes = table ? 1 : width, bytes = value_at + value_bytes;
};

/// Calls use(Tuple{}) with the layout that a format says. width: bytes of a value, 0 for a pattern, which has no table.
template <std::size_t width, class Use>
decltype(auto) with_tuple(std::uint8_t format, Use&& use) {
  const auto with_column = [&]<class Column>(Column) -> decltype(auto) {
    if constexpr (width != 0)
      if ((format & by_table) != 0) return use(Tuple<Column, true, width>{});
    return use(Tuple<Column, false, width>{});
  };
  switch (format & column_bits) {
    case 0: return with_column(std::uint8_t{});
    case 1: return with_column(std::uint16_t{});
    default: return with_column(std::uint32_t{});
  }
}

/// Entries of chunk h. Requires: a valid format and offsets.
template <std::size_t width, class Storage>
[[nodiscard]] std::uint64_t entries_of(const BccooGpu<Storage>& a, std::uint64_t h) {
  const std::uint64_t bytes = a.offset.position(h + 1) - a.offset.position(h);
  return with_tuple<width>(a.format[h], [&]<class Tuple>(Tuple) { return bytes / Tuple::bytes; });
}

}  // namespace bccoo_gpu
}  // namespace spress
