#include "formats/io/matrix_file/values/value_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/values/numbers.hpp"

namespace spress::io {
namespace {

using layout::damaged;

/// A table may have an entry for every so many values, and no more than this.
constexpr std::uint64_t values_for_an_entry = 3;
constexpr std::uint64_t largest_table = std::uint64_t{1} << 22;

/// False where a sample shows that clearly more than `most` keys are distinct, which is seen much sooner than it is
/// counted. Of `most` keys that are equally frequent, s drawn ones repeat s - most (1 - exp(-s / most)) times on
/// average, give or take the root of that; of others they repeat more often.
template <class Key>
bool may_be_so_few(const Key* keys, std::uint64_t count, std::uint64_t most) {
  constexpr std::uint64_t drawn = std::uint64_t{1} << 17;
  if (count < 8 * drawn) return true;
  CountTable<Key> seen;
  std::uint64_t random = 0;
  for (std::uint64_t i = 0; i < drawn; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    seen.add(keys[static_cast<std::uint64_t>(static_cast<unsigned __int128>(random) * count >> 64)]);
  }
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

}  // namespace

template <class Key>
std::optional<ValueTable> ValueTable::of_keys(const Key* keys, std::uint64_t count, int threads) {
  const std::uint64_t most = std::clamp<std::uint64_t>(count / values_for_an_entry, 1, largest_table);
  if (!may_be_so_few(keys, count, most)) return std::nullopt;
  const auto counts = count_distinct(keys, count, most, threads);
  if (!counts) return std::nullopt;
  std::vector<Key> sorted;
  sorted.reserve(counts->size());
  counts->for_each([&](const Key& key, std::uint64_t) { sorted.push_back(key); });
  std::sort(sorted.begin(), sorted.end(), [](const Key& a, const Key& b) { return before(a, b); });
  ValueTable table;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if constexpr (std::is_same_v<Key, Bytes16>) {
      table.real_.push_back(std::bit_cast<double>(sorted[i].low));
      table.imaginary_.push_back(std::bit_cast<double>(sorted[i].high));
      table.complex_numbers_.add(sorted[i], i + 1);
    } else {
      table.real_.push_back(std::bit_cast<double>(sorted[i]));
      table.numbers_.add(sorted[i], i + 1);
    }
  }
  return table;
}

std::optional<ValueTable> ValueTable::of(const Csr<Viewed>& a, int threads) {
  if (a.nnz == 0) return std::nullopt;
  if (a.values.type == ValueType::c128)
    return of_keys(reinterpret_cast<const Bytes16*>(a.values.codes.raw()), a.nnz, thread_count(threads));
  return of_keys(reinterpret_cast<const std::uint64_t*>(a.values.codes.raw()), a.nnz, thread_count(threads));
}

std::uint32_t ValueTable::number(const ValueStore<Viewed>& values, std::uint64_t k) const {
  std::uint64_t found = 0;
  if (values.type == ValueType::c128) {
    found = complex_numbers_.count(reinterpret_cast<const Bytes16*>(values.codes.raw())[k]);
  } else {
    found = numbers_.count(reinterpret_cast<const std::uint64_t*>(values.codes.raw())[k]);
  }
  return static_cast<std::uint32_t>(found - 1);
}

void ValueTable::encode(StreamEncoder& encoder, std::vector<std::uint8_t>& out) const {
  put_varint(size(), out);
  encode_numbers(real_, true, encoder, out);
  encode_numbers(imaginary_, false, encoder, out);
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
