// What the kernels of 8x8 bitmap blocks share: a block row is summed by one thread, block by block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "formats/bitmap/bitmap_blocks.hpp"
#include "kernels/cpu/shared/windows.hpp"
#include "kernels/cpu/simd/simd_rows.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

/// One number in all places.
template <class T>
struct Repeated {
  T number;
  T operator[](std::uint64_t) const { return number; }
};

/// The values of a store whose values are all one number, as Windows gives those of others.
template <class T>
class Repetition {
 public:
  Repetition(const ValueStore<Viewed>& store, std::uint64_t begin, std::uint64_t end) {
    if (begin < end) with_accessor<T>(store, [&](auto values) { number_ = values[begin]; });
  }
  Repeated<T> at(std::uint64_t) const { return {number_}; }

 private:
  T number_ = 0;
};

/// Calls use(std::type_identity<Values>{}) with the class that gives the values of a store: Repetition where all are
/// one number, which then is not read again for each entry, else Windows.
template <class T, class Use>
void with_block_values(const ValueStore<Viewed>& store, Use&& use) {
  if (code_width(store) == 0) return use(std::type_identity<Repetition<T>>{});
  use(std::type_identity<Windows<T>>{});
}

/// Adds a block to the sums of its block row, one entry after the other. x: the block's columns.
template <class T, class Values>
void add_entries(std::uint64_t bitmap, Values values, const T* x, EightSums<T>& sums) {
  for (std::uint64_t k = 0; bitmap != 0; bitmap &= bitmap - 1, ++k) {
    const auto bit = static_cast<unsigned>(std::countr_zero(bitmap));
    sums.add(bit / bitmap_side, values[k], x[bit % bitmap_side]);
  }
}

/// The same, row by row, each in a vector of its own or half of one.
template <class T>
void add_rows(std::uint64_t bitmap, const T* values, const typename RowsOf8<T>::Row& x,
              typename RowsOf8<T>::Vector* sums) {
  constexpr int per_vector = RowsOf8<T>::per_vector;
#pragma GCC unroll 8
  for (int i = 0; i < 8 / per_vector; ++i) {
    const auto bits = static_cast<unsigned>(bitmap >> 8 * per_vector * i) & ((1u << 8 * per_vector) - 1);
    sums[i] = RowsOf8<T>::fma_spread(bits, values, x, sums[i]);
    values += std::popcount(bits);
  }
}
template <class T>
void add_rows(std::uint64_t bitmap, Repeated<T> value, const typename RowsOf8<T>::Row& x,
              typename RowsOf8<T>::Vector* sums) {
  constexpr int per_vector = RowsOf8<T>::per_vector;
  const auto number = RowsOf8<T>::splat(value.number);
#pragma GCC unroll 8
  for (int i = 0; i < 8 / per_vector; ++i) {
    const auto bits = static_cast<unsigned>(bitmap >> 8 * per_vector * i) & ((1u << 8 * per_vector) - 1);
    sums[i] = RowsOf8<T>::fma_there(bits, number, x, sums[i]);
  }
}

/// Blocks of up to so many entries are added one by one. Row by row, every block takes about the same time, and AVX2
/// needs two vectors for each row.
inline constexpr int few_entries = SPRESS_ISA_LEVEL == 2 ? 6 : 8;

/// The blocks of one block row, or of several, one after the other. Values: as with_block_values says.
template <class T, class Values>
class BlockRows {
 public:
  /// v: the first value of the first block.
  template <class Format>
  BlockRows(const Format& a, std::uint64_t v, const T* x)
      : bitmaps_(a.bitmaps.data()), cols_(a.cols), x_(x), values_(a.values, v, a.nnz), v_(v) {}

  /// The eight sums of the block row that consists of blocks [b, last), which stand in block columns col_of(b).
  /// Requires: b is the block behind those of the call before.
  template <class ColOf>
  void sum(std::uint64_t b, std::uint64_t last, ColOf&& col_of, T* sums) {
    EightSums<T> singles;
    if constexpr (RowsOf8<T>::per_vector == 0) {
      for (; b < last; ++b) {
        add_entries(bitmaps_[b], values_.at(v_), x_ + col_of(b) * bitmap_side, singles);
        v_ += static_cast<unsigned>(std::popcount(bitmaps_[b]));
      }
      std::fill_n(sums, bitmap_side, T(0));
    } else {
      sum_rows(b, last, col_of, singles, sums);
    }
    singles.add_to(sums);
  }

 private:
  template <class ColOf>
  void sum_rows(std::uint64_t b, std::uint64_t last, ColOf&& col_of, EightSums<T>& singles, T* sums) {
    using Rows = RowsOf8<T>;
    typename Rows::Vector of_rows[bitmap_side / Rows::per_vector];
    for (auto& sum : of_rows) sum = Rows::zero();
    std::uint64_t v = v_;
    bool by_rows = false;
    for (; b < last; ++b) {
      const std::uint64_t bitmap = bitmaps_[b], column = col_of(b) * bitmap_side;
      const int held = std::popcount(bitmap);
      const auto values = values_.at(v);
      v += static_cast<unsigned>(held);
      if (held <= few_entries) {
        add_entries(bitmap, values, x_ + column, singles);
      } else {
        add_rows(bitmap, values, columns(column), of_rows);
        by_rows = true;
      }
    }
    v_ = v;
    if (by_rows)
      Rows::sums(of_rows, sums);
    else
      std::fill_n(sums, bitmap_side, T(0));
  }

  /// x in eight columns, or in those that the matrix has.
  auto columns(std::uint64_t first) const {
    if (first + bitmap_side <= cols_) [[likely]]
      return RowsOf8<T>::load(x_ + first);
    return RowsOf8<T>::load(x_ + first, cols_ - first);
  }

  const std::uint64_t* bitmaps_;
  std::uint64_t cols_;
  const T* x_;
  Values values_;
  std::uint64_t v_;
};

SPRESS_KERNELS_END
