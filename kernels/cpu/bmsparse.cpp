#include <algorithm>
#include <bit>

#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/spmv.hpp"

namespace spress::cpu {
namespace {

/// Adds one block's product to the eight sums of its block row. `v` is the block's first value.
template <class T, class Values>
void add_block(std::uint64_t bitmap, std::uint64_t v, Values values, const T* x, T* sums) {
  for (int i = 0; i < 8; ++i)
    for (auto bits = static_cast<unsigned>(bitmap >> (8 * i) & 0xFF); bits != 0; bits &= bits - 1)
      sums[i] += values[v++] * x[std::countr_zero(bits)];
}

template <class T, class Values>
void multiply_blocks(const BmSparse<Viewed>& a, std::uint64_t first, std::uint64_t last, Values values, const T* x,
                     T* y) {
  for (std::uint64_t b = first; b < last;) {
    const std::uint64_t block_row = a.keys[b] >> 32;
    T sums[8] = {};
    for (; b < last && a.keys[b] >> 32 == block_row; ++b)
      add_block(a.bitmaps[b], a.offsets.position(b), values, x + (a.keys[b] & 0xFFFFFFFFu) * 8, sums);
    const std::uint64_t row = block_row * 8;
    std::copy_n(sums, std::min<std::uint64_t>(8, a.rows - row), y + row);
  }
}

template <class T>
void multiply(const BmSparse<Viewed>& a, const T* x, T* y, int threads) {
  std::fill_n(y, a.rows, T(0));
  with_accessor<T>(a.values, [&](auto values) {
    for_row_aligned_pieces(
        a.blocks, threads, [&](std::uint64_t b) { return a.keys[b] >> 32 != a.keys[b - 1] >> 32; },
        [&](std::uint64_t first, std::uint64_t last) { multiply_blocks(a, first, last, values, x, y); });
  });
}

}  // namespace

template <>
void spmv<float, BmSparse>(const BmSparse<Viewed>& a, const float* x, float* y, int threads) {
  multiply(a, x, y, threads);
}
template <>
void spmv<double, BmSparse>(const BmSparse<Viewed>& a, const double* x, double* y, int threads) {
  multiply(a, x, y, threads);
}

}  // namespace spress::cpu
