#include "formats/io/matrix_file/row_block.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/container/sampling.hpp"
#include "formats/io/matrix_file/values/column_order.hpp"
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
class Entries {
 public:
  Entries(const BlockContext& context, const RowRange& rows)
      : a_(context.panel.csr),
        fold_(context.fold),
        first_row_(rows.first - context.panel.first_row),
        lengths_(rows.last - rows.first) {
    for (std::uint64_t i = 0; i < lengths_.size(); ++i) {
      lengths_[i] = static_cast<std::uint32_t>(stored_end(context.panel, fold_, rows.first + i) - begin(i));
      count_ += lengths_[i];
    }
    columns_ = gathered(a_.col_idx.data(), room_for_columns_);
    if (fold_ == Fold::pattern) find_mirrored(rows.first);
  }

  [[nodiscard]] std::span<const std::uint32_t> lengths() const { return lengths_.span(); }
  [[nodiscard]] std::span<const std::uint32_t> columns() const { return columns_; }

  /// The elements of `all` at the places of the entries. room: for them, unless they stand side by side.
  template <class E>
  [[nodiscard]] std::span<const E> gathered(const E* all, HostArray<E>& room) const {
    if (fold_ == Fold::none) return {all + begin(0), count_};
    room = HostArray<E>(count_);
    E* to = room.data();
    for (std::size_t i = 0; i < lengths_.size(); ++i) to = std::copy_n(all + begin(i), lengths_[i], to);
    return room.span();
  }
  /// The elements of `all` at the places of the entries above the diagonal, for Fold::pattern.
  template <class E>
  [[nodiscard]] std::span<const E> gathered_above(const E* all, HostArray<E>& room) const {
    room = HostArray<E>(mirrored_.size());
    for (std::size_t i = 0; i < mirrored_.size(); ++i) room[i] = all[mirrored_[i]];
    return room.span();
  }
  /// The columns of the entries below those.
  [[nodiscard]] std::span<const std::uint32_t> columns_below() const { return columns_below_; }

 private:
  /// The place of the first entry of row i of the block.
  [[nodiscard]] std::uint64_t begin(std::uint64_t i) const { return a_.row_ptr.position(first_row_ + i); }

  void find_mirrored(std::uint64_t first_row) {
    mirrored_.reserve(count_);
    std::size_t k = 0;
    for (std::uint64_t r = first_row; r < first_row + lengths_.size(); ++r)
      for (const std::size_t end = k + lengths_[r - first_row]; k < end; ++k)
        if (columns_[k] != r) {
          mirrored_.push_back(place_of(a_, columns_[k], static_cast<std::uint32_t>(r)));
          columns_below_.push_back(columns_[k]);
        }
  }

  const Csr<Viewed>& a_;
  Fold fold_;
  std::uint64_t first_row_;  // of the block, in the panel
  std::uint64_t count_ = 0;
  HostArray<std::uint32_t> lengths_, room_for_columns_;
  std::span<const std::uint32_t> columns_;
  std::vector<std::uint64_t> mirrored_;  // places of the entries above the diagonal
  std::vector<std::uint32_t> columns_below_;
};

template <class V>
void put_numbers(const ValueTable& table, std::span<const V> values, StreamEncoder& encoder,
                 std::vector<std::uint8_t>& out) {
  HostArray<std::uint32_t> numbers(values.size());
  table.number(values.data(), values.size(), numbers.data());
  encoder.put(numbers.span(), out);
}

void put_each(std::span<const double> values, StreamEncoder& encoder, std::vector<std::uint8_t>& out) {
  encode_numbers(values, false, encoder, out);
}
void put_each(std::span<const std::complex<double>> values, StreamEncoder& encoder, std::vector<std::uint8_t>& out) {
  encode_complex({reinterpret_cast<const double*>(values.data()), 2 * values.size()}, encoder, out);
}

template <class V>
void put_in_order(const BlockContext& context, std::span<const V> values, StreamEncoder& encoder,
                  std::vector<std::uint8_t>& out) {
  if (context.table != nullptr)
    put_numbers(*context.table, values, encoder, out);
  else
    put_each(values, encoder, out);
}

template <class V>
std::vector<V> picked(std::span<const V> values, std::span<const std::uint32_t> places) {
  std::vector<V> some(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) some[i] = values[places[i]];
  return some;
}

/// The share of their bytes below which values are stored column after column at usual levels: a block of them then
/// takes 1.7 to 2 times as long to read (Zen 4). Fewer than few_bytes cannot save what trying costs.
constexpr double column_share = 0.95;
constexpr std::size_t few_bytes = 8;

/// The bytes that values take column after column over those row after row, as samples of both show; none where there
/// are so few that both orders can be tried.
template <class V>
std::optional<double> share_by_columns(const BlockContext& context, std::span<const V> values,
                                       std::span<const std::uint32_t> columns, StreamEncoder& encoder) {
  const std::size_t sample = (std::size_t{8} << 10) * encoder.patience();
  if (values.size() <= 4 * sample) return std::nullopt;
  const auto bytes_each = [&](std::span<const V> some) {
    std::vector<std::uint8_t> bytes;
    put_in_order(context, some, encoder.judge(), bytes);
    return static_cast<double>(bytes.size()) / static_cast<double>(some.size());
  };
  const std::vector<V> by_columns = picked(values, std::span<const std::uint32_t>(sample_of_columns(columns, sample)));
  std::vector<V> by_rows(sample);
  by_rows.resize(copy_sample(values.data(), values.size(), sizeof(V), sample * sizeof(V), by_rows.data()));
  return by_columns.empty() ? 1 : bytes_each(by_columns) / bytes_each(by_rows);
}

/// Appends values, in the order of the two that takes less room. Answers whether they stand column after column.
/// columns: those of the values.
template <class V>
bool put_best(const BlockContext& context, std::span<const V> values, std::span<const std::uint32_t> columns,
              StreamEncoder& encoder, std::vector<std::uint8_t>& out) {
  constexpr double surely = 0.8;  // then the other order is not tried: samples and all values differed by less
  const double wanted = encoder.is_patient() ? 1 : column_share;
  const auto share = share_by_columns(context, values, columns, encoder);
  const bool is_sure = share && *share < surely && !encoder.is_patient();
  std::vector<std::uint8_t> by_rows, by_columns;
  if (!is_sure) put_in_order(context, values, encoder, by_rows);
  if (is_sure || (by_rows.size() > few_bytes && share.value_or(0) < wanted)) {
    put_in_order(context, std::span<const V>(picked(values, column_order(columns).span())), encoder, by_columns);
    if (is_sure || static_cast<double>(by_columns.size()) < wanted * static_cast<double>(by_rows.size())) {
      out.insert(out.end(), by_columns.begin(), by_columns.end());
      return true;
    }
  }
  out.insert(out.end(), by_rows.begin(), by_rows.end());
  return false;
}

/// Appends the values of the entries, then those of the mirrored ones. Returns the bits of a pattern's first byte that
/// say in which orders.
std::uint8_t put_values(const BlockContext& context, const Entries& entries, StreamEncoder& encoder,
                        std::vector<std::uint8_t>& out) {
  const ValueStore<Viewed>& values = context.panel.csr.values;
  const auto put_both = [&]<class V>(const V* all) {
    HostArray<V> room;
    std::uint8_t orders = 0;
    if (put_best(context, entries.gathered(all, room), entries.columns(), encoder, out)) orders |= values_by_columns;
    if (context.fold == Fold::pattern &&
        put_best(context, entries.gathered_above(all, room), entries.columns_below(), encoder, out))
      orders |= mirrored_by_columns;
    return orders;
  };
  if (values.type == ValueType::c128) return put_both(values.codes.as<std::complex<double>>());
  return values.type == ValueType::none ? 0 : put_both(values.codes.as<double>());
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
  const Entries entries(context, rows);
  std::vector<std::uint8_t> values, out;
  const std::uint8_t orders = put_values(context, entries, encoder, values);
  const BlockPattern pattern = {{rows.first, rows.last - rows.first, entries.columns().size(), context.panel.csr.cols,
                                 context.fold != Fold::none},
                                entries.lengths(),
                                entries.columns()};
  encode_pattern(pattern, values.size(), encoder, out);
  out.front() |= orders;
  out.insert(out.end(), values.begin(), values.end());
  return out;
}

ValueBytes value_bytes(const BlockContext& context, const RowRange& rows, StreamEncoder& encoder) {
  const Entries entries(context, rows);
  const auto bytes = [&](const ValueTable* table) {
    std::vector<std::uint8_t> values;
    put_values({context.panel, context.fold, table}, entries, encoder, values);
    return values.size();
  };
  return {bytes(context.table), bytes(nullptr)};
}

// --- Decoding --------------------------------------------------------------------------------------------------------

namespace {

/// Calls use with a number of the width of a value: its bits.
template <class Use>
void with_bits(std::size_t width, const Use& use) {
  if (width == sizeof(std::uint64_t))
    use(std::uint64_t{});
  else
    use(Bytes16{});
}

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
  with_bits(width, [&]<class Value>(Value) {
    const auto* table = reinterpret_cast<const Value*>(format.table.data());
    auto* to = reinterpret_cast<Value*>(out);
    for (std::uint64_t i = 0; i < count; ++i) to[i] = table[numbers[i]];
  });
  return Ok{};
}

constexpr std::uint64_t largest_u32 = std::numeric_limits<std::uint32_t>::max();

/// by_columns: whether values stand column after column. columns: of their entries, at most largest_u32.
Status take_values(const BlockFormat& format, std::span<const std::uint32_t> columns, bool by_columns, ByteReader& in,
                   StreamDecoder& decoder, std::uint8_t* out) {
  const std::size_t width = size_of(format.type), count = columns.size();
  HostArray<std::uint8_t> room;
  if (by_columns) room = HostArray<std::uint8_t>(count * width);
  std::uint8_t* const values = by_columns ? room.data() : out;
  SPRESS_CHECK(format.table.empty() ? decode_values(format.type, count, in, decoder, values)
                                    : take_from_table(format, count, in, decoder, values));
  if (!by_columns) return Ok{};
  const auto order = column_order(columns);
  with_bits(width, [&]<class Value>(Value) {
    const auto* from = reinterpret_cast<const Value*>(values);
    auto* to = reinterpret_cast<Value*>(out);
    for (std::size_t i = 0; i < count; ++i) to[order[i]] = from[i];
  });
  return Ok{};
}

/// The values above the diagonal, each to the place of its entry below.
Status take_mirrored(const BlockFormat& format, const BlockShape& shape, bool by_columns, ByteReader& in,
                     StreamDecoder& decoder, const BlockRoom& room) {
  const std::size_t width = size_of(format.type);
  std::vector<std::uint64_t> places;
  std::vector<std::uint32_t> columns;
  places.reserve(shape.entries);
  std::uint64_t k = 0;
  for (std::uint64_t r = 0; r < shape.rows; ++r)
    for (const std::uint64_t end = k + room.lengths[r]; k < end; ++k)
      if (room.columns[k] != shape.first_row + r) {
        places.push_back(k);
        columns.push_back(room.columns[k]);
      }
  std::vector<std::uint8_t> values(places.size() * width);
  SPRESS_CHECK(take_values(format, columns, by_columns, in, decoder, values.data()));
  for (std::size_t i = 0; i < places.size(); ++i)
    std::memcpy(room.mirrored + places[i] * width, values.data() + i * width, width);
  return Ok{};
}

}  // namespace

Status decode_block(const BlockFormat& format, const BlockShape& shape, std::span<const std::uint8_t> bytes,
                    StreamDecoder& decoder, const BlockRoom& room) {
  ByteReader in(bytes);
  SPRESS_CHECK(decode_pattern(shape, in, decoder, room.lengths, room.columns));
  const bool has_values = format.type != ValueType::none, is_mirrored = has_values && format.fold == Fold::pattern;
  const bool by_columns = (bytes[0] & values_by_columns) != 0, mirrored = (bytes[0] & mirrored_by_columns) != 0;
  if ((by_columns && !has_values) || (mirrored && !is_mirrored)) return damaged("orders values that it does not have");
  if ((by_columns || mirrored) && shape.entries > largest_u32) return damaged("orders more values than it can");
  if (has_values)
    SPRESS_CHECK(take_values(format, {room.columns, shape.entries}, by_columns, in, decoder, room.values));
  if (is_mirrored) SPRESS_CHECK(take_mirrored(format, shape, mirrored, in, decoder, room));
  return in.left() == 0 ? Status(Ok{}) : Status(damaged("has bytes that belong to nothing"));
}

}  // namespace spress::io
