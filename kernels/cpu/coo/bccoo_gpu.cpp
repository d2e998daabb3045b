#include "kernels/cpu/coo/chunks.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

using namespace bccoo_gpu;

template <class Tuple, class T>
T value_of(const std::uint8_t* tuple, [[maybe_unused]] const T* lut) {
  if constexpr (Tuple::in_table)
    return lut[tuple[Tuple::value_at]];
  else if constexpr (Tuple::value_bytes != 0)
    return load_unaligned<T>(tuple + Tuple::value_at);
  else
    return T(1);
}

template <class Tuple, class T>
T sum_chunk(const BccooGpu<Viewed>& a, std::uint64_t h, const T* x, T* y) {
  const T* lut = static_cast<const T*>(a.lut.raw());
  const T* x_of_chunk = x + a.column[h];
  const std::uint64_t begin = a.offset.position(h), entries = (a.offset.position(h + 1) - begin) / Tuple::bytes;
  const std::uint8_t* tuples = a.data.data() + begin;
  const std::uint64_t row = a.row[h], until = h + 1 < a.row.size() ? a.row[h + 1] : a.rows - 1;
  return sum_rows(
      0, entries, until, y, [&](std::uint64_t k) { return row + tuples[k * Tuple::bytes]; },
      [&](std::uint64_t k) {
        const std::uint8_t* tuple = tuples + k * Tuple::bytes;
        return value_of<Tuple>(tuple, lut) *
               x_of_chunk[load_unaligned<typename Tuple::ColumnPart>(tuple + Tuple::column_at)];
      });
}

template <class T, std::size_t width>
void multiply_width(const BccooGpu<Viewed>& a, const T* x, T* y, int threads) {
  multiply_chunks(
      a.row.size(), a.rows, threads, y, [&](std::uint64_t h) { return a.row[h]; },
      [&](std::uint64_t h) {
        return with_tuple<width>(a.format[h], [&]<class Tuple>(Tuple) { return sum_chunk<Tuple>(a, h, x, y); });
      });
}

template <class T>
void multiply(const BccooGpu<Viewed>& a, const T* x, T* y, int threads) {
  if (a.value_type == ValueType::none) return multiply_width<T, 0>(a, x, y, threads);
  multiply_width<T, sizeof(T)>(a, x, y, threads);
}

SPRESS_KERNELS_END
SPRESS_SPMV(BccooGpu)
