// The distinct values of a matrix, and their numbers. Private to formats/io; see container_v2.md.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "formats/csr/csr.hpp"
#include "formats/io/matrix_file/streams/stream.hpp"
#include "formats/values/distinct.hpp"

namespace spress::io {

/// Values by their bits: a double is one word, a complex double two.
class ValueTable {
 public:
  /// The table of all values of `a`; none where they differ too much for one to be of use.
  /// Requires: raw values of type double or complex-double.
  [[nodiscard]] static std::optional<ValueTable> of(const Csr<Viewed>& a, int threads);

  [[nodiscard]] std::size_t size() const { return real_.size(); }
  /// Bytes that it takes in memory, about.
  [[nodiscard]] std::uint64_t memory() const {
    return numbers_.memory() + complex_numbers_.memory() + 8 * (real_.size() + imaginary_.size());
  }
  /// The numbers of n values of the matrix.
  void number(const double* values, std::size_t n, std::uint32_t* out) const;
  void number(const std::complex<double>* values, std::size_t n, std::uint32_t* out) const;
  /// Appends the table.
  void encode(StreamEncoder& encoder, std::vector<std::uint8_t>& out) const;

 private:
  friend class TableCounter;
  template <class Key>
  [[nodiscard]] static std::optional<ValueTable> of_keys(const Key* keys, std::uint64_t count, int threads);
  template <class Key>
  [[nodiscard]] static ValueTable of_counts(CountTable<Key> counts);

  std::vector<double> real_, imaginary_;  ///< ascending by the real part, as bits with their signs
  CountTable<std::uint64_t> numbers_;     ///< one more than the number of a value
  CountTable<Bytes16> complex_numbers_;
};

/// The table of values that come in panels.
class TableCounter {
 public:
  /// count: of the values, at most. memory: bytes that counting and the table take about, at most; where the distinct
  /// values take more, there is no table.
  TableCounter(ValueType type, std::uint64_t count, std::uint64_t memory);
  /// Requires: a raw store of the type. Throws std::bad_alloc.
  void add(const ValueStore<Viewed>& raw);
  /// ValueTable::of all that was added, which is forgotten. Throws std::bad_alloc.
  [[nodiscard]] std::optional<ValueTable> table();

 private:
  template <class Key>
  void add_keys(const Key* keys, std::uint64_t count, CountTable<Key>& counts);

  std::variant<std::monostate, CountTable<std::uint64_t>, CountTable<Bytes16>> counts_;
  std::uint64_t count_ = 0;
  std::size_t most_ = 0;
};

/// Reads a table of at most `most` values of `type`, each of size_of(type) bytes. Errors: damaged.
[[nodiscard]] Status decode_table(ValueType type, std::uint64_t most, ByteReader& in, StreamDecoder& decoder,
                                  HostArray<std::uint8_t>& table);

/// Reads `count` values of `type` that stand one after another, into `out`. Errors: damaged.
[[nodiscard]] Status decode_values(ValueType type, std::uint64_t count, ByteReader& in, StreamDecoder& decoder,
                                   std::uint8_t* out);

}  // namespace spress::io
