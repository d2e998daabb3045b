#include "formats/io/matrix_file/values/value_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/values/numbers.hpp"

namespace spress::io {
namespace {

using layout::damaged;

/// A table may have an entry for every so many values, and no more than this.
constexpr std::uint64_t values_for_an_entry = 3;
constexpr std::uint64_t largest_table = std::uint64_t{1} << 22;

/// Distinct values that a table of `count` values may have.
std::size_t most_distinct(std::uint64_t count) {
  return std::clamp<std::uint64_t>(count / values_for_an_entry, 1, largest_table);
}

/// False where a sample shows that clearly more than `most` keys are distinct, which is seen much sooner than it is
/// counted. Of `most` keys that are equally frequent, s drawn ones repeat s - most (1 - exp(-s / most)) times on
/// average, give or take the root of that; of others they repeat more often.
template <class Key>
bool may_be_so_few(const Key* keys, std::uint64_t count, std::uint64_t most) {
  constexpr std::uint64_t fewest = std::uint64_t{1} << 11, usual = std::uint64_t{1} << 17;
  const std::uint64_t drawn = std::min(count / 8, usual);
  if (drawn < fewest) return true;
  HostArray<Key> sampled(drawn);
  std::uint64_t random = 0;
  for (Key& key : sampled) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    key = keys[static_cast<std::uint64_t>(static_cast<unsigned __int128>(random) * count >> 64)];
  }
  CountTable<Key> seen;
  seen.add_all(sampled.data(), drawn);
  const auto sample = static_cast<double>(drawn), distinct = static_cast<double>(most);
  const double expected = sample + distinct * std::expm1(-sample / distinct);
  return sample - static_cast<double>(seen.size()) >= 0.85 * expected;
}

/// Bits in the order of the numbers that they are.
std::uint64_t ordered(std::uint64_t bits) { return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63; }

bool before(std::uint64_t a, std::uint64_t b) { return ordered(a) < ordered(b); }
bool before(const Bytes16& a, const Bytes16& b) {
  return a.low != b.low ? before(a.low, b.low) : before(a.high, b.high);
}

/// Puts the numbers of n keys into `out`. numbers: one more than the number of a key.
template <class Key>
void look_up(const CountTable<Key>& numbers, const void* keys, std::size_t n, std::uint32_t* out) {
  numbers.counts_of(static_cast<const Key*>(keys), n,
                    [&](std::uint64_t count) { *out++ = static_cast<std::uint32_t>(count - 1); });
}

}  // namespace

template <class Key>
std::optional<ValueTable> ValueTable::of_keys(const Key* keys, std::uint64_t count, int threads) {
  const std::size_t most = most_distinct(count);
  if (!may_be_so_few(keys, count, most)) return std::nullopt;
  auto counts = count_distinct(keys, count, most, threads);
  if (!counts) return std::nullopt;
  return of_counts(std::move(*counts));
}

template <class Key>
ValueTable ValueTable::of_counts(CountTable<Key> counts) {
  std::vector<Key> sorted;
  sorted.reserve(counts.size());
  counts.for_each([&](const Key& key, std::uint64_t) { sorted.push_back(key); });
  std::sort(sorted.begin(), sorted.end(), [](const Key& a, const Key& b) { return before(a, b); });
  ValueTable table;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if constexpr (std::is_same_v<Key, Bytes16>) {
      table.real_.push_back(std::bit_cast<double>(sorted[i].low));
      table.imaginary_.push_back(std::bit_cast<double>(sorted[i].high));
    } else {
      table.real_.push_back(std::bit_cast<double>(sorted[i]));
    }
    counts.at(sorted[i]) = i + 1;
  }
  if constexpr (std::is_same_v<Key, Bytes16>)
    table.complex_numbers_ = std::move(counts);
  else
    table.numbers_ = std::move(counts);
  return table;
}

std::optional<ValueTable> ValueTable::of(const Csr<Viewed>& a, int threads) {
  if (a.nnz == 0) return std::nullopt;
  if (a.values.type == ValueType::c128)
    return of_keys(reinterpret_cast<const Bytes16*>(a.values.codes.raw()), a.nnz, thread_count(threads));
  return of_keys(reinterpret_cast<const std::uint64_t*>(a.values.codes.raw()), a.nnz, thread_count(threads));
}

void ValueTable::number(const double* values, std::size_t n, std::uint32_t* out) const {
  look_up(numbers_, values, n, out);
}
void ValueTable::number(const std::complex<double>* values, std::size_t n, std::uint32_t* out) const {
  look_up(complex_numbers_, values, n, out);
}

void ValueTable::encode(StreamEncoder& encoder, std::vector<std::uint8_t>& out) const {
  put_varint(size(), out);
  encode_numbers(real_, true, encoder, out);
  encode_numbers(imaginary_, false, encoder, out);
}

TableCounter::TableCounter(ValueType type, std::uint64_t count, std::uint64_t memory) {
  if (type == ValueType::none) return;
  // A quarter of the places of a table or more is taken, and while it grows the smaller one before is still there.
  const std::uint64_t bytes_of_a_key = 6 * (size_of(type) + sizeof(std::uint64_t));
  most_ = std::min<std::size_t>(most_distinct(count), memory / bytes_of_a_key);
  if (type == ValueType::c128)
    counts_.emplace<CountTable<Bytes16>>();
  else
    counts_.emplace<CountTable<std::uint64_t>>();
}

template <class Key>
void TableCounter::add_keys(const Key* keys, std::uint64_t count, CountTable<Key>& counts) {
  for (std::uint64_t k = 0; k < count; ++k) {
    counts.add(keys[k]);
    if (counts.size() > most_) return void(counts_.emplace<std::monostate>());
  }
}

void TableCounter::add(const ValueStore<Viewed>& raw) {
  count_ += raw.count;
  if (auto* counts = std::get_if<CountTable<std::uint64_t>>(&counts_))
    add_keys(reinterpret_cast<const std::uint64_t*>(raw.codes.raw()), raw.count, *counts);
  else if (auto* pairs = std::get_if<CountTable<Bytes16>>(&counts_))
    add_keys(reinterpret_cast<const Bytes16*>(raw.codes.raw()), raw.count, *pairs);
}

std::optional<ValueTable> TableCounter::table() {
  auto counts = std::exchange(counts_, {});
  return std::visit(
      [&]<class Counts>(Counts& found) -> std::optional<ValueTable> {
        if constexpr (!std::is_same_v<Counts, std::monostate>)
          if (count_ != 0 && found.size() <= most_distinct(count_)) return ValueTable::of_counts(std::move(found));
        return std::nullopt;
      },
      counts);
}

Status decode_values(ValueType type, std::uint64_t count, ByteReader& in, StreamDecoder& decoder, std::uint8_t* out) {
  if (type == ValueType::f64) return decode_numbers(count, in, decoder, reinterpret_cast<double*>(out));
  return decode_complex(count, in, decoder, reinterpret_cast<double*>(out));
}

Status decode_table(ValueType type, std::uint64_t most, ByteReader& in, StreamDecoder& decoder,
                    HostArray<std::uint8_t>& table) {
  std::uint64_t count = 0;
  if (!in.varint(count) || count == 0 || count > most || count > 0xFFFFFFFFu ||
      count > largest_zstd_ratio * (in.left() + 1))
    return damaged("the table of values has a wrong size");
  table = HostArray<std::uint8_t>(count * size_of(type));
  SPRESS_CHECK(decode_values(type, count, in, decoder, table.data()));
  return in.left() == 0 ? Status(Ok{}) : Status(damaged("the table of values ends early"));
}

}  // namespace spress::io
