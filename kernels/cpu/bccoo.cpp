#include "kernels/cpu/chunks.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

using namespace bccoo;

/// Bytes of a value part that is no index: those of a T, or none for a pattern.
template <class T, std::size_t width>
T value_at(const std::uint8_t* at) {
  if constexpr (width == 0)
    return T(1);
  else
    return load_unaligned<T>(at);
}

/// Sums one chunk as multiply_chunks wants it: each sum goes where the previous end of a row has said, the first one to
/// the caller.
template <class T, std::size_t width, ValueParts parts>
T sum_chunk(const Bccoo<Viewed>& a, std::uint64_t h, const T* x, T* y) {
  const T* lut = static_cast<const T*>(a.lut.raw());
  T first_sum = 0, sum = 0;
  T* target = &first_sum;
  T* next = y + a.row[h];
  for_each_tuple<width, parts>(
      a.data.data() + a.offset.position(h), a.data.data() + a.offset.position(h + 1),
      [&](std::uint32_t col, bool in_table, const std::uint8_t* at) {
        sum += (in_table ? lut[*at] : value_at<T, width>(at)) * x[col];
      },
      [&] {
        *target = sum;
        sum = 0;
        target = ++next;
      });
  if (next < y + a.rows) *target = sum;
  return first_sum;
}

template <class T, std::size_t width, ValueParts parts>
void multiply_parts(const Bccoo<Viewed>& a, const T* x, T* y, int threads) {
  multiply_chunks(
      a.row.size(), a.rows, threads, y, [&](std::uint64_t h) { return a.row[h]; },
      [&](std::uint64_t h) { return sum_chunk<T, width, parts>(a, h, x, y); });
}

template <class T>
void multiply(const Bccoo<Viewed>& a, const T* x, T* y, int threads) {
  if (a.value_type == ValueType::none) return multiply_parts<T, 0, ValueParts::full>(a, x, y, threads);
  switch (value_parts(a)) {
    case ValueParts::full: return multiply_parts<T, sizeof(T), ValueParts::full>(a, x, y, threads);
    case ValueParts::table: return multiply_parts<T, sizeof(T), ValueParts::table>(a, x, y, threads);
    case ValueParts::mixed: return multiply_parts<T, sizeof(T), ValueParts::mixed>(a, x, y, threads);
  }
}

SPRESS_KERNELS_END
SPRESS_SPMV(Bccoo)
