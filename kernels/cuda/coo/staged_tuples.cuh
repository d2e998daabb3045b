// A piece of a bccoo-gpu in shared memory: its rows, and the sums of its entries.
#pragma once

#include <cstdint>

#include "kernels/cuda/coo/tuple_copies.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/bytes.cuh"

namespace spress::cuda {

/// The arguments of the kernel. Piece p stores y for its rows, and 0 for the rows between it and the next piece. Its
/// part of a row that begins in an earlier piece goes to first_sums[p].
template <class T>
struct TupleTask {
  const std::uint8_t* data;
  const TuplePiece* pieces;
  std::uint32_t count;
  std::uint32_t shared_bytes;  // of a warp
  const T* lut;
  const T* x;
  T* y;
  T* first_sums;
  std::uint32_t zero = 0;  // see wait_for_all
};

/// Column and value of one tuple: its last bytes, shifted so that the tuple ends with a word.
template <class Tuple>
struct TupleFields {
  static constexpr unsigned column_bytes = sizeof(typename Tuple::ColumnPart), value_bytes = Tuple::value_bytes;
  static constexpr unsigned words = (column_bytes + value_bytes + 3) / 4;

  std::uint32_t word[words];

  /// Reads the tuple that ends `end` bytes after the beginning of shared memory, and the word before it.
  __device__ __forceinline__ explicit TupleFields(std::uint32_t end) {
    const auto* aligned = reinterpret_cast<const std::uint32_t*>(block_memory()) + end / 4 - words;
    std::uint32_t raw[words + 1];
#pragma unroll
    for (unsigned w = 0; w <= words; ++w) raw[w] = aligned[w];
#pragma unroll
    for (unsigned w = 0; w < words; ++w) word[w] = __funnelshift_r(raw[w], raw[w + 1], 8 * end);  // modulo 32
  }

  __device__ __forceinline__ std::uint32_t column() const { return number<column_bytes, value_bytes>(); }
  template <class T>
  __device__ __forceinline__ T value(const T* lut) const {
    if constexpr (Tuple::in_table)
      return load_shared(lut + number<1, 0>());
    else if constexpr (value_bytes == 8)
      return __hiloint2double(static_cast<int>(number<4, 0>()), static_cast<int>(number<4, 4>()));
    else if constexpr (value_bytes == 4)
      return __uint_as_float(number<4, 0>());
    else
      return T(1);
  }

 private:
  /// The number of `size` bytes, at most 4, that `behind` bytes of the tuple follow.
  template <unsigned size, unsigned behind>
  __device__ __forceinline__ std::uint32_t number() const {
    return bytes_of<4 * words - behind - size, size>(word);
  }
};

/// Makes the first value depend on the last factors, so that the compiler issues all loads before the first sum. It
/// would rather save registers and wait twice. zero: 0, which the compiler does not know.
template <class T, unsigned n>
__device__ __forceinline__ void wait_for_all(const T (&factors)[n], T& first_value, std::uint32_t zero) {
  std::uint32_t all = 0;
#pragma unroll
  for (unsigned u = n - 3; u < n; ++u) {
    if constexpr (sizeof(T) == 8)
      all |= static_cast<std::uint32_t>(__double2hiint(factors[u]));
    else
      all |= __float_as_uint(factors[u]);
  }
  if constexpr (sizeof(T) == 8)
    first_value =
        __hiloint2double(__double2hiint(first_value), __double2loint(first_value) | static_cast<int>(all & zero));
  else
    first_value = __uint_as_float(__float_as_uint(first_value) | (all & zero));
}

/// A piece in shared memory. Rows are counted from the row of its first entry.
template <class Tuple, class T>
struct StagedPiece {
  static constexpr std::uint32_t length = Tuple::bytes;

  std::uint32_t tuples;               ///< where they begin in shared memory, in bytes
  std::uint32_t entries, here, rows;  ///< here: entries of the first chunk
  std::uint32_t column, next_column;  ///< of the chunks
  std::uint32_t row, next_row;        ///< of the chunks: the former is 0 or less than that
  const T* x;
  const T* lut;
  std::uint32_t zero;  ///< of the task

  /// copied: where the units that were copied begin in shared memory.
  __device__ __forceinline__ StagedPiece(const TuplePiece& piece, std::uint32_t copied, const TupleTask<T>& task)
      : tuples(copied + static_cast<std::uint32_t>(piece.begin % copy_unit)),
        entries(piece.entries),
        here(piece.here),
        rows(piece.rows_less_one + 1u),
        column(piece.column),
        next_column(piece.next_column),
        row(0u - block_memory()[tuples]),
        next_row(piece.next_chunk_row),
        x(task.x),
        lut(task.lut),
        zero(task.zero) {}

  [[nodiscard]] __device__ __forceinline__ std::uint32_t row_of(std::uint32_t entry) const {
    return block_memory()[tuples + entry * length] + (entry < here ? row : next_row);
  }

  /// The first entry of row `wanted`, from 1 to `rows`. average: entries of a row.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t start_of(std::uint32_t wanted, float average) const {
    if (wanted == rows) return entries;
    const auto guess =
        min(max(static_cast<std::uint32_t>(average * static_cast<float>(wanted) + 0.5f), 1u), entries - 1);
    const bool before = row_of(guess) < wanted;
    if (!before && row_of(guess - 1) < wanted) return guess;  // true where all rows have the same length
    return before ? search_behind(guess + 1, wanted) : search_up_to(guess - 1, wanted);
  }

  /// The sum of one lane of `lanes` over its share of entries [first, last).
  template <unsigned batch>
  __device__ __forceinline__ T sum(std::uint32_t first, std::uint32_t last, unsigned lane, unsigned lanes) const {
    const std::uint32_t ends = tuples + last * length, stride = lanes * length;  // ends: where the last tuple does
    std::uint32_t end = tuples + (first + lane + 1) * length;
    T sum = 0;
    for (; end + (batch - 1) * stride <= ends; end += batch * stride) add<batch, true>(end, stride, ends, sum);
    if (end <= ends) add<batch, false>(end, stride, ends, sum);
    return sum;
  }

 private:
  /// The first entry of row `wanted` or a later row, from `low` on. Steps grow, since most guesses are near.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t search_behind(std::uint32_t low, std::uint32_t wanted) const {
    std::uint32_t step = 1;
#pragma unroll 1
    for (; low + step < entries && row_of(low + step - 1) < wanted; step *= 2) low += step;
    return search(low, min(low + step - 1, entries - 1), wanted);
  }
  /// The same, up to `high`, whose row is not before `wanted`.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t search_up_to(std::uint32_t high, std::uint32_t wanted) const {
    std::uint32_t step = 1;
#pragma unroll 1
    for (; high > step && row_of(high - step) >= wanted; step *= 2) high -= step;
    return search(high > step ? high - step + 1 : 1, high, wanted);
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t search(std::uint32_t low, std::uint32_t high,
                                                                std::uint32_t wanted) const {
#pragma unroll 1
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (row_of(middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /// Adds a batch of entries, or what is left of it. Positions after the last entry read that entry again and drop it,
  /// because loads under a condition would wait for one another.
  template <unsigned batch, bool whole>
  __device__ __forceinline__ void add(std::uint32_t end, std::uint32_t stride, std::uint32_t ends, T& sum) const {
    const std::uint32_t chunk_ends = tuples + here * length;
    T factors[batch], values[batch];
#pragma unroll
    for (unsigned u = 0; u < batch; ++u) {
      const std::uint32_t at = whole ? end + u * stride : min(end + u * stride, ends);
      const TupleFields<Tuple> fields(at);
      factors[u] = load_shared(x + (fields.column() + (at <= chunk_ends ? column : next_column)));
      values[u] = fields.value(lut);
    }
    if constexpr (Tuple::value_bytes != 0) wait_for_all(factors, values[0], zero);
#pragma unroll
    for (unsigned u = 0; u < batch; ++u) {
      const T next = sum + values[u] * factors[u];
      if (whole || end + u * stride <= ends) sum = next;
    }
  }
};

}  // namespace spress::cuda
