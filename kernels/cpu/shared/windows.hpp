// Values of a store as plain numbers, a window at a time, for kernels that read them in pieces of all lengths: they are
// compiled once for all stores, and values are decoded whole vectors at once however short the pieces are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

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

/// Values that are decoded at once.
inline constexpr std::uint64_t window_size = 1024;

/// The values of a store where they are the numbers themselves, else null. Requires: readable_as<T>(store).
template <class T>
const T* plain_numbers(const ValueStore<Viewed>& store) {
  return store.type == ValueType::none || store.kind != StoreKind::raw ? nullptr : store.codes.template as<T>();
}

/// Values of a store, from `begin` to `end` of them, read from the first to the last. Requires: readable_as<T>(store).
template <class T>
class Windows {
 public:
  /// Values of the largest block of 8 x 8, and the longest vector behind.
  static constexpr std::uint64_t reach = 64 + 16;

  Windows(const ValueStore<Viewed>& store, std::uint64_t begin, std::uint64_t end)
      : store_(store), begin_(begin), end_(end), until_(begin) {
    if (const T* const plain = plain_numbers<T>(store); plain != nullptr) {
      numbers_ = plain + begin;
      until_ = end;
    }
  }
  Windows(const Windows&) = delete;  // points into itself
  Windows& operator=(const Windows&) = delete;

  /// Value v and those behind it: `count` numbers may be read, and are values as far as the store has them. Behind
  /// values that are decoded, a vector more may be read. Requires: v not less than in the call before;
  /// count <= window_size.
  const T* at(std::uint64_t v, std::uint64_t count = reach) {
    if (v + count > until_) [[unlikely]]
      fill(v);
    return numbers_ + (v - begin_);
  }

  /// Value v is the store's value first + v from now on. Requires: values are decoded.
  void count_from(std::uint64_t first) {
    if (first == first_) return;
    end_ = end_ + first_ - first;
    first_ = first;
    begin_ = until_ = 0;
  }

 private:
  __attribute__((noinline)) void fill(std::uint64_t v) {
    const std::uint64_t n = std::min(window_size, end_ - v);
    with_accessor<T>(store_, [&](auto values) { decode_values(values, first_ + v, n, buffer_); });
    std::fill_n(buffer_ + n, reach, T(0));
    numbers_ = buffer_;
    begin_ = v;
    until_ = v + n < end_ ? v + n : std::numeric_limits<std::uint64_t>::max();
  }

  const ValueStore<Viewed>& store_;
  std::uint64_t begin_, end_, until_;  // numbers_ has values [begin_, until_)
  std::uint64_t first_ = 0;            // of the store, which is value 0
  const T* numbers_ = buffer_;
  alignas(64) T buffer_[window_size + reach];
};

/// Numbers where they stand: value v and the count - 1 behind it are at(v, count)[0], ...
template <class T>
struct PlainNumbers {
  const T* numbers;
  const T* at(std::uint64_t v, std::uint64_t) const { return numbers + v; }
  /// The numbers behind the first `skip`.
  PlainNumbers behind(std::uint64_t skip) const { return {numbers + skip}; }
};
/// Numbers that are decoded into windows, with the functions that PlainNumbers has.
template <class T>
struct DecodedNumbers {
  Windows<T>* windows;
  /// Requires: as Windows::at.
  const T* at(std::uint64_t v, std::uint64_t count) const { return windows->at(v, count); }
  /// Counts for all copies of this.
  DecodedNumbers behind(std::uint64_t skip) const {
    windows->count_from(skip);
    return *this;
  }
};

/// Calls use(numbers) with values from `begin` to `end` of the store, for kernels that gain by being compiled for plain
/// numbers apart. Requires: readable_as<T>(store).
template <class T, class Use>
void with_numbers(const ValueStore<Viewed>& store, std::uint64_t begin, std::uint64_t end, Use&& use) {
  if (const T* const plain = plain_numbers<T>(store); plain != nullptr) return use(PlainNumbers<T>{plain});
  Windows<T> windows(store, begin, end);
  use(DecodedNumbers<T>{&windows});
}

SPRESS_KERNELS_END
