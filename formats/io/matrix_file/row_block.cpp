#include "formats/io/matrix_file/row_block.hpp"

#include <algorithm>
#include <cstring>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/values/numbers.hpp"

namespace spress::io {
namespace {

using layout::damaged;

/// The place of an entry of a whole matrix. Requires: it is there.
std::uint64_t place_of(const Csr<Viewed>& a, std::uint64_t row, std::uint32_t column) {
  const std::uint32_t* columns = a.col_idx.data();
  return static_cast<std::uint64_t>(
      std::lower_bound(columns + a.row_ptr.position(row), columns + a.row_ptr.position(row + 1), column) - columns);
}

/// The entries of a block that are stored.
struct Entries {
  std::vector<std::uint32_t> lengths, columns;
  std::vector<std::uint64_t> places;    ///< of their values in the matrix
  std::vector<std::uint64_t> mirrored;  ///< for Fold::pattern: of the values above the diagonal
};

Entries entries_of(const BlockContext& context, const RowRange& rows) {
  const Csr<Viewed>& a = context.panel.csr;
  Entries out;
  out.lengths.reserve(rows.last - rows.first);
  out.columns.reserve(rows.entries);
  out.places.reserve(rows.entries);
  for (std::uint64_t r = rows.first; r < rows.last; ++r) {
    const std::uint64_t begin = a.row_ptr.position(r - context.panel.first_row);
    const std::uint64_t end = stored_end(context.panel, context.fold, r);
    out.lengths.push_back(static_cast<std::uint32_t>(end - begin));
    for (std::uint64_t k = begin; k < end; ++k) {
      const std::uint32_t column = a.col_idx[k];
      out.columns.push_back(column);
      out.places.push_back(k);
      if (context.fold == Fold::pattern && column != r)
        out.mirrored.push_back(place_of(a, column, static_cast<std::uint32_t>(r)));
    }
  }
  return out;
}

using Places = std::span<const std::uint64_t>;

void put_numbers(const ValueTable& table, const ValueStore<Viewed>& values, Places places, StreamEncoder& encoder,
                 std::vector<std::uint8_t>& out) {
  std::vector<std::uint32_t> numbers(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) numbers[i] = table.number(values, places[i]);
  encoder.put(std::span<const std::uint32_t>(numbers), out);
}

/// The values at the places, complex ones as two numbers.
std::vector<double> values_at(const ValueStore<Viewed>& values, Places places) {
  const auto* from = reinterpret_cast<const double*>(values.codes.raw());
  const std::size_t parts = values.type == ValueType::c128 ? 2 : 1;
  std::vector<double> numbers(parts * places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    std::copy_n(from + parts * places[i], parts, numbers.begin() + static_cast<std::ptrdiff_t>(parts * i));
  return numbers;
}

void put_values_at(const BlockContext& context, Places places, StreamEncoder& encoder, std::vector<std::uint8_t>& out) {
  const ValueStore<Viewed>& values = context.panel.csr.values;
  if (values.type == ValueType::none) return;
  if (context.table != nullptr) return put_numbers(*context.table, values, places, encoder, out);
  const auto numbers = values_at(values, places);
  if (values.type == ValueType::c128) return encode_complex(numbers, encoder, out);
  encode_numbers(numbers, false, encoder, out);
}

/// The values of the entries, then those of the mirrored ones.
void put_values(const BlockContext& context, const Entries& entries, StreamEncoder& encoder,
                std::vector<std::uint8_t>& out) {
  put_values_at(context, entries.places, encoder, out);
  put_values_at(context, entries.mirrored, encoder, out);
}

}  // namespace

std::uint64_t stored_end(const RowPanel& panel, Fold fold, std::uint64_t row) {
  const Csr<Viewed>& a = panel.csr;
  const std::uint64_t end = a.row_ptr.position(row - panel.first_row + 1);
  if (fold == Fold::none) return end;
  const std::uint32_t* columns = a.col_idx.data();
  const std::uint32_t* const first = columns + a.row_ptr.position(row - panel.first_row);
  return static_cast<std::uint64_t>(std::upper_bound(first, columns + end, static_cast<std::uint32_t>(row)) - columns);
}

std::uint64_t stored_entries(const RowPanel& panel, Fold fold, std::uint64_t first, std::uint64_t last) {
  std::uint64_t entries = 0;
  for (std::uint64_t r = first; r < last; ++r)
    entries += stored_end(panel, fold, r) - panel.csr.row_ptr.position(r - panel.first_row);
  return entries;
}

std::vector<std::uint8_t> encode_block(const BlockContext& context, const RowRange& rows, StreamEncoder& encoder) {
  const Entries entries = entries_of(context, rows);
  std::vector<std::uint8_t> values, out;
  put_values(context, entries, encoder, values);
  const BlockPattern pattern = {
      {rows.first, rows.last - rows.first, entries.columns.size(), context.panel.csr.cols, context.fold != Fold::none},
      entries.lengths,
      entries.columns};
  encode_pattern(pattern, values.size(), encoder, out);
  out.insert(out.end(), values.begin(), values.end());
  return out;
}

ValueBytes value_bytes(const BlockContext& context, const RowRange& rows, StreamEncoder& encoder) {
  const Entries entries = entries_of(context, rows);
  const auto bytes = [&](const ValueTable* table) {
    std::vector<std::uint8_t> values;
    put_values({context.panel, context.fold, table}, entries, encoder, values);
    return values.size();
  };
  return {bytes(context.table), bytes(nullptr)};
}

// --- Decoding --------------------------------------------------------------------------------------------------------

namespace {

/// Values by their numbers in the table.
Status take_from_table(const BlockFormat& format, std::uint64_t count, ByteReader& in, StreamDecoder& decoder,
                       std::uint8_t* out) {
  const std::size_t width = size_of(format.type);
  const std::uint64_t known = format.table.size() / width;
  auto* numbers = decoder.room<std::uint32_t>(count);
  SPRESS_CHECK(decoder.next("value numbers", in, count, numbers));
  std::uint32_t largest = 0;
  for (std::uint64_t i = 0; i < count; ++i) largest = std::max(largest, numbers[i]);
  if (count != 0 && largest >= known) return damaged("a value is not in the table");
  const auto look_up = [&]<class Value>(Value) {
    const auto* table = reinterpret_cast<const Value*>(format.table.data());
    auto* to = reinterpret_cast<Value*>(out);
    for (std::uint64_t i = 0; i < count; ++i) to[i] = table[numbers[i]];
  };
  if (width == sizeof(std::uint64_t))
    look_up(std::uint64_t{});
  else
    look_up(Bytes16{});
  return Ok{};
}

Status take_values(const BlockFormat& format, std::uint64_t count, ByteReader& in, StreamDecoder& decoder,
                   std::uint8_t* out) {
  if (format.type == ValueType::none) return Ok{};
  if (!format.table.empty()) return take_from_table(format, count, in, decoder, out);
  return decode_values(format.type, count, in, decoder, out);
}

/// The values above the diagonal, each to the place of its entry below.
Status take_mirrored(const BlockFormat& format, const BlockShape& shape, ByteReader& in, StreamDecoder& decoder,
                     const BlockRoom& room) {
  const std::size_t width = size_of(format.type);
  std::vector<std::uint64_t> places;
  places.reserve(shape.entries);
  std::uint64_t k = 0;
  for (std::uint64_t r = 0; r < shape.rows; ++r)
    for (const std::uint64_t end = k + room.lengths[r]; k < end; ++k)
      if (room.columns[k] != shape.first_row + r) places.push_back(k);
  std::vector<std::uint8_t> values(places.size() * width);
  SPRESS_CHECK(take_values(format, places.size(), in, decoder, values.data()));
  for (std::size_t i = 0; i < places.size(); ++i)
    std::memcpy(room.mirrored + places[i] * width, values.data() + i * width, width);
  return Ok{};
}

}  // namespace

Status decode_block(const BlockFormat& format, const BlockShape& shape, std::span<const std::uint8_t> bytes,
                    StreamDecoder& decoder, const BlockRoom& room) {
  ByteReader in(bytes);
  SPRESS_CHECK(decode_pattern(shape, in, decoder, room.lengths, room.columns));
  SPRESS_CHECK(take_values(format, shape.entries, in, decoder, room.values));
  if (format.fold == Fold::pattern && format.type != ValueType::none)
    SPRESS_CHECK(take_mirrored(format, shape, in, decoder, room));
  return in.left() == 0 ? Status(Ok{}) : Status(damaged("has bytes that belong to nothing"));
}

}  // namespace spress::io
