// Values of a store as plain numbers, a window at a time: for kernels that read them from memory in pieces of all
// lengths, and would otherwise have to be compiled for, and to decode at their own pace, every store.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "formats/values/values.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

/// Writes values v to v + count - 1 of a store as numbers, whole vectors at once.
template <class T, class Values>
void decode_values(Values values, std::uint64_t v, std::uint64_t count, T* to) {
  std::uint64_t k = 0;
  for (; k + Simd<T>::lanes <= count; k += Simd<T>::lanes) Simd<T>::store(to + k, load_values(values, v + k));
  for (; k < count; ++k) to[k] = values[v + k];
}

/// Values of a store, from `begin` to `end` of them, read from the first to the last.
template <class T, class Values>
class Windows {
 public:
  static constexpr std::uint64_t reach = 64 + 16;  ///< values of the largest block, and a vector behind

  Windows(Values values, std::uint64_t begin, std::uint64_t end) : values_(values), begin_(begin), end_(end) {
    if constexpr (is_plain) {
      numbers_ = values.codes + begin;
      until_ = end;
    } else {
      until_ = begin;
    }
  }

  /// Value v and those behind it: `reach` numbers may be read, and are values as far as the store has them.
  /// Requires: v not less than in the call before.
  const T* at(std::uint64_t v) {
    if (v + reach > until_) [[unlikely]]
      fill(v);
    return numbers_ + (v - begin_);
  }

 private:
  static constexpr bool is_plain = std::is_same_v<Values, CastAccessor<T, T>>;
  static constexpr std::uint64_t size = 1024;

  void fill(std::uint64_t v) {
    const std::uint64_t n = std::min(size, end_ - v);
    decode_values(values_, v, n, buffer_);
    numbers_ = buffer_;
    begin_ = v;
    until_ = v + n < end_ ? v + n : std::numeric_limits<std::uint64_t>::max();
  }

  Values values_;
  std::uint64_t begin_, end_, until_;
  const T* numbers_ = nullptr;
  alignas(64) T buffer_[size + reach] = {};
};

SPRESS_KERNELS_END
