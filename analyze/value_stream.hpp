// Statistics on values that come in panels and do not fit in memory together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "analyze/value_statistics.hpp"
#include "formats/core/result.hpp"

namespace spress::analyze {

/// Values set aside in parts, outside of memory if need be.
class ValueSpill {
 public:
  virtual ~ValueSpill() = default;
  /// A power of two.
  [[nodiscard]] virtual std::size_t parts() const = 0;
  /// Adds whole values to a part. One call at a time.
  [[nodiscard]] virtual Status put(std::size_t part, const std::uint8_t* values, std::size_t bytes) = 0;
  /// Calls use(values, bytes) with all that was put into a part. Several calls at a time.
  [[nodiscard]] virtual Status for_each_piece(
      std::size_t part, const std::function<void(const std::uint8_t*, std::size_t)>& use) const = 0;
};

/// Counts values by their bits. Those that come first are counted in a table. Once it is full, a value that is not in
/// it goes to the part of the spill that its hash says, and each part is counted at the end by itself.
class ValueStream {
 public:
  /// spill: outlives the stream. most_kept: distinct values that the table holds; the default stays in the second
  /// cache.
  ValueStream(ValueType type, ValueSpill& spill, std::size_t most_kept = std::size_t{1} << 15);
  ~ValueStream();

  /// Requires: a raw store of the type. Errors: those of the spill. Throws std::bad_alloc.
  [[nodiscard]] Status add(const ValueStore<Viewed>& raw, int threads = 0);
  /// value_statistics of all that was added. Called once. Errors: those of the spill. Throws std::bad_alloc.
  /// Memory: for each thread the table of a part, some 16 MB.
  [[nodiscard]] Result<ValueStatistics> statistics(int threads = 0);

 private:
  class Counter;
  template <class Bits>
  class CounterOf;
  std::unique_ptr<Counter> counter_;  ///< null for patterns
  std::uint64_t count_ = 0;
};

}  // namespace spress::analyze
